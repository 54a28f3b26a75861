package daemon

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"time"
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
