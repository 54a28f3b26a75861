package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/prometheus/common/model"

	"github.com/ccwatchd/ccwatchd/test/exposition"
	"github.com/ccwatchd/ccwatchd/test/gobuild"
	"github.com/ccwatchd/ccwatchd/test/reference"
	"github.com/ccwatchd/ccwatchd/test/reference/naive"
)

// programs are the commands to run on a tree.
type programs struct {
	oracle, python, ccwatchd string

	tolerance time.Duration // of the latency of a tool
}

// A result is the outcome of a comparison.
type result struct {
	compared int // totals that are not zero
	expected int // series of the second implementation
	totals   reference.Differences
	series   exposition.Differences[string, float64]
}

// compareTrees compares all trees and returns whether all are equal.
func compareTrees(ctx context.Context, a arguments, stdout io.Writer) (all bool, err error) {
	trees, err := treesOf(a.dirs, a.each)
	if err != nil {
		return false, err
	}
	if a.programs.oracle != "" {
		if a.programs.oracle, err = filepath.Abs(a.programs.oracle); err != nil {
			return false, err
		}
	}
	if a.programs.ccwatchd == "" {
		dir, err := os.MkdirTemp("", "compare-")
		if err != nil {
			return false, fmt.Errorf("build ccwatchd: %w", err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		a.programs.ccwatchd = filepath.Join(dir, "ccwatchd.exe") // valid on every system
		if err := gobuild.Build(ctx, gobuild.Ccwatchd, a.programs.ccwatchd); err != nil {
			return false, err
		}
	}
	all = true
	for _, tree := range trees {
		same, err := a.programs.compare(ctx, tree, stdout)
		if err == nil && a.cuts > 0 {
			var sameHistory bool
			sameHistory, err = compareHistory(ctx, a, tree, stdout)
			same = same && sameHistory
		}
		if err != nil {
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

// compare compares a tree at rest and returns whether all is equal.
func (p programs) compare(ctx context.Context, tree string, stdout io.Writer) (bool, error) {
	once := exec.CommandContext(ctx, p.ccwatchd, "once", tree) //nolint:gosec // the purpose of this program
	var text []byte
	var onceErr error
	var running sync.WaitGroup
	running.Go(func() { text, onceErr = output(once) })
	want, err := p.expect(ctx, tree, time.Now())
	running.Wait()
	if err := errors.Join(err, onceErr); err != nil {
		return false, err
	}
	got, err := exposition.ParseText(string(text))
	if err != nil {
		return false, err
	}
	r, err := want.diff(got, naive.Families(), reference.Options{LatencyTolerance: p.tolerance})
	if err != nil {
		return false, err
	}
	return report(stdout, tree, r)
}

// An expectation is the references' totals for a tree.
type expectation struct {
	totals reference.Totals // empty without a reference program and without a file
	series naive.Totals
}

// expect runs the references on a tree at the time now, concurrently.
func (p programs) expect(ctx context.Context, tree string, now time.Time) (want expectation, err error) {
	var totalsErr, seriesErr error
	var all sync.WaitGroup
	all.Go(func() { want.totals, totalsErr = p.totals(ctx, tree) })
	all.Go(func() {
		read, err := naive.Read(tree, now)
		if seriesErr = err; err == nil {
			want.series = naive.Expected(read)
		}
	})
	all.Wait()
	return want, errors.Join(totalsErr, seriesErr)
}

// totals returns the totals that the reference program prints, or the totals in a file.
func (p programs) totals(ctx context.Context, tree string) (reference.Totals, error) {
	if p.oracle == "" {
		b, err := os.ReadFile(filepath.Join(tree, "expected.tsv"))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
		return reference.ParseTSV(bytes.NewReader(b))
	}
	// The reference matches the directory names of the whole path, so the path must
	// not include any outside of the tree.
	oracle := exec.CommandContext(ctx, p.python, p.oracle, ".") //nolint:gosec // the purpose of this program
	oracle.Dir = tree
	// Names that are not Unicode must not stop it.
	oracle.Env = append(os.Environ(), "PYTHONUTF8=1", "PYTHONIOENCODING=utf-8:surrogatepass")
	b, err := output(oracle)
	if err != nil {
		return nil, err
	}
	return reference.ParseTSV(bytes.NewReader(b))
}

// diff compares with an exposition. Series are summed over the labels in without.
func (want expectation) diff(got exposition.Samples, families []string, o reference.Options, without ...model.LabelName) (*result, error) {
	totals, err := reference.TotalsOf(got)
	if err != nil {
		return nil, err
	}
	r := &result{compared: want.totals.NonZero(), expected: want.series.NonZero(families)}
	if want.totals != nil {
		r.totals = reference.Diff(want.totals, totals, o)
	}
	r.series = reference.DiffSeries(want.series, got, families, without...)
	return r, nil
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
