package torture

import (
	"fmt"
	"strings"
	"time"
)

// A Summary describes a run and its result.
type Summary struct {
	Options Options
	Took    time.Duration
	// Failure is the first failure of the daemon, nil if there was none.
	Failure error

	rows [][2]string
}

func (r *run) summary() *Summary {
	s := &Summary{Options: r.Options, Took: time.Since(r.started), Failure: r.checker.failure}
	add := func(name string, value any) { s.rows = append(s.rows, [2]string{name, fmt.Sprint(value)}) }
	add("seed", r.Seed)
	add("duration", s.Took.Round(time.Second))
	add("steps", r.step)
	add("lines written", r.tree.lines)
	add("MB written", r.tree.bytes>>20)
	add("files", len(r.tree.files)+len(r.tree.deleted))
	for _, name := range []string{starts, kills, termKills, terms} {
		add(name, r.count[name])
	}
	for _, f := range faults() {
		add(f.name, r.count[f.name])
	}
	for _, a := range abuses() {
		add(a.name, r.count[a.name])
	}
	if r.sandbox.readsAll {
		add("hidden", "never: the daemon ran as root")
	}
	add("files deleted", r.count["files deleted"])
	add("slowest new session", r.slowest.Round(time.Millisecond))
	add("most keys", r.checker.most["ccwatchd_dedup_keys"])
	add("keys forgotten", r.checker.most["ccwatchd_forgotten_keys_total"])
	add("scrapes", r.checker.scrapes)
	add("most goroutines", r.checker.most["go_goroutines"])
	add("most descriptors", r.checker.most["process_open_fds"])
	add("most memory, MB", int(r.checker.most["process_resident_memory_bytes"])>>20)
	return s
}

// String returns a table, and the result below it.
func (s *Summary) String() string {
	var b strings.Builder
	for _, row := range s.rows {
		fmt.Fprintf(&b, "%-20s %12s\n", row[0], row[1])
	}
	if s.Failure != nil {
		fmt.Fprintf(&b, "FAILED with seed %d: %v\n", s.Options.Seed, s.Failure)
		fmt.Fprintf(&b, "To repeat it: go run ./test/torture/run --seed=%d --duration=%v --rate=%d --kills=%v --keep=DIR\n",
			s.Options.Seed, s.Options.Duration, s.Options.Rate, s.Options.Kills)
	} else {
		b.WriteString("Nothing was lost, nothing was counted twice, and no counter fell.\n")
	}
	return b.String()
}

// progress prints a line every few seconds.
func (r *run) progress() {
	const every = 5 * time.Second
	if time.Since(r.lastProgress) < every {
		return
	}
	r.lastProgress = time.Now()
	done := 0
	for _, f := range faults() {
		done += r.count[f.name]
	}
	_, _ = fmt.Fprintf(r.Progress, "torture: %v of %v: %d lines written, %d kills, %d other faults\n",
		time.Since(r.started).Round(time.Second), r.Duration, r.tree.lines, r.count[kills], done)
}
