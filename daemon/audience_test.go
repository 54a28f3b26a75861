package daemon

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A visit is that of a viewer, some time after the one before it, who is shown what
// was new in so many showings.
type visit struct {
	name     string
	after    time.Duration
	showings uint64
}

// Everybody who comes regularly is waited for, and nobody else is.
func TestEverybodyHasSeen(t *testing.T) {
	const s, m = time.Second, time.Minute
	for name, c := range map[string]struct {
		visits []visit
		want   []uint64 // up to which showing everybody had seen, for each visit
	}{
		"one": {
			[]visit{{"a", 0, 1}, {"a", s, 1}, {"a", s, 2}, {"a", s, 2}, {"a", m, 3}, {"a", m, 3}},
			[]uint64{0, 1, 1, 2, 2, 3},
		},
		"two, one of which comes less often": {
			[]visit{{"a", 0, 1}, {"b", 0, 1}, {"a", 15 * s, 1}, {"a", 45 * s, 1}, {"b", 0, 1}, {"a", s, 2}, {"a", 15 * s, 2}, {"b", 44 * s, 2}, {"a", s, 2}},
			[]uint64{0, 0, 1, 1, 1, 1, 1, 1, 2},
		},
		"one who looks in is not waited for, and takes nothing away": {
			[]visit{{"a", 0, 1}, {"a", s, 1}, {"x", 0, 2}, {"a", s, 2}, {"a", s, 2}},
			[]uint64{0, 1, 0, 1, 2},
		},
		"one who comes seldom is not waited for": {
			[]visit{{"a", 0, 1}, {"x", 0, 1}, {"a", m, 1}, {"x", 2 * m, 1}, {"a", 0, 2}, {"a", s, 2}},
			[]uint64{0, 0, 1, 1, 1, 2},
		},
		"one who stays away was waited for": {
			[]visit{{"a", 0, 1}, {"b", 0, 1}, {"a", s, 1}, {"b", 0, 1}, {"a", s, 2}, {"a", 11 * s, 2}, {"a", s, 2}},
			[]uint64{0, 0, 1, 1, 1, 1, 2},
		},
		"somebody under another name each time": {
			[]visit{{"1", 0, 1}, {"2", m, 1}, {"3", 4 * m, 1}, {"4", 4 * m, 1}, {"5", m, 1}, {"6", m, 2}, {"7", 4 * m, 2}, {"8", 5 * m, 2}},
			[]uint64{0, 0, 0, 0, 1, 0, 1, 2},
		},
		"a server behind two addresses": {
			[]visit{{"a", 0, 1}, {"b", s, 1}, {"a", s, 2}, {"b", s, 2}, {"a", s, 2}, {"b", s, 3}, {"a", s, 3}, {"b", s, 3}},
			[]uint64{0, 0, 1, 1, 2, 2, 2, 3},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var all audience
			now := time.Unix(1_000_000, 0)
			for i, v := range c.visits {
				now = now.Add(v.after)
				got := max(all.come(nameOf(v.name), now), all.overdue(now))
				all.saw(nameOf(v.name), v.showings)
				if got != c.want[i] {
					t.Errorf("visit %d, of %s: everybody has seen up to %d, want %d", i, v.name, got, c.want[i])
				}
			}
		})
	}
}

// There are only so many who are remembered: those that came last.
func TestViewersAreForgotten(t *testing.T) {
	var all audience
	now := time.Unix(1_000_000, 0)
	visit := func(name string, showings uint64) uint64 {
		now = now.Add(time.Millisecond)
		seen := all.come(nameOf(name), now)
		all.saw(nameOf(name), showings)
		return seen
	}
	visit("a", 1)
	for i := range maxViewers - 1 {
		visit(strconv.Itoa(i), 2)
	}
	if seen := visit("a", 3); seen != 1 {
		t.Errorf("it has seen %d, want 1", seen)
	}
	for i := range maxViewers {
		visit(fmt.Sprint("other", i), 4)
	}
	if seen := visit("a", 5); seen != 0 || len(all.known) != maxViewers {
		t.Errorf("it has seen %d, and %d are known, want 0 and %d", seen, len(all.known), maxViewers)
	}
}

// Each of two servers sees a series begin at zero, whoever comes first, and neither
// sees it fall.
func TestSeriesBeginForEverybody(t *testing.T) {
	s := &shared{state: newState(settingsFor().Ledger, 0)}
	s.do(&openStep{file: ledger.File{ID: 1, Kind: transcript.Main}})
	prompts := func(viewer string, now time.Time) (shown uint64) {
		t.Helper()
		var snap ledger.Snapshot
		if !s.show(&snap, viewer, now) {
			t.Fatal("nothing is shown")
		}
		s.saw(viewer, snap.Showing)
		for _, f := range snap.Families {
			for i := range f.Samples {
				if f.Family.Name == "claude_prompts_total" {
					shown += f.Samples[i].Value
				}
			}
		}
		return shown
	}
	var got []uint64
	now := time.Unix(1_000_000, 0)
	look := func(viewers ...string) {
		for _, v := range viewers {
			now = now.Add(time.Second)
			got = append(got, prompts(v, now))
		}
	}
	look("a", "b", "a", "b")
	prompt := transcript.Entry{Type: "user", UUID: transcript.Key{1}, Prompt: &transcript.Prompt{Kind: "text", TextKey: transcript.Key{2}}}
	s.do(&readStep{batch: ledger.Batch{File: 1, Entries: []transcript.Entry{prompt}}})
	look("a", "x", "a", "b", "a", "b")
	if want := []uint64{0, 0, 0, 0, 0, 0, 0, 0, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("got %d, want %d", got, want)
	}
}

// Who came regularly is waited for after a restart, and after a crash, too: for as
// long as one can take who comes seldom.
func TestRegularsAreAwaitedAfterARestart(t *testing.T) {
	for name, again := range map[string]func(*world){"restart": (*world).restart, "crash": (*world).dies} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.start()
			requestsFor := func(viewer string) uint64 {
				t.Helper()
				w.advance(15 * time.Second)
				var s ledger.Snapshot
				if !w.d.Fill(&s, viewer) {
					t.Fatal("nothing is shown")
				}
				w.d.Saw(viewer, s.Showing)
				return totalsOf(&s, aside...)[requests]
			}
			visit := func(visitors string, want ...uint64) {
				t.Helper()
				for i, v := range visitors {
					if got := requestsFor(string(v)); got != want[i] {
						t.Errorf("visit %d, of %c: it is shown %d requests, want %d", i, v, got, want[i])
					}
				}
			}
			visit("abcaba", 0, 0, 0, 0, 0, 0)
			w.write("p/a.jsonl", said("a", 1))
			again(w)
			visit("aaabab", 0, 0, 0, 0, 1, 1)

			w.add("p/a.jsonl", said("b", 1)) // in a project of its own
			again(w)
			visit("aaaaaaaaaa", 1, 1, 1, 1, 1, 1, 1, 1, 2, 2)
		})
	}
}
