//go:build unix

// Command compare measures ccwatchd and other programs on the same session files, and
// prints two Markdown tables: the cost of each program, and the deviation of its
// totals from the true ones. "make compare" prepares the files and the programs.
//
// All programs read the same files: those that ccwatchd takes for transcripts. Each
// round runs every program once, so that background load affects all of them; a first
// round, not measured, brings the files into the page cache. A cost is the median of
// the rounds. A ratio is the median of the ratios within each round, so noise that
// lasts longer than a round does not change it.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/alecthomas/kingpin/v2"

	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, progress io.Writer) error {
	app := kingpin.New("compare", "Compares the speed and the totals of ccwatchd with those of cat, wc, jq and ccusage. "+
		"Programs that are not installed or fail are left out.")
	rounds := app.Flag("runs", "Number of measured rounds, after one to warm up.").Default("5").Uint8()
	ccwatchd := app.Flag("ccwatchd", "The ccwatchd to measure.").Default("ccwatchd").String()
	ccusage := app.Flag("ccusage", "The native binary of ccusage to measure.").Default("ccusage").String()
	dir := app.Arg("dir", "Configuration directory of Claude Code. With a tokens.json in it, as written by the corpus generator, the report has deviations.").
		Required().String()
	if _, err := app.Parse(args); err != nil {
		return err
	}
	c, err := readCorpus(ctx, *dir)
	if err != nil {
		return err
	}
	programs := programs(c, *ccwatchd, *ccusage)
	measure(ctx, programs, int(*rounds), progress)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	_, err = io.WriteString(stdout, report(c, int(*rounds), programs))
	return err
}

// A corpus is the input of all programs.
type corpus struct {
	dir, projects string // a configuration directory of Claude Code, its projects
	files         []string
	size          int64   // bytes
	expected      *tokens // nil if unknown
}

// readCorpus finds the transcripts below dir/projects, and the true totals in
// dir/tokens.json if it exists. Unreadable directories are an error, since programs
// differ in what they do about them.
func readCorpus(ctx context.Context, dir string) (*corpus, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	c := &corpus{dir: dir, projects: filepath.Join(dir, "projects")}
	found, errs := watcher.Walk(ctx, watcher.Options{
		Roots: []string{c.projects}, Match: transcript.IsTranscript, SkipDir: transcript.SkipDir,
	})
	for _, f := range found {
		name := filepath.Join(c.projects, f.Rel)
		info, err := os.Stat(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		c.files = append(c.files, name)
		c.size += info.Size()
	}
	if err := errors.Join(errs...); err != nil || c.size == 0 {
		return nil, fmt.Errorf("find sessions below %s: %w", c.projects, cmp.Or(err, fs.ErrNotExist))
	}
	text, err := os.ReadFile(filepath.Join(dir, "tokens.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err == nil {
		c.expected, err = reportTokens(bytes.NewReader(text))
	}
	if err != nil {
		return nil, fmt.Errorf("read the true totals: %w", err)
	}
	return c, nil
}
