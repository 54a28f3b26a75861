package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"time"

	"github.com/ccwatchd/ccwatchd/config"
	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/daemon"
	"github.com/ccwatchd/ccwatchd/follow"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/reference"
	"github.com/ccwatchd/ccwatchd/test/reference/cut"
	"github.com/ccwatchd/ccwatchd/test/reference/naive"
)

// compareHistory cuts a tree at several times and compares the totals of the cut tree
// with the growth of the whole tree's counters until then. At full and half hours it
// uses a history with coarse intervals. It returns whether all are equal.
func compareHistory(ctx context.Context, a arguments, tree string, stdout io.Writer) (bool, error) {
	now := time.Now()
	files, err := cut.Read(tree, now)
	if err != nil {
		return false, err
	}
	detailed, err := readHistory(ctx, files.Files, math.MaxInt64)
	if err != nil {
		return false, err
	}
	coarse, err := readHistory(ctx, files.Files, 1)
	if err != nil {
		return false, err
	}
	options := reference.Options{LatencyTolerance: a.programs.tolerance, History: true}
	all := true
	for _, at := range spread(files.Cuts, a.cuts) {
		want, err := a.programs.expectCut(ctx, tree, at, now)
		if err != nil {
			return false, err
		}
		h := &detailed
		if cut.IsCoarse(at) {
			h = &coarse
		}
		// The copy of a message that was read first depends on the files.
		r, err := want.diff(reference.HistorySamples(h, at), naive.CostFamilies(), options, "project", "agent")
		if err != nil {
			return false, err
		}
		same, err := report(stdout, tree+" before "+at.Format(time.RFC3339), r)
		if err != nil {
			return false, err
		}
		all = all && same
	}
	return all, nil
}

// spread returns n of the times, at even distances, or all if there are fewer.
func spread(times []time.Time, n int) []time.Time {
	if len(times) <= n {
		return times
	}
	some := make([]time.Time, n)
	for i := range some {
		some[i] = times[(i+1)*len(times)/(n+1)]
	}
	return some
}

// expectCut returns the references' totals for a tree that is cut at a time.
func (p programs) expectCut(ctx context.Context, tree string, at, now time.Time) (want expectation, err error) {
	dir, err := os.MkdirTemp("", "compare-")
	if err != nil {
		return want, fmt.Errorf("cut transcripts: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := cut.Copy(tree, dir, at); err != nil {
		return want, err
	}
	return p.expect(ctx, dir, now)
}

// readHistory reads transcripts in this process, with the default configuration. The
// intervals of the history are short up to an age in milliseconds.
func readHistory(ctx context.Context, files []string, detailedFor int64) (counters.History, error) {
	defaults := config.Settings()
	prices, err := defaults.Pricing.Table()
	if err != nil {
		return counters.History{}, fmt.Errorf("read prices: %w", err)
	}
	reading, err := daemon.Once(ctx, daemon.Settings{
		Sources:  func() []follow.Source { return nil },
		Labeller: &defaults.Labels,
		Ledger: ledger.Options{
			Limits: defaults.Labels.MaxValues, MaxSeries: defaults.Labels.MaxSeries, Buckets: defaults.Buckets.ByFamily(),
			Prices: prices, FineHistory: detailedFor,
		},
		MaxLine: int(defaults.Limits.LineSize),
	}, slog.New(slog.DiscardHandler), files...)
	if err != nil {
		return counters.History{}, fmt.Errorf("read history: %w", err)
	}
	return reading.History(), nil
}
