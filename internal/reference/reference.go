// Package reference compares what ccwatchd shows with what an independent
// program found in the same transcripts.
//
// The reference reads a tree at rest and prints its totals as lines of
//
//	metric <TAB> label=value,label=value <TAB> integer
//
// which [Expected] parses; [Shown] parses an exposition of ccwatchd. Both give
// [Totals] under the same keys, so that [Diff] is a comparison of two maps.
// Which family stands for which metric, and which label for which label, is one
// table (see correspondences); what ccwatchd does not show is listed too, so a
// metric that nobody has thought about is an error and not a silent success.
//
// The two sides may legitimately write one thing in two ways, and only in these:
//
//   - A total of zero and no total are the same: the reference leaves zeros
//     out, ccwatchd shows some families at zero from the start.
//   - The reference keeps names as they were written, ccwatchd cleans them
//     (see [transcript.Clean]). The reference's are cleaned here; names that
//     become equal are added up.
//   - Bytes that are not UTF-8 may become one U+FFFD or several, depending on
//     the language; a run of them counts as one.
//
// A few metrics are known to a generated corpus and not to the reference (see
// corpusOnly). They are compared only with the totals of a corpus.
//
// A label with more values than ccwatchd's limit for it has the rest under
// "other" and cannot be compared: raise the limit for such a tree.
package reference

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

// A Key names one total by the reference's own names.
type Key struct {
	Metric string
	Labels string // "name=value,name=value", the names sorted, the values cleaned
}

// Totals are the totals of a tree. Those of zero may be absent.
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

// ofCorpus reports whether the totals hold what only a generated corpus knows.
func (t Totals) ofCorpus() bool {
	for key := range t {
		if slices.Contains(corpusOnly, key.Metric) {
			return true
		}
	}
	return false
}

// A Difference is one total on which the two sides do not agree.
type Difference struct {
	Key
	Want int64 // what the reference found; 0 when it found nothing
	Got  int64 // what ccwatchd shows; 0 when it shows nothing
}

// What says in one word how the sides differ: "missing" when ccwatchd shows
// nothing, "extra" when the reference found nothing, else "differs".
func (d Difference) What() string {
	switch {
	case d.Got == 0:
		return "missing"
	case d.Want == 0:
		return "extra"
	default:
		return "differs"
	}
}

// String tells the difference in one line.
func (d Difference) String() string {
	return fmt.Sprintf("%s{%s} %s: want %d, got %d", d.Metric, d.Labels, d.What(), d.Want, d.Got)
}

// Options are what may be let pass. The zero Options let nothing pass.
type Options struct {
	// LatencyTolerance is by how much the summed latency of a tool may differ.
	// Where a history was copied with new timestamps (Claude Code 2.0.8), the
	// reference takes the earliest copy and ccwatchd the first that it reads.
	LatencyTolerance time.Duration
}

// tolerance returns by how much a total may differ.
func (o Options) tolerance(metric string) int64 {
	if metric == latencyMetric {
		return o.LatencyTolerance.Milliseconds()
	}
	return 0
}

// Compare reads the totals of the reference and an exposition in the text
// format, and returns on what they differ, in the order of the keys. An error
// means that one of them could not be read, so that nothing was compared.
func Compare(expected, exposition io.Reader, o Options) ([]Difference, error) {
	want, err := Expected(expected)
	if err != nil {
		return nil, err
	}
	got, err := Shown(exposition)
	if err != nil {
		return nil, err
	}
	return Diff(want, got, o), nil
}

// Diff returns on what two sets of totals differ, in the order of the keys.
func Diff(want, got Totals, o Options) []Difference {
	all := maps.Clone(want)
	if all == nil {
		all = make(Totals)
	}
	maps.Copy(all, got)
	if !want.ofCorpus() {
		maps.DeleteFunc(all, func(key Key, _ int64) bool { return slices.Contains(corpusOnly, key.Metric) })
	}
	var out []Difference
	for key := range all {
		d := Difference{Key: key, Want: want[key], Got: got[key]}
		if off := d.Got - d.Want; max(off, -off) > o.tolerance(key.Metric) {
			out = append(out, d)
		}
	}
	slices.SortFunc(out, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.Metric, b.Metric), cmp.Compare(a.Labels, b.Labels))
	})
	return out
}
