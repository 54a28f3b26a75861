package daemon

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/checkpoint"
)

// Damage is told, and set aside, and what it held is counted anew from the
// transcripts.
func TestDamagedState(t *testing.T) {
	t.Parallel()
	const state, journal = "state.damaged-1", "journal-1.damaged-1"
	for name, tt := range map[string]struct {
		hurt  func(t *testing.T, dir string)
		aside []string
		told  float64
	}{
		"the snapshot":             {func(t *testing.T, dir string) { flip(t, filepath.Join(dir, "state"), 50) }, []string{journal, state}, 2},
		"the snapshot is cut":      {func(t *testing.T, dir string) { cut(t, filepath.Join(dir, "state"), 50) }, []string{journal, state}, 2},
		"the journal":              {func(t *testing.T, dir string) { flip(t, newestJournal(t, dir), 70) }, []string{journal}, 1},
		"the journal is cut":       {func(t *testing.T, dir string) { cut(t, newestJournal(t, dir), 70) }, nil, 0},
		"a step that is none":      {appendStrangeStep, []string{journal}, 1},
		"the journal is not there": {removeJournal, nil, 1},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write("p/a.jsonl", said("a", 2))
			w.start()
			w.add("p/a.jsonl", said("b", 1)+open("c"))
			w.shows(counted(3, 3))
			state := w.TempDir()
			w.copyState(state, nil)
			w.halt()
			tt.hurt(t, state)
			// To a server it is another daemon now.
			w.state, w.scrapes = state, newScraper(t)
			w.start()
			w.shows(counted(3, 3))
			w.quiet()
			w.shows(totals{requests: 4})
			aside := slices.DeleteFunc(w.names(), func(name string) bool { return !strings.Contains(name, "damaged") })
			if !slices.Equal(aside, tt.aside) {
				t.Errorf("%v are set aside, want %v", aside, tt.aside)
			}
			if told := w.metric(damaged); told != tt.told {
				t.Errorf("%s = %v, want %v", damaged, told, tt.told)
			}
			w.restart()
			w.shows(totals{requests: 4})
			if told := w.metric(damaged); told != 0 {
				t.Errorf("the damage is told again: %v", told)
			}
		})
	}
}

func removeJournal(t *testing.T, dir string) {
	t.Helper()
	if err := os.Remove(newestJournal(t, dir)); err != nil {
		t.Fatal(err)
	}
}

// flip changes a byte of a file.
func flip(t *testing.T, name string, at int) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil || len(b) <= at {
		t.Fatalf("%s has %d bytes, %v", name, len(b), err)
	}
	b[at] ^= 0x55
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// cut cuts a file.
func cut(t *testing.T, name string, at int64) {
	t.Helper()
	if info, err := os.Stat(name); err != nil || info.Size() <= at {
		t.Fatalf("%s: %v, %v", name, info, err)
	}
	if err := os.Truncate(name, at); err != nil {
		t.Fatal(err)
	}
}

// appendStrangeStep adds a step to the state's journals that is none.
func appendStrangeStep(t *testing.T, dir string) { appendStep(t, dir, []byte{250, 1, 2}) }

// appendStep adds a step to the state's journals, as it would be written.
func appendStep(t *testing.T, dir string, step []byte) {
	t.Helper()
	other := t.TempDir()
	s, err := checkpoint.Open(other)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(func([]byte) error { return nil }, func([]byte) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Rotate(); err != nil {
		t.Fatal(err)
	}
	empty, err := os.ReadFile(newestJournal(t, other))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Append(step), s.Close()); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(newestJournal(t, other))
	if err != nil {
		t.Fatal(err)
	}
	if err := appendTo(newestJournal(t, dir), string(whole[len(empty):])); err != nil {
		t.Fatal(err)
	}
}

// A state is taken over by a daemon with other caps.
func TestStateOfOtherCaps(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.settings.Ledger.Limits = map[string]int{"project": 1}
	w.write("p/a.jsonl", said("a", 1)+said("b", 1))
	w.start()
	const projectA, projectB, projectC, other = `claude_prompts_total{kind="text",project="a"}`, `claude_prompts_total{kind="text",project="b"}`,
		`claude_prompts_total{kind="text",project="c"}`, `claude_prompts_total{kind="text",project="other"}`
	check := func(want totals) {
		t.Helper()
		w.shows(totals{requests: want[projectA] + want[projectB] + want[projectC] + want[other]})
		got := maps.Clone(w.totals())
		maps.DeleteFunc(got, func(series string, _ uint64) bool { return !strings.HasPrefix(series, "claude_prompts_total") })
		if d := got.diff(want); d != "" {
			t.Error(d)
		}
	}
	check(totals{projectA: 1, other: 1})
	w.settings.Ledger.Limits = map[string]int{"project": 2}
	w.restart()
	check(totals{projectA: 1, other: 1})
	w.add("p/a.jsonl", said("c", 1))
	check(totals{projectA: 1, other: 1, projectC: 1})
	w.settings.Ledger.Limits = map[string]int{"project": 0}
	w.die(nil, func() {
		w.add("p/a.jsonl", said("d", 1)+(&talk{Name: "e", ID: "c", CWD: "/home/dev/c"}).Prompt("more").Reply(reply{ID: "e", Stop: "end_turn"}).String())
	})
	check(totals{projectA: 1, other: 2, projectC: 2})
}

// Nobody but its user can read the state, and two daemons cannot have it.
func TestStateIsOurs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.state = filepath.Join(t.TempDir(), "new", "state")
	w.write("p/a.jsonl", said("a", 1))
	w.start()
	w.shows(counted(1, 1))
	for _, name := range append(w.names(), "") {
		info, err := os.Stat(filepath.Join(w.state, name))
		if err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%q has mode %v", name, info.Mode())
		}
	}
	_, err := New(w.options())
	if locked := (*checkpoint.LockedError)(nil); !errors.As(err, &locked) || locked.PID != os.Getpid() {
		t.Errorf("another daemon: %v, want *checkpoint.LockedError with pid %d", err, os.Getpid())
	}
}

// names are the files of the state.
func (w *world) names() []string {
	w.Helper()
	entries, err := os.ReadDir(w.state)
	if err != nil {
		w.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// A catch-up that is stopped goes on where it was.
func TestStoppedBeforeItCaughtUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	of := generate(7, options{Copies: true, Size: 8})
	of.Write(t, w.dir)
	for range 5 {
		w.launch()
		w.eventually("a file being read", func() bool { return w.d.Progress().Files > 0 || w.d.Ready() })
		w.halt()
	}
	w.start()
	w.quiet()
	w.settlesTo(w.once(unordered...), unordered...)
}
