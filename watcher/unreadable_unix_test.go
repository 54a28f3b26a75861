//go:build unix

package watcher

import (
	"syscall"
	"testing"
)

// withoutDescriptors calls do while no file can be opened.
func withoutDescriptors(t *testing.T, do func()) {
	t.Helper()
	var limit syscall.Rlimit
	noError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	none := limit
	none.Cur = 0
	noError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none))
	defer func() { noError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)) }()
	do()
}

// A directory that a walk cannot read keeps its hot files, as does everything below it,
// and the next check reads it.
func TestUnreadableDuringWalk(t *testing.T) {
	p := polledFiles(t, 0, "p/q/r/a.log", "b.log")
	p.finds(granularity + dirCheck) // new directories are read twice
	withoutDescriptors(t, func() { p.w.scan(t.Context()) })
	p.take()
	if len(p.last.Unreadable) != 1 {
		t.Fatalf("got unreadable directories %v, want the root", p.last.Unreadable)
	}
	if p.files() != 2 || len(p.p.order) != 4 {
		t.Errorf("got %d files and %d directories, want 2 and 4", p.files(), len(p.p.order))
	}
	write(t, p.dir, "p/q/r/a.log")
	write(t, p.dir, "b.log")
	p.finds(hotCheck, "0:b.log", "0:p/q/r/a.log")
	p.finds(dirCheck)
	if d := p.p.order[0]; d.info == (Info{}) {
		t.Error("the next check did not read the directory")
	}
}

// A walk that finds only a part of a directory does not make the rest unknown.
func TestPartlyRead(t *testing.T) {
	p := polledFiles(t, 0, "a.log", "b.log")
	p.p.beginWalk(p.p.roots)
	p.p.enter(p.p.order[0].path)
	p.p.endWalk(tree{files: p.last.Tree[:1], unreadable: []File{{Rel: "."}}})
	if p.files() != 2 {
		t.Errorf("got %d files, want 2", p.files())
	}
	write(t, p.dir, "b.log")
	p.finds(hotCheck, "0:b.log")
}

// Files that were removed from a directory which could not be read are reported.
func TestRemovedWhileUnreadable(t *testing.T) {
	p := polledFiles(t, hotTime, "p/a.log", "b.log")
	remove(t, p.dir, "p")
	remove(t, p.dir, "b.log")
	withoutDescriptors(t, func() { p.w.scan(t.Context()) })
	p.take()
	p.finds(dirCheck, "0:b.log", "0:p/a.log")
	if p.files() != 0 || len(p.p.order) != 1 {
		t.Errorf("got %d files and %d directories, want none and the root", p.files(), len(p.p.order))
	}
}

// A changed directory that cannot be read is read by the next check.
func TestUnreadableDuringCheck(t *testing.T) {
	p := polledFiles(t, hotTime, "p/a.log")
	write(t, p.dir, "p/b.log")
	withoutDescriptors(t, func() {
		p.finds(dirCheck)
		p.finds(granularity)
	})
	p.finds(dirCheck, "0:p/b.log")
}
