package daemon

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ccwatchd/ccwatchd/checkpoint"
)

// A moment is the state of a daemon at one time, the transcripts then, and what
// must come of them.
type moment struct {
	*world
	saved string // directory of the state
	want  totals
}

// whatever tells of the way and not of what there is: how often something was
// read, and which of two copies came first.
var whatever = append([]string{
	"ccwatchd_duplicates_total", "ccwatchd_file_resets_total", "ccwatchd_lines_total", "ccwatchd_read_bytes_total",
}, aside...)

// busy returns the moment at which a daemon dies that has met about everything: a
// fork in another project, a file that was deleted and came back, a message that
// quiet settled and one that waits.
func busy(t *testing.T) moment {
	t.Helper()
	w := newWorld(t)
	w.settings.Journal = 1 << 30 // no snapshot takes the steps away
	w.write("p/a.jsonl", said("a", 2))
	w.start()
	w.shows(counted(2, 1))
	w.add("p/a.jsonl", said("b", 1)+open("c"))
	w.shows(counted(3, 3))
	w.quiet()
	w.shows(totals{requests: 4})
	w.write("q/fork.jsonl", said("b", 2))
	w.shows(totals{requests: 5})
	w.remove("p/a.jsonl")
	w.eventually("the file being missed", func() bool { return w.files() == 1 })
	w.write("p/new", said("a", 3)+said("b", 1)+open("c"))
	w.rename("p/new", "p/a.jsonl")
	w.shows(totals{requests: 6})
	w.appears("q/d.jsonl", open("d"))
	w.eventually("a message that waits", func() bool { return w.unsettled() == 1 })
	m := moment{w, w.TempDir(), nil}
	w.copyState(m.saved, nil)
	w.quiet()
	w.shows(totals{requests: 7})
	m.want = w.totals(whatever...)
	w.halt()
	return m
}

// comesBack starts a daemon with a state that something was done to, and reports
// how much of it was damaged.
func (m moment) comesBack(harm func(dir string) error) (damages float64) {
	m.Helper()
	w := &world{TB: m.TB, dir: m.dir, state: m.TempDir(), settings: m.settings, log: m.log, scrapes: newScraper(m.TB)}
	w.ahead.Store(m.ahead.Load())
	copyDir(m, m.saved, w.state)
	if err := harm(w.state); err != nil {
		m.Fatal(err)
	}
	w.start()
	defer w.halt()
	w.comesTo(m.want, whatever...)
	return w.metric(damaged)
}

// What a power failure takes of the journal, be it everything since it was begun,
// is read again. Steps that are whole leave no trace that any are missing.
func TestPowerFailure(t *testing.T) {
	t.Parallel()
	m := busy(t)
	steps := stepsOf(t, m.saved)
	if len(steps) < 10 {
		t.Fatalf("only %d steps to lose", len(steps))
	}
	for _, s := range steps {
		damages := m.comesBack(func(dir string) error { return os.Truncate(newestJournal(t, dir), s.from) })
		if t.Failed() || damages != 0 {
			t.Fatalf("the journal ends at %d with %v damages", s.from, damages)
		}
	}
}

// A journal or a snapshot that is cut or wrong anywhere is told, unless it only
// ends within a step, and nothing is counted twice or not at all.
func TestStateDamagedAnywhere(t *testing.T) {
	t.Parallel()
	m := busy(t)
	try := func(what string, damages float64, harm func(dir string) error) {
		if got := m.comesBack(harm); t.Failed() || got != damages {
			t.Fatalf("%s: %v damages, want %v", what, got, damages)
		}
	}
	for _, s := range stepsOf(t, m.saved) {
		for _, at := range []int64{s.from, (s.from + s.to) / 2, s.to - 1} {
			try(fmt.Sprint("journal wrong at ", at), 1, func(dir string) error { return wrong(newestJournal(t, dir), at) })
		}
		try(fmt.Sprint("journal cut at ", s.to-1), 0, func(dir string) error { return os.Truncate(newestJournal(t, dir), s.to-1) })
	}
	info, err := os.Stat(filepath.Join(m.saved, "state"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(20) {
		at := i * (info.Size() - 1) / 19
		// The journal that continues it goes with it.
		try(fmt.Sprint("snapshot wrong at ", at), 2, func(dir string) error { return wrong(filepath.Join(dir, "state"), at) })
		try(fmt.Sprint("snapshot cut at ", at), 2, func(dir string) error { return os.Truncate(filepath.Join(dir, "state"), at) })
	}
}

// wrong changes one bit of a byte of a file.
func wrong(name string, at int64) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	b[at] ^= 1 << (at % 8)
	return os.WriteFile(name, b, 0o600)
}

// An extent is where a step stands in a journal.
type extent struct{ from, to int64 }

// stepsOf returns where the steps of the newest journal stand.
func stepsOf(t *testing.T, dir string) []extent {
	t.Helper()
	b, err := os.ReadFile(newestJournal(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	const frame = 12 // bytes before a step, the first four of which are its length
	var all []extent
	for at := emptyJournal(t); at < int64(len(b)); {
		end := at + frame + int64(binary.LittleEndian.Uint32(b[at:]))
		all = append(all, extent{at, end})
		at = end
	}
	if last := all[len(all)-1].to; last != int64(len(b)) {
		t.Fatalf("the last step ends at %d of %d", last, len(b))
	}
	return all
}

// emptyJournal is the length of a journal without a step.
func emptyJournal(t *testing.T) int64 {
	t.Helper()
	dir := t.TempDir()
	s, err := checkpoint.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Rotate()
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(newestJournal(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
