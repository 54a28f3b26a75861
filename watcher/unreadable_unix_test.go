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

// The next check reads a changed directory that could not be read.
func TestUnreadableDuringCheck(t *testing.T) {
	p := polledFiles(t, 0, "p/a.log")
	write(t, p.dir, "p/b.log")
	withoutDescriptors(t, func() {
		p.finds()
		p.finds()
	})
	p.finds("0:p/b.log")
}
