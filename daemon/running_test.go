package daemon

import (
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/follow"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/state"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A session without a transcript counts as unwritten ten minutes after its start and
// two minutes after it was first seen at work, until its transcript appears or it ends.
func TestRunningSessions(t *testing.T) {
	start := time.Now()
	now := start
	dir := transcripttest.NewDir(t)
	s := state.New(ledgertest.Options(), func() time.Time { return now })
	d := &Daemon{log: slog.New(slog.DiscardHandler), state: s}
	labelled := map[string]string{"user": "ann"}
	d.sources.Store(&[]follow.Source{
		{Path: dir.Path("a/projects"), Labels: labelled}, {Path: dir.Path("a/projects")}, {Path: dir.Path("b/projects")}, {Path: dir.Path("c")},
	})
	var r runningSessions
	register := func(file, id, status string, age time.Duration) {
		dir.Write(file, fmt.Sprintf(`{"pid":%d,"sessionId":%q,"status":%q,"startedAt":%d}`, os.Getpid(), id, status, start.Add(-age).UnixMilli()))
	}
	expect := func(when string, after time.Duration, want ...metrics.RunningSessions) {
		t.Helper()
		now = start.Add(after)
		r.update(d, now)
		if got := d.Running(); len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", when, got, want)
		}
	}
	ann := counters.NewSourceLabels(labelled)
	counts := func(running, unwritten int) metrics.RunningSessions {
		return metrics.RunningSessions{Source: ann, Running: running, Unwritten: unwritten}
	}

	expect("no registry", 0)
	register("a/sessions/1.json", "old", "busy", time.Hour)
	register("a/sessions/2.json", "idle", "idle", time.Hour)
	register("a/sessions/3.json", "young", "busy", 0)
	expect("within a minute", 59*time.Second)
	expect("first seen", time.Minute, counts(3, 0))
	register("a/sessions/1.json", "old", "idle", time.Hour)
	register("a/sessions/4.json", "old", "idle", time.Minute)
	expect("at work before", 3*time.Minute, counts(3, 1))
	register("a/sessions/2.json", "idle", "waiting", time.Hour)
	expect("waiting", 5*time.Minute, counts(3, 1))
	expect("waiting for long", 7*time.Minute, counts(3, 2))
	expect("not young any more", 10*time.Minute+time.Second, counts(3, 3))

	agent := ledger.File{ID: 1, Kind: transcript.KindOf("agent-1.jsonl"), Name: transcript.NameKey("agent-1.jsonl")}
	s.Change(func(l *ledger.Ledger, _ int64) { l.Open(agent) })
	expect("a sub-agent", 12*time.Minute, counts(3, 3))
	file := ledger.File{ID: 2, Kind: transcript.KindOf("old.jsonl"), Name: transcript.NameKey("old.jsonl")}
	s.Change(func(l *ledger.Ledger, _ int64) { l.Open(file) })
	expect("written in another source", 13*time.Minute, counts(3, 3))
	file.Source = ann
	s.Change(func(l *ledger.Ledger, _ int64) { l.Open(file) })
	expect("written", 14*time.Minute, counts(3, 2))
	s.Change(func(l *ledger.Ledger, _ int64) { l.MarkMissing(file.ID) })
	expect("deleted", 16*time.Minute, counts(3, 3))

	dir.Must(os.Remove(dir.Path("a/sessions/2.json")))
	expect("ended", 18*time.Minute, counts(2, 2))
	register("b/sessions/1.json", "old", "busy", time.Hour)
	register("b/sessions/2.json", "other", "", time.Hour)
	register("c/sessions/1.json", "elsewhere", "busy", time.Hour)
	expect("two registries", 20*time.Minute, metrics.RunningSessions{Running: 2}, counts(2, 2))
}

// A session that has stopped running is not live. It stays live if its registry is
// missing.
func TestSessionThatEnds(t *testing.T) {
	dir := transcripttest.NewDir(t)
	now := time.Now()
	s := state.New(ledgertest.Options(), func() time.Time { return now })
	d := &Daemon{log: slog.New(slog.DiscardHandler), state: s}
	d.sources.Store(&[]follow.Source{{Path: dir.Path("a/projects")}})
	line := func() transcript.Entry {
		return transcript.Entry{Type: "user", Time: now.UnixMilli(), SessionID: "s", Session: transcript.KeyOf("session", "s")}
	}
	add := func() {
		s.Change(func(l *ledger.Ledger, now int64) {
			l.AddBatch(&ledger.Batch{File: 1, Now: now, Entries: []transcript.Entry{line()}})
		})
	}
	s.Change(func(l *ledger.Ledger, _ int64) {
		l.Open(ledger.File{ID: 1, Kind: transcript.Main, Name: transcript.NameKey("s.jsonl")})
	})
	var r runningSessions
	const file = "a/sessions/1.json"
	running := fmt.Sprintf(`{"pid":%d,"sessionId":"s"}`, os.Getpid())
	for _, step := range []struct {
		what string
		do   func()
		live int
	}{
		{"not in the registry", func() { add() }, 1},
		{"an empty registry", func() { dir.Write("a/sessions/x", "") }, 1},
		{"it runs", func() { dir.Write(file, running) }, 1},
		{"no registry", func() { dir.Must(os.RemoveAll(dir.Path("a/sessions"))) }, 1},
		{"it runs still", func() { dir.Write(file, running) }, 1},
		{"it ends", func() { add(); dir.Must(os.Remove(dir.Path(file))) }, 0},
		{"nothing changes", func() {}, 0},
		{"another line", func() { add() }, 1},
		{"it runs again", func() { dir.Write(file, running) }, 1},
		{"its process is gone", func() { dir.Write(file, `{"pid":2147483647,"sessionId":"s"}`) }, 0},
		{"it is opened again", func() { dir.Write(file, running) }, 1},
	} {
		now = now.Add(time.Second)
		step.do()
		now = now.Add(time.Second)
		r.lastRead = time.Time{}
		r.update(d, now)
		checkEqual(t, step.what, s.Sessions(ledger.SessionQuery{Limit: 9}).Live, step.live)
	}
}

// An unreadable registry does not count as empty: the gauges are missing. It is logged
// once, and its path at debug level only.
func TestUnreadableRegistry(t *testing.T) {
	dir := transcripttest.NewDir(t)
	var log strings.Builder
	d := &Daemon{
		log:   slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		state: state.New(ledgertest.Options(), time.Now),
	}
	d.sources.Store(&[]follow.Source{{Path: dir.Path("a/projects")}})
	var r runningSessions
	now := time.Now()
	update := func(sessions, logged int) {
		t.Helper()
		now = now.Add(runningInterval)
		r.update(d, now)
		checkEqual(t, "sources with a registry", len(d.Running()), sessions)
		checkEqual(t, "logged failures", strings.Count(log.String(), "level=WARN"), logged)
		checkEqual(t, "logged paths", strings.Count(log.String(), dir.Path("a")), logged)
		checkEqual(t, "paths at debug level", strings.Count(log.String(), "level=DEBUG"), logged)
	}
	update(0, 0)
	if err := os.Symlink("a", dir.Path("a")); err != nil {
		t.Skip("no symbolic links on this system:", err)
	}
	update(0, 1)
	update(0, 1)
	dir.Must(os.Remove(dir.Path("a")))
	dir.Write("a/sessions/1.json", "{}")
	update(1, 1)
	dir.Must(os.RemoveAll(dir.Path("a")))
	dir.Must(os.Symlink("a", dir.Path("a")))
	update(0, 2)
}
