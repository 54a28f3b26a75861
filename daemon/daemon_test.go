package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
)

// Nothing is shown before all is read, nor after the end.
func TestShownOnlyWhileItRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("p/a.jsonl", said("a", 2))
	d := w.opened()
	shown := func(what string, d *Daemon, want bool) {
		t.Helper()
		if _, ok := snapshot(d); ok != want || d.Ready() != want {
			t.Errorf("%s: shown %t, ready %t; want %t", what, ok, d.Ready(), want)
		}
	}
	shown("before it runs", d, false)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	w.start()
	shown("while it runs", w.d, true)
	d = w.d
	w.halt()
	shown("after the end", d, false)
}

// On the very first start every series comes with its value, so that to install
// a daemon makes no spike. Of a daemon that goes on, what nobody has seen comes
// as zero.
func TestFirstScrape(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("p/a.jsonl", said("a", 2))
	w.start()
	const a, b = `claude_prompts_total{kind="text",project="a"}`, `claude_prompts_total{kind="text",project="b"}`
	first := func() totals {
		t.Helper()
		snap, ok := w.scrapes.look(w.d)
		if !ok {
			t.Fatal("nothing is shown")
		}
		return totalsOf(&snap)
	}
	if got := first()[a]; got != 2 {
		t.Errorf("at first %s is %d, want 2", a, got)
	}
	w.halt()
	w.write("p/b.jsonl", said("b", 3))
	w.start()
	if got := first(); got[a] != 2 || got[b] != 0 {
		t.Errorf("after a restart they are %d and %d, want 2 and 0", got[a], got[b])
	}
	if got := w.totals()[b]; got != 3 {
		t.Errorf("then %s is %d, want 3", b, got)
	}
}

// Of all records that are there at the start the best counts, in whatever file
// it is: nobody has seen the others.
func TestBestRecordAtTheStart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	open := (&talk{ID: "a", CWD: "/home/dev/a"}).Reply(reply{ID: "m", In: 9, Out: 1}).Prompt("go on")
	better := (&talk{Name: "side", ID: "a", CWD: "/home/dev/a", Side: true}).Reply(reply{ID: "m", In: 5, Out: 100, Stop: "tool_use"})
	w.write("p/a.jsonl", open.String())
	w.write("p/a/subagents/agent-acompact-1.jsonl", better.String())
	w.start()
	got := w.totals("project", "agent", "model")
	for series, want := range map[string]uint64{
		`claude_requests_total{stop_reason="tool_use"}`: 1,
		`claude_requests_total{stop_reason="none"}`:     0,
		`claude_tokens_total{type="input"}`:             5,
		output:                                          100,
	} {
		if got[series] != want {
			t.Errorf("%s is %d, want %d", series, got[series], want)
		}
	}
	// Where each was first, it was in the session and not in its side job.
	for series := range w.totals() {
		if f := `claude_requests_total{model="opus",project="a",agent="compact",stop_reason="tool_use"}`; series == f {
			t.Errorf("there is %s", f)
		}
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	k := &talk{ID: "a", CWD: "/p"}
	w.write("p/a.jsonl", k.Prompt("hello").Prompt("again").String())
	w.write("p/b.jsonl", said("b", 1))
	w.start()
	last := time.Date(2026, 3, 1, 10, 0, 2, 0, time.UTC)
	if got := w.d.Summary(); got.Files != 2 || got.Sessions != 2 || !got.LastActivity.Equal(last) {
		t.Errorf("Summary = %+v, want 2 files, 2 sessions, %v", got, last)
	}
	info, err := os.Stat(w.path("p/a.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.Stat(w.path("p/b.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	size := info.Size() + other.Size()
	if got := w.d.Progress(); got.Files != 2 || got.FilesTotal != 2 || got.Bytes != size || got.BytesTotal != size {
		t.Errorf("Progress = %+v, want 2 files and %d bytes of as many", got, size)
	}
}

// A live session is shown under its own name, also to those who come after a
// restart.
func TestLiveSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	now := time.Now().UTC()
	w.write("p/the-session.jsonl", `{"type":"assistant","sessionId":"the-session","cwd":"/home/dev/app","uuid":"u","timestamp":"`+now.Format("2006-01-02T15:04:05.000Z")+
		`","message":{"id":"m","model":"opus","content":[],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":1,"cache_read_input_tokens":40}}}`+"\n")
	want := ledger.Session{ID: "the-session", Project: "app", Model: "opus", Context: 43, Last: now.UnixMilli()}
	check := func(when string) {
		t.Helper()
		snap, _ := w.scrapes.look(w.d)
		if len(snap.Live) != 1 || snap.Live[0] != want {
			t.Errorf("%s: %+v, want %+v", when, snap.Live, want)
		}
	}
	w.start()
	check("at first")
	w.restart()
	check("after a restart")
	w.die(nil, func() {})
	check("after it died")
	w.advance(time.Hour)
	if snap, _ := w.scrapes.look(w.d); len(snap.Live) != 0 {
		t.Errorf("an hour later: %+v, want none", snap.Live)
	}
}

// A daemon that cannot begin says why, and leaves nothing behind.
func TestNewFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w.bad = errors.New("bad settings")
	if _, err := New(w.options()); !errors.Is(err, w.bad) {
		t.Errorf("New = %v, want %v", err, w.bad)
	}
	w.bad = nil
	o := w.options()
	o.StateDir = filepath.Join(file, "state")
	if _, err := New(o); err == nil {
		t.Error("New succeeds in a directory that cannot be")
	}
	w.start() // the state directory is free
}
