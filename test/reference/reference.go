// Package reference compares the counters of ccwatchd with the totals of an independent
// program, the reference, for the same transcripts.
//
// The reference reads a tree at rest and prints its totals as lines of
//
//	metric <TAB> label=value,label=value <TAB> integer
//
// which [ParseTSV] parses; [ParseExposition] parses an exposition of ccwatchd. Both
// give [Totals] under the same keys, so that [Diff] compares two maps. One table (see
// correspondences) maps metrics to families and labels to labels. The metrics without
// a family are listed too, so that an unknown metric is an error.
//
// The two sides may differ in these ways only:
//
//   - A total of zero and a missing total are equal: the reference omits zeros,
//     ccwatchd exposes some families at zero from the start.
//   - The reference keeps names as written, ccwatchd cleans them (see
//     [transcript.Clean]). Names of the reference are cleaned here; the totals of names
//     that become equal are added up.
//   - Bytes that are not UTF-8 may become one U+FFFD or several, depending on the
//     language; a run of them counts as one.
//
// The reference does not have a few metrics (see optional), which are compared only
// between two expositions. Package naive computes costs and everything else that the
// reference does not know; [DiffSeries] compares with its series.
//
// If a label has more values than its limit in ccwatchd, the rest is counted as
// "other" and cannot be compared: raise the limit for such a tree.
package reference

import (
	"maps"
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/test/exposition"
)

// A Key names one total by the reference's own names.
type Key struct {
	Metric string
	Labels string // "name=value,name=value", sorted by name, with cleaned values
}

func (k Key) String() string { return k.Metric + "{" + k.Labels + "}" }

// Totals are the totals of a tree. Totals of zero may be absent.
type Totals map[Key]int64

// NonZero returns the number of totals that are not zero.
func (t Totals) NonZero() int {
	n := 0
	for _, v := range t {
		if v != 0 {
			n++
		}
	}
	return n
}

// Add adds other totals to these.
func (t Totals) Add(other Totals) {
	for key, n := range other {
		t[key] += n
	}
}

// A Difference is a total that differs between the reference and ccwatchd.
type Difference = exposition.Difference[Key, int64]

// Differences are sorted by metric and labels.
type Differences = exposition.Differences[Key, int64]

// Options relax a comparison. The zero Options allow no difference.
type Options struct {
	// LatencyTolerance is how far the summed latency of a tool may be off. Where a history
	// was copied with new timestamps (Claude Code 2.0.8), the reference takes the earliest
	// copy, and ccwatchd the first that it reads.
	LatencyTolerance time.Duration
	// History is for totals from HistorySamples. Malformed lines state no time, so they
	// are not compared, and two entries in each may be missing that state no time either.
	// There may be fewer sessions: a fork repeats lines of its session from some line on,
	// and if ccwatchd reads the fork first, the session counts at that line.
	History bool

	malformed int64 // number of malformed lines expected
}

func (o Options) equal(key Key, want, got int64) bool {
	var tolerance int64
	switch {
	case o.History && key.Metric == malformedMetric:
		return true
	case o.History && key.Metric == sessionsMetric:
		return got <= want
	case o.History && key.Metric == entriesMetric:
		return got <= want && want-got <= 2*o.malformed
	case key.Metric == latencyMetric:
		tolerance = o.LatencyTolerance.Milliseconds()
	}
	return max(got-want, want-got) <= tolerance
}

// Diff returns the differences between two sets of totals.
func Diff(want, got Totals, o Options) Differences {
	got = maps.Clone(got)
	isOptional := func(key Key) bool { return slices.Contains(optional, key.Metric) }
	if !slices.ContainsFunc(slices.Collect(maps.Keys(want)), isOptional) {
		maps.DeleteFunc(got, func(key Key, _ int64) bool { return isOptional(key) })
	}
	for key, n := range want {
		if key.Metric == malformedMetric {
			o.malformed += n
		}
	}
	return exposition.Diff(want, got, o.equal)
}
