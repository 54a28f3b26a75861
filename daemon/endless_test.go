package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// Whoever is told to stop does not search a line without an end to the end of
// its file: this one would take minutes. Meanwhile it is told that this gets on.
func TestEndlessLineIsLeft(t *testing.T) {
	dir := t.TempDir()
	file, err := os.Create(filepath.Join(dir, "a.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(file.Truncate(1<<40), file.Close()); err != nil {
		t.Skipf("no sparse file can be had: %v", err)
	}
	f := newFollower(&shared{state: newState(ledger.Options{}, 0)}, 1<<20, time.Now)
	f.configure(nil, []Source{{Path: dir}})
	told := 0
	f.alive = func() { told++ }
	roots := f.openRoots()
	defer roots.close()
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
