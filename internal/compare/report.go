package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A report is all that is told of a comparison.
type report struct {
	date     time.Time
	command  string // that repeats it
	machine  string
	corpus   *corpus
	rounds   int
	programs []*program
	absent   []string // programs that could not be had, and why
}

// markdown returns the report in its final form.
func (r *report) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Measured on %s on %s: %s MB of session files, %s files with %s lines, in the page cache; medians of %s.\n",
		r.date.Format(time.DateOnly), r.machine, megabytes(r.corpus.size), grouped(int64(len(r.corpus.files))), grouped(r.corpus.lines), rounds(r.rounds))
	if r.command != "" {
		fmt.Fprintf(&b, "To repeat it: `%s`.\n", r.command)
	}
	b.WriteString("\n" + r.costs() + "\n" + r.totals() + "\n" + r.notes())
	return b.String()
}

func rounds(n int) string {
	if n == 1 {
		return "one round"
	}
	return fmt.Sprintf("%d rounds", n)
}

// costs is the table of what each program took.
func (r *report) costs() string {
	var b strings.Builder
	b.WriteString("| program | wall time | × `" + baseline + "` | CPU time | peak memory | MB/s |\n|---|--:|--:|--:|--:|--:|\n")
	bounded := false
	for _, p := range r.measured() {
		memory := median(values(p.samples, func(s sample) int64 { return s.peak }))
		atMost := slices.ContainsFunc(p.samples, sample.atFloor)
		bounded = bounded || atMost && memory > 0
		wall := median(values(p.samples, wall))
		cpu := median(values(p.samples, func(s sample) time.Duration { return s.cpu }))
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %.0f |\n", p.name, seconds(wall), r.ratio(p), seconds(cpu),
			memoryCell(memory, atMost), float64(r.corpus.size)/1e6/wall.Seconds())
	}
	if bounded {
		b.WriteString("\n≤: less than the measuring program itself, whose memory Linux counts for whatever it starts.\n")
	}
	return b.String()
}

// measured are the programs that went through all rounds.
func (r *report) measured() []*program {
	var all []*program
	for _, p := range r.programs {
		if p.failure == nil && len(p.samples) > 0 {
			all = append(all, p)
		}
	}
	return all
}

// ratio says how many times as long as the baseline a program took.
func (r *report) ratio(p *program) string {
	for _, b := range r.measured() {
		if b.name == baseline {
			return fmt.Sprintf("%.1f", pairedRatio(p.samples, b.samples))
		}
	}
	return "–"
}

func memoryCell(peak int64, atMost bool) string {
	switch {
	case peak == 0:
		return "–"
	case atMost:
		return "≤ " + megabytes(peak) + " MB"
	default:
		return megabytes(peak) + " MB"
	}
}

// totals is the table of what each program counted. The truth is its first row.
func (r *report) totals() string {
	var b strings.Builder
	b.WriteString("| tokens | input | output | cache write | cache read |\n|---|--:|--:|--:|--:|\n")
	if r.corpus.truth != nil {
		b.WriteString("| truth" + cells(*r.corpus.truth, nil) + " |\n")
	}
	for _, p := range r.measured() {
		if p.tokens != nil {
			b.WriteString("| `" + p.name + "`" + cells(*p.tokens, r.corpus.truth) + " |\n")
		}
	}
	return b.String()
}

// cells are the cells of one row of totals, with how far they are from the truth
// if that is known.
func cells(t tokens, truth *tokens) string {
	var b strings.Builder
	for _, kind := range kinds {
		n := *kind.of(&t)
		b.WriteString(" | " + grouped(n))
		if truth != nil {
			b.WriteString(" (" + deviation(n, *kind.of(truth)) + ")")
		}
	}
	return b.String()
}

// notes say what was run, and what could not be.
func (r *report) notes() string {
	var b strings.Builder
	for _, p := range r.measured() {
		fmt.Fprintf(&b, "- `%s`: %s\n", p.name, p.note)
	}
	for _, reason := range r.absent {
		fmt.Fprintf(&b, "- Left out, %s\n", reason)
	}
	for _, p := range r.programs {
		if p.failure != nil {
			fmt.Fprintf(&b, "- Left out, %s: %v\n", p.name, p.failure)
		}
	}
	return b.String()
}
