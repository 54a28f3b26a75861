package torture

import (
	"fmt"
	"strings"
	"time"
)

// A Summary says what was done in a run, and how the daemon came through.
type Summary struct {
	Options Options
	Took    time.Duration
	// Verdict is the first thing that was wrong with the daemon, nil if nothing was.
	Verdict error

	rows [][2]string
}

func (r *run) summary() *Summary {
	s := &Summary{Options: r.Options, Took: time.Since(r.began), Verdict: r.judge.verdict}
	add := func(name string, value any) { s.rows = append(s.rows, [2]string{name, fmt.Sprint(value)}) }
	add("seed", r.Seed)
	add("duration", s.Took.Round(time.Second))
	add("steps", r.step)
	add("lines written", r.tree.lines)
	add("MB written", r.tree.bytes>>20)
	add("files", len(r.tree.files)+len(r.tree.gone))
	for _, name := range []string{starts, kills, haste, terms} {
		add(name, r.count[name])
	}
	for _, f := range faults() {
		add(f.name, r.count[f.name])
	}
	if r.place.readsAll {
		add("hidden", "nothing could be: the daemon ran as root")
	}
	add("files deleted", r.count["files deleted"])
	add("slowest of awaited", r.slowest.Round(time.Millisecond))
	add("scrapes", r.judge.scrapes)
	add("most goroutines", r.judge.most["go_goroutines"])
	add("most descriptors", r.judge.most["process_open_fds"])
	add("most memory, MB", int(r.judge.most["process_resident_memory_bytes"])>>20)
	return s
}

// String is a table, and the verdict below it.
func (s *Summary) String() string {
	var b strings.Builder
	for _, row := range s.rows {
		fmt.Fprintf(&b, "%-20s %12s\n", row[0], row[1])
	}
	if s.Verdict != nil {
		fmt.Fprintf(&b, "FAILED with seed %d: %v\n", s.Options.Seed, s.Verdict)
		fmt.Fprintf(&b, "To repeat it: go run ./internal/torture/run --seed=%d --duration=%v --rate=%d --kills=%v --keep=DIR\n",
			s.Options.Seed, s.Options.Duration, s.Options.Rate, s.Options.Kills)
	} else {
		b.WriteString("Nothing was lost, nothing was counted twice, and no counter fell.\n")
	}
	return b.String()
}

// progress tells how far it is, every few seconds.
func (r *run) progress() {
	const every = 5 * time.Second
	if time.Since(r.told) < every {
		return
	}
	r.told = time.Now()
	done := 0
	for _, f := range faults() {
		done += r.count[f.name]
	}
	_, _ = fmt.Fprintf(r.Progress, "torture: %v of %v: %d lines written, %d kills, %d other faults\n",
		time.Since(r.began).Round(time.Second), r.Duration, r.tree.lines, r.count[kills], done)
}
