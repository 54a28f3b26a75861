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

// What a walk cannot read is checked as before, with everything below it, and files
// that were removed meanwhile are reported.
func TestUnreadableDuringWalk(t *testing.T) {
	p := polledFiles(t, 0, "p/q/r/a.log", "b.log", "c.log")
	p.after(granularity)
	withoutDescriptors(t, func() { p.w.scan(t.Context()) })
	p.take()
	if len(p.last.Unreadable) != 1 {
		t.Fatalf("got unreadable directories %v, want the root", p.last.Unreadable)
	}
	p.checks("/", "/b.log", "/c.log", "/p/", "/p/q/", "/p/q/r/", "/p/q/r/a.log")
	write(t, p.dir, "p/q/r/a.log")
	write(t, p.dir, "b.log")
	remove(t, p.dir, "c.log")
	p.finds("0:b.log", "0:c.log", "0:p/q/r/a.log")
	p.finds()
}

// A changed directory that cannot be read is read by the next check.
func TestUnreadableDuringCheck(t *testing.T) {
	p := polledFiles(t, 0, "p/a.log")
	p.after(granularity)
	write(t, p.dir, "p/b.log")
	withoutDescriptors(t, func() {
		p.finds()
		p.finds()
	})
	p.finds("0:p/b.log")
}
