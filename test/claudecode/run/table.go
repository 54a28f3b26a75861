package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/ccwatchd/ccwatchd/test/claudecode/api"
	"github.com/ccwatchd/ccwatchd/test/claudecode/judge"
	"github.com/ccwatchd/ccwatchd/test/claudecode/version"
)

// A table is the printed report of a version.
type table struct {
	version version.Version
	results []result
	took    time.Duration
	known   judge.Vocabulary
}

// print prints the table and reports whether something differs.
func (t table) print(w io.Writer) (failed bool) {
	_, _ = fmt.Fprintf(w, "\nClaude Code %v, %d scenarios in %v. Tokens:\n\n", t.version, len(t.results), t.took.Round(time.Second))
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprint(columns, "scenario\tserved\tcounted\tdifference\trequests\t  reason\n")
	var served, counted int
	for _, r := range t.results {
		s, c := total(r.ServedTokens), total(r.CountedTokens)
		served, counted = served+s, counted+c
		_, _ = fmt.Fprintf(columns, "%s\t%d\t%d\t%d\t%d\t  %s\n", r.Scenario.Name, s, c, c-s, len(r.Served), reasons(r))
	}
	_, _ = fmt.Fprintf(columns, "total\t%d\t%d\t%d\t\t\n", served, counted, counted-served)
	_ = columns.Flush()
	failed = t.printProblems(w)
	t.printLines(w)
	t.printFresh(w)
	return failed
}

func total(tokens api.Tokens) (n int) {
	for _, count := range tokens {
		n += count
	}
	return n
}

// reasons states why a result has a difference, or that it has problems.
func reasons(r result) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(r.Reasons)) {
		parts = append(parts, fmt.Sprintf("%s (%d)", name, r.Reasons[name]))
	}
	if len(r.Problems) > 0 {
		parts = append(parts, fmt.Sprintf("%d PROBLEMS", len(r.Problems)))
	}
	return strings.Join(parts, ", ")
}

// maxShown limits the problems that are printed of a scenario.
const maxShown = 12

func (t table) printProblems(w io.Writer) (failed bool) {
	for _, r := range t.results {
		if len(r.Problems) > 0 {
			failed = true
			shown := r.Problems[:min(len(r.Problems), maxShown)]
			_, _ = fmt.Fprintf(w, "\nPROBLEMS of %s, in %s:\n  %s\n", r.Scenario.Name, r.dir, strings.Join(shown, "\n  "))
			if more := len(r.Problems) - len(shown); more > 0 {
				_, _ = fmt.Fprintf(w, "  and %d more\n", more)
			}
		}
	}
	return failed
}

// printLines prints the kinds of lines.
func (t table) printLines(w io.Writer) {
	counts := make(map[string]int)
	for _, r := range t.results {
		for _, l := range r.Lines {
			counts[l.Kind]++
		}
	}
	_, _ = fmt.Fprintf(w, "\nLines by kind, %d kinds:", len(counts))
	for i, kind := range slices.Sorted(maps.Keys(counts)) {
		separator := ", "
		if i%4 == 0 {
			separator = "\n  "
		}
		_, _ = fmt.Fprintf(w, "%s%s %d", separator, kind, counts[kind])
	}
	_, _ = fmt.Fprintln(w)
}

// vocabulary returns the vocabulary of all results.
func (t table) vocabulary() judge.Vocabulary {
	v := judge.Vocabulary{}
	for _, r := range t.results {
		v.Collect(r.Lines)
	}
	return v
}

// printFresh prints the entries that the list of known fields lacks.
func (t table) printFresh(w io.Writer) {
	fresh := t.vocabulary().New(t.known)
	_, _ = fmt.Fprintf(w, "\nNot in the list of known lines, fields and values: %d\n", len(fresh))
	for _, entry := range fresh {
		_, _ = fmt.Fprintln(w, "  "+entry)
	}
}
