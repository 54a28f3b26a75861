package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/ccwatchd/ccwatchd/test/gobuild"
	"github.com/ccwatchd/ccwatchd/test/reference"
)

// programs are the commands to run on a tree.
type programs struct {
	oracle, python, ccwatchd string
}

// compareTrees compares all trees and returns whether all are equal.
func compareTrees(ctx context.Context, a arguments, stdout io.Writer) (bool, error) {
	trees, err := treesOf(a.rest, a.each)
	if err != nil {
		return false, err
	}
	if a.programs.oracle, err = filepath.Abs(a.programs.oracle); err != nil {
		return false, err
	}
	if a.programs.ccwatchd == "" {
		dir, err := os.MkdirTemp("", "compare-")
		if err != nil {
			return false, fmt.Errorf("build ccwatchd: %w", err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		if a.programs.ccwatchd, err = build(ctx, dir); err != nil {
			return false, err
		}
	}
	all := true
	for _, tree := range trees {
		want, got, err := a.programs.read(ctx, tree)
		if err != nil {
			return false, fmt.Errorf("%s: %w", tree, err)
		}
		same, err := report(stdout, tree, want, got, a.options)
		if err != nil {
			return false, err
		}
		all = all && same
		if a.cuts == 0 {
			continue
		}
		if same, err = compareHistory(ctx, a, tree, stdout); err != nil {
			return false, fmt.Errorf("%s: %w", tree, err)
		}
		all = all && same
	}
	return all, nil
}

// treesOf returns the directories, or with each their sub-directories.
func treesOf(dirs []string, each bool) ([]string, error) {
	var out []string
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		if !each {
			out = append(out, dir)
			continue
		}
		before := len(out)
		for _, e := range entries {
			if e.IsDir() {
				out = append(out, filepath.Join(dir, e.Name()))
			}
		}
		if len(out) == before {
			return nil, fmt.Errorf("%s has no sub-directories", dir)
		}
	}
	return out, nil
}

func build(ctx context.Context, dir string) (string, error) {
	binary := filepath.Join(dir, "ccwatchd.exe") // valid on every system
	return binary, gobuild.Build(ctx, gobuild.Ccwatchd, binary)
}

// read runs both programs on a tree, concurrently. The costs that are expected are not
// from the reference program, but from package cost.
func (p programs) read(ctx context.Context, tree string) (want, got reference.Totals, err error) {
	oracle := p.reference(ctx, tree)
	once := exec.CommandContext(ctx, p.ccwatchd, "once", tree) //nolint:gosec // likewise

	var costs reference.Totals
	var wantErr, gotErr, costsErr error
	var all sync.WaitGroup
	all.Go(func() { want, wantErr = totals(oracle, reference.ParseTSV) })
	all.Go(func() { got, gotErr = totals(once, reference.ParseExposition) })
	all.Go(func() { costs, costsErr = reference.ReadCosts(tree, time.Now()) })
	all.Wait()
	if err := errors.Join(wantErr, gotErr, costsErr); err != nil {
		return nil, nil, err
	}
	want.Add(costs)
	return want, got, nil
}

// reference returns the command that runs the reference in a tree.
func (p programs) reference(ctx context.Context, tree string) *exec.Cmd {
	// The reference matches the directory names of the whole path, so the path must
	// not include any outside of the tree.
	oracle := exec.CommandContext(ctx, p.python, p.oracle, ".") //nolint:gosec // the purpose of this program
	oracle.Dir = tree
	// Names that are not Unicode must not stop it.
	oracle.Env = append(os.Environ(), "PYTHONUTF8=1", "PYTHONIOENCODING=utf-8:surrogatepass")
	return oracle
}

func totals(c *exec.Cmd, parse func(io.Reader) (reference.Totals, error)) (reference.Totals, error) {
	out, err := output(c)
	if err != nil {
		return nil, err
	}
	return parse(bytes.NewReader(out))
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
