package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// sparse makes a file of size bytes that are NULs and take no room, with a text
// behind them.
func sparse(t testing.TB, name string, size int64, end string) {
	t.Helper()
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	err = file.Truncate(size)
	if err == nil && end != "" {
		_, err = file.WriteAt([]byte(end), size)
	}
	if err := errors.Join(err, file.Close()); err != nil {
		t.Skipf("no sparse file can be had: %v", err)
	}
}

// followed returns a follower of a directory, and its open root.
func followed(t testing.TB, dir string) (*follower, roots) {
	t.Helper()
	f := newFollower(&shared{state: newState(ledger.Options{}, 0), now: time.Now}, 1<<20, time.Now)
	f.configure(labeller{}, []Source{{Path: dir}})
	roots := f.openRoots()
	t.Cleanup(roots.close)
	return f, roots
}

// Whoever is told to stop does not search a line without an end to the end of
// its file: this one would take minutes. Meanwhile it is told that this gets on.
func TestEndlessLineIsLeft(t *testing.T) {
	dir := t.TempDir()
	sparse(t, filepath.Join(dir, "a.jsonl"), 1<<40, "")
	f, roots := followed(t, dir)
	told := 0
	f.alive = func() { told++ }
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	name := watcher.File{Rel: "a.jsonl"}
	if err := f.follow(ctx, roots, name); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was left", err)
	}
	if at := f.at(name); at == nil || at.searched != searchBytes || at.offset != 0 {
		t.Errorf("it stands at %+v", at)
	}
	if told != 1 {
		t.Errorf("it told %d times that it gets on, want once for each %d bytes", told, searchBytes)
	}
}

// A line that is longer than any may be is searched on by every walk, though nothing
// has changed, and what is behind it counts in the end.
func TestEndOfAVeryLongLine(t *testing.T) {
	const size = 5 * searchBytes / 2
	dir := t.TempDir()
	sparse(t, filepath.Join(dir, "a.jsonl"), size, "\n"+said("a", 2))
	f, roots := followed(t, dir)
	for visit, want := range []int64{searchBytes, 2 * searchBytes, size + 1 + int64(len(said("a", 2)))} {
		found, errs := watcher.Walk(t.Context(), f.watching())
		if len(found) != 1 || errs != nil {
			t.Fatal(found, errs)
		}
		if f.unchanged(found[0]) {
			t.Fatalf("visit %d: there is nothing to be done", visit)
		}
		if err := f.follow(t.Context(), roots, found[0].File); err != nil {
			t.Fatal(err)
		}
		if at := f.at(found[0].File); at != nil && at.searched != want || at == nil && visit < 2 {
			t.Fatalf("visit %d: it stands at %+v, want %d", visit, at, want)
		}
		if err := f.rest(roots, found[0].File); err != nil { // nor is anything of it a last line
			t.Fatal(err)
		}
	}
	f.finish()
	at := &world{TB: t, settings: settingsFor(dir)}
	want := counted(2, 1).with(`ccwatchd_line_errors_total{reason="too_long"}`, 1).with(readBytes, size+1+uint64(len(said("a", 2))))
	for how, got := range map[string]totals{"in visits": f.shared.totals(aside...), "once": at.once(aside...)} {
		for series, want := range want {
			if got[series] != want {
				t.Errorf("%s: %s is %d, want %d", how, series, got[series], want)
			}
		}
	}
}

// totals are what is counted.
func (s *shared) totals(drop ...string) totals {
	var snap ledger.Snapshot
	s.fill(&snap)
	return totalsOf(&snap, drop...)
}

// A line without an end, in a file as large as a file system can be, keeps nothing
// waiting: not the start, and no other file. What was not read of it is told.
func TestEndlessLineKeepsNobodyWaiting(t *testing.T) {
	const size = 1 << 42
	w := newWorld(t)
	w.settings.Scan = time.Hour // or else every walk searches on, all the time
	w.write("p/a.jsonl", said("a", 2))
	sparse(t, w.path("p/0.jsonl"), size, "")
	sparse(t, w.path("p/z.jsonl"), size, "")
	before := heap()
	w.start()
	w.shows(counted(2, 1))
	w.add("p/a.jsonl", said("b", 1))
	w.write("p/b.jsonl", said("c", 1))
	w.shows(counted(4, 3).with(readBytes, uint64(len(said("a", 2))+len(said("b", 1))+len(said("c", 1)))))
	if got := w.backlog(); got != 2*size {
		t.Errorf("a backlog of %v is told, want %v", got, 2.*size)
	}
	if took := heap() - before; took > 8<<20 {
		t.Errorf("%d bytes are kept", took)
	}
	w.restart()
	w.shows(counted(4, 3))
}

// A file that is written whenever it is read does not keep the daemon from having
// caught up.
func TestCatchUpEnds(t *testing.T) {
	const enough = 20
	w := newWorld(t)
	w.settings.Scan = time.Hour
	var e *engine
	writes := 0
	w.settings.Labeller = rewriter{once: func(string) {
		if writes++; writes > enough {
			return
		}
		w.add("p/a.jsonl", said(fmt.Sprint(writes), 1))
		w.eventually("news of that", func() bool { return len(e.watch.Wake()) > 0 })
	}}
	w.write("p/a.jsonl", said("a", 1))
	d := w.opened()
	defer func() { _ = d.Close() }()
	e = newEngine(d)
	defer e.stop()
	if err := e.catchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if writes == 0 || writes >= enough {
		t.Errorf("it took %d rounds", writes)
	}
}
