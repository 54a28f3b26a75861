package daemon

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestWorthSaving(t *testing.T) {
	const mega = 1 << 20
	s := Settings{Journal: mega, Checkpoint: 10 * time.Minute}
	for _, tt := range []struct {
		name              string
		journal, snapshot int // bytes
		since             time.Duration
		want              bool
	}{
		{"nothing happened", 0, 18 * mega, 24 * time.Hour, false},
		{"little happened", mega - 1, mega / 2, 24 * time.Hour, false},
		{"enough for a small state", mega, mega / 2, 10 * time.Minute, true},
		{"enough, but just saved", mega, mega / 2, 10*time.Minute - 1, false},
		{"not enough for a large state", 4 * mega, 18 * mega, 24 * time.Hour, false},
		{"enough for a large state", 4*mega + mega/2, 18 * mega, 10 * time.Minute, true},
		{"overdue", 4 * mega, mega / 2, time.Second, true},
		{"a large one not quite overdue", 18*mega - 1, 18 * mega, time.Second, false},
		{"a large one overdue", 18 * mega, 18 * mega, time.Second, true},
	} {
		if got := s.worthSaving(tt.journal, tt.snapshot, tt.since); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	if (&Settings{}).worthSaving(0, 0, time.Hour) {
		t.Error("an empty journal is worth a snapshot")
	}
}

// Lines that are read one by one as they are written take little of the journal,
// however long they are: thousands of them an hour are less than a megabyte, and
// with the snapshots that this is worth at most five times as much.
func TestJournalIsShort(t *testing.T) {
	t.Parallel()
	const limit = 150 // bytes a line
	w := newWorld(t)
	w.settings.Journal = 1 << 30
	w.write("p/a.jsonl", said("a", 1))
	w.start()
	begin, _ := w.d.state.Sizes()
	k := &talk{ID: "a", Name: "b", CWD: "/home/dev/app"}
	for i := range 20 {
		id := fmt.Sprint(i)
		k.Prompt(strings.Repeat("long ", 1000))
		k.Reply(reply{ID: "b" + id, In: 3, Out: 1, Read: 90_000, Write1: 4000, Calls: []call{{ID: "c" + id, Name: "Bash"}}})
		k.Reply(reply{ID: "b" + id, In: 3, Out: 700, Read: 90_000, Write1: 4000, Stop: "tool_use"})
		k.Result("c"+id, strings.Repeat("long ", 1000), false)
	}
	before := begin
	for _, e := range k.Lines {
		w.add("p/a.jsonl", e.String()+"\n")
		now := before
		w.eventually("the line in the journal", func() bool {
			now, _ = w.d.state.Sizes()
			return now > before
		})
		before = now
	}
	took := (before - begin) / len(k.Lines)
	t.Logf("%d bytes a line", took)
	if took > limit {
		t.Errorf("a line takes %d bytes of the journal", took)
	}
}

// A snapshot is written once what has happened since the last one is worth it.
func TestSavedWhenItIsWorthIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.settings.Journal = 20_000
	w.write("p/a.jsonl", said("a", 1))
	w.start()
	before := w.metric(saves)
	w.advance(24 * time.Hour)
	w.add("p/a.jsonl", said("b", 10))
	w.shows(counted(11, 2))
	w.write("p/b.jsonl", said("c", 400)) // overdue at once
	w.eventually("a snapshot", func() bool { return w.metric(saves) == before+1 })
	w.shows(counted(411, 3))
	if journal, _ := w.d.state.Sizes(); journal >= w.settings.Journal {
		t.Errorf("the journal since has %d bytes", journal)
	}
}
