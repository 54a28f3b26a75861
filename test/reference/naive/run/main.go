// Command run compares the output of "ccwatchd once" with package naive, for trees of
// transcripts. It is for the development of ccwatchd only.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/ccwatchd/ccwatchd/test/exposition"
	"github.com/ccwatchd/ccwatchd/test/gobuild"
	"github.com/ccwatchd/ccwatchd/test/reference/naive"
)

const usage = `Compare "ccwatchd once" with a second implementation of its metrics.

  run [--each] [--ccwatchd BINARY] DIR...

Exit status: 0 if all values are equal, 1 if some differ, 2 if they could not be compared.

Flags:
`

var errDifferent = errors.New("some values differ")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return
	case errors.Is(err, errDifferent):
		os.Exit(1)
	}
	fmt.Fprintln(os.Stderr, "run:", err)
	os.Exit(2)
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	flags.SetOutput(stdout)
	flags.Usage = func() { _, _ = io.WriteString(stdout, usage); flags.PrintDefaults() }
	each := flags.Bool("each", false, "compare each sub-directory of DIR separately")
	binary := flags.String("ccwatchd", "", "`path` of ccwatchd (default: built from source)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *binary == "" {
		dir, err := os.MkdirTemp("", "naive-")
		if err != nil {
			return fmt.Errorf("build ccwatchd: %w", err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		*binary = filepath.Join(dir, "ccwatchd.exe") // valid on every system
		if err := gobuild.Build(ctx, gobuild.Ccwatchd, *binary); err != nil {
			return err
		}
	}
	trees, err := treesOf(flags.Args(), *each)
	if err != nil {
		return err
	}
	for _, tree := range trees {
		same, treeErr := compare(ctx, *binary, tree, stdout)
		if treeErr != nil {
			return fmt.Errorf("%s: %w", tree, treeErr)
		}
		if !same {
			err = errDifferent
		}
	}
	return err
}

// compare writes the differences of a tree and reports whether there are none.
func compare(ctx context.Context, binary, dir string, stdout io.Writer) (bool, error) {
	tree, err := naive.Read(dir, float64(time.Now().UnixMilli())/1000)
	if err != nil {
		return false, err
	}
	text, err := output(exec.CommandContext(ctx, binary, "once", dir)) //nolint:gosec // the purpose of this program
	if err != nil {
		return false, err
	}
	got, err := exposition.ParseText(string(text))
	if err != nil {
		return false, err
	}
	want := naive.Expected(tree, naive.Rules())
	differences := want.Diff(naive.Rules(), got)
	_, err = fmt.Fprintf(stdout, "%s: %d series of %d rules compared, %d differ\n", dir, want.NonZero(), len(naive.Rules()), len(differences))
	for _, d := range differences {
		_, _ = fmt.Fprintln(stdout, " ", d)
	}
	return len(differences) == 0, err
}

// treesOf returns the directories, or with each their sub-directories.
func treesOf(dirs []string, each bool) (trees []string, err error) {
	if !each {
		trees = dirs
	}
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if each && e.IsDir() {
				trees = append(trees, filepath.Join(dir, e.Name()))
			}
		}
	}
	if len(trees) == 0 {
		return nil, errors.New("no directory to compare (try --help)")
	}
	return trees, nil
}

// output returns the standard output of a command. Its error includes the standard
// error.
func output(c *exec.Cmd) ([]byte, error) {
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("run %s: %w\n%s", filepath.Base(c.Path), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}
