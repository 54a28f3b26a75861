package torture

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/test/exposition"
	"github.com/ccwatchd/ccwatchd/test/reference"
)

// verify completes all files and scheduled actions, and compares the totals.
func (r *run) verify(ctx context.Context) error {
	if err := r.runScheduled(ctx); err != nil {
		return err
	}
	if err := r.tree.finish(); err != nil {
		return err
	}
	if err := r.restartWithTruth(ctx); err != nil {
		return err
	}
	if _, err := r.reconfigure(ctx, r.config(shortTimeout)); err != nil {
		return err
	}
	if err := r.await(ctx, "the totals are the true ones", r.checkTotals); err != nil {
		return err
	}
	// Deleted and dropped lines return. They must not be counted again.
	if err := r.tree.restoreAll(); err != nil {
		return err
	}
	if err := r.restartWithTruth(ctx); err != nil {
		return err
	}
	<-time.After(5 * time.Second) // for messages that are counted after a timeout
	if err := r.checkTotals(); err != nil {
		r.checker.fail("all files are back: %w", err)
	}
	return errors.Join(r.compareOnce(ctx), r.compareHistory(ctx), r.checkState())
}

// restartWithTruth restarts the daemon, which adds probes, and reads the true totals
// from the generated files, which no fault touches. Tests and package reference compare
// "ccwatchd once" with other programs.
func (r *run) restartWithTruth(ctx context.Context) error {
	if err := r.restart(ctx); err != nil {
		return err
	}
	truth, err := r.sandbox.once(ctx, r.tree.store, sysProcAttr(false))
	if err != nil {
		return err
	}
	totals, err := reference.TotalsOf(truth)
	r.truth, r.tree.expected = truth, withoutLines(totals)
	return err
}

// checkTotals compares the totals of the last scrape with the true totals.
func (r *run) checkTotals() error {
	_, text := r.checker.latest()
	samples, err := exposition.ParseText(text)
	if err != nil {
		return err
	}
	return r.tree.diffExpected(honest(samples), true)
}

// diffExpected compares with the expected totals and series. Totals may have
// allowances.
func (t *tree) diffExpected(got exposition.Samples, allowances bool) error {
	totals, err := reference.TotalsOf(got)
	if err != nil {
		return err
	}
	if allowances {
		totals = t.applyAllowance(totals)
	}
	if err := diffTotals(t.expected, totals); err != nil {
		return err
	}
	return reference.DiffAnyOrder(t.series, got).Err()
}

func diffTotals(want, got reference.Totals) error {
	return reference.Diff(want, withoutLines(got), reference.Options{}).Err()
}

// withoutLines removes the totals of lines, which are counted again when a file is
// read again.
func withoutLines(totals reference.Totals) reference.Totals {
	for key := range totals {
		switch key.Metric {
		case "entries", "malformed_lines", "unknown_format":
			delete(totals, key)
		}
	}
	return totals
}

// compareOnce compares every series with "ccwatchd once" over the generated files, and
// over the files in the watched tree.
func (r *run) compareOnce(ctx context.Context) error {
	last, _ := r.checker.latest()
	last = honest(last)
	watched, err := r.sandbox.once(ctx, r.tree.root, sysProcAttr(false))
	if err != nil {
		return err
	}
	for name, samples := range map[string]exposition.Samples{"generated": r.truth, "watched": watched} {
		if err := cmp.Or(checkCounts(samples, nil), checkCounts(last, samples)); err != nil {
			r.checker.fail("counts, compared with ccwatchd once (%s): %w", name, err)
		}
		if err := r.tree.diffExpected(samples, false); err != nil {
			r.checker.fail("totals of ccwatchd once over all files (%s): %w", name, err)
		}
		if err := r.tree.diffSeries(samples, last); err != nil {
			r.checker.fail("series, compared with ccwatchd once over all files (%s): %w", name, err)
		}
	}
	return nil
}

// diffSeries compares the series that were read from transcripts.
func (t *tree) diffSeries(want, got exposition.Samples) error {
	return exposition.Diff(t.comparable(want), t.comparable(got), nil).Err()
}

// comparable adds up the series over the labels that depend on the copy of a message
// that was read first: a better copy adds tokens and changes nothing else. It leaves
// out series with an allowance, whose totals applyAllowance compares, and series that
// checkCounts compares.
func (t *tree) comparable(samples exposition.Samples) map[string]float64 {
	sums := make(map[string]float64)
	persistent, _ := samples.Counters()
	for _, s := range persistent {
		if !t.compares(s.Family, string(s.Labels["kind"])) {
			continue
		}
		labels := maps.Clone(s.Labels)
		removeOrder(labels)
		if strings.HasSuffix(strings.ToLower(s.Family), "_usd_total") {
			s.Value = math.Round(s.Value * 1e9) // so that sums are exact
		}
		sums[labels.String()] += s.Value
	}
	return sums
}

// checkState searches the state for conversation text.
func (r *run) checkState() error {
	entries, err := os.ReadDir(r.sandbox.state())
	if err != nil {
		return err
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(r.sandbox.state(), e.Name()))
		switch {
		case errors.Is(err, fs.ErrNotExist): // a temporary file
		case err != nil:
			return err
		case bytes.Contains(b, []byte(marker)):
			r.checker.fail("the state has conversation text: %s", e.Name())
		}
	}
	return nil
}
