package follow

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/watcher"
)

// After the end of the context no file is opened, however many are to be read.
func TestCanceled(t *testing.T) {
	d := dir{TB: t, Root: t.TempDir()}
	for i := range 3 {
		d.Write(fmt.Sprintf("p/%d.jsonl", i), said("s", 1))
	}
	opened := 0
	o := optionsOf(time.Now)
	o.Alive = func() { opened++ } // before each file
	f := New(o, configOf(d.Root, 1<<20))
	u := watcher.Update{Tree: walk(t, f)}
	for _, found := range u.Tree {
		u.Dirty = append(u.Dirty, found.File)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f.Update(ctx, u)
	if changed := f.Changed(ctx, u.Tree); opened+len(changed) > 0 {
		t.Errorf("opened %d files, %d to be read, after the end of the context", opened, len(changed))
	}
	f.Update(t.Context(), u)
	if opened == 0 || f.readBytes == 0 {
		t.Errorf("opened %d files and read %d bytes, want all", opened, f.readBytes)
	}
}
