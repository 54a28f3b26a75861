package daemon

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/follow"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// The transcripts of running sessions are expected when the registry has changed, and a
// minute later, when a process may have gone on with another session.
func TestExpectedFiles(t *testing.T) {
	now := time.Now()
	dir := transcripttest.NewDir(t)
	e := newExpectedFiles([]follow.Source{
		{Path: dir.Path("a/projects")}, {Path: dir.Path("a/projects")}, {Path: dir.Path("b/projects")}, {Path: dir.Path("c")},
	}, func() time.Time { return now })
	register := func(file, id string) {
		dir.Write(file, fmt.Sprintf(`{"pid":%d,"sessionId":%q}`, os.Getpid(), id))
	}
	changedAt := func(config string, at time.Time) {
		if err := os.Chtimes(dir.Path(config+"/sessions"), at, at); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(when string, after time.Duration, want ...string) {
		t.Helper()
		now = now.Add(after)
		got := e.names()
		slices.Sort(got)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", when, got, want)
		}
	}
	expect("no registry", 0)
	register("a/sessions/1.json", "one")
	register("b/sessions/2.json", "two")
	changedAt("a", now)
	changedAt("b", now)
	expect("new registries", 0, "one.jsonl", "two.jsonl")
	expect("nothing new", 59*time.Second)
	register("a/sessions/3.json", "three")
	changedAt("a", now)
	expect("a new process", 0, "one.jsonl", "three.jsonl")
	register("b/sessions/2.json", "resumed")
	changedAt("b", now.Add(-59*time.Second))
	expect("within a minute", 0)
	expect("a minute later", time.Second, "resumed.jsonl")
}

// Without events, a line of a session that is resumed after weeks is counted long
// before all files are checked.
func TestResumedSession(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.settings = settingsFor(h.Path("projects"))
	h.settings.MaxWatches, h.settings.Scan, h.settings.Poll = -1, time.Hour, time.Millisecond
	const file = "projects/p/old.jsonl"
	h.Write(file, replies("old", 1))
	h.Write("projects/q/new.jsonl", replies("new", 1))
	for _, name := range []string{file, "projects/p"} { // otherwise the directory is read again
		h.Touch(name, time.Now().Add(-20*day))
	}
	h.start()
	h.waitFor(counts(2, 2))
	h.Write("sessions/1.json", fmt.Sprintf(`{"pid":%d,"sessionId":"old"}`, os.Getpid()))
	h.Append(file, replies("old", 2))
	h.waitFor(counts(3, 2))
}
