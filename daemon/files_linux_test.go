package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// makeDevices creates devices with endless data, where that is permitted.
func (h *harness) makeDevices(zero, full string) {
	h.Helper()
	for name, minor := range map[string]int{zero: 5, full: 7} {
		err := syscall.Mknod(name, syscall.S_IFCHR|0o600, 1<<8|minor)
		if errors.Is(err, syscall.EPERM) {
			h.Logf("no devices: %v", err)
			continue
		}
		h.Must(err)
	}
}

// A directory that is mounted at two places, each a source, counts once.
func TestDirectoryMountedTwice(t *testing.T) {
	h := newUntrustedHarness(t)
	want := h.writeKnownSession()
	again := t.TempDir()
	if err := syscall.Mount(h.Root, again, "", syscall.MS_BIND, ""); err != nil {
		t.Skipf("mounting is not permitted: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(again, 0); err != nil {
			t.Error(err)
		}
	})
	h.settings.Sources = sources(h.Root, again)
	h.start()
	h.checkReadOnce(want)
	h.restart()
	h.checkReadOnce(want)
	h.Append(knownFile, replies("more", 1))
	h.waitFor(counts(3, 2))
	h.stop()
	if _, err := os.Stat(filepath.Join(again, knownFile)); err != nil {
		t.Errorf("the directory was not mounted: %v", err)
	}
}

// After a read error within a file, the lines before the error are counted, the file is
// exposed as unreadable, and reading continues later where it stopped.
func TestReadErrorWithinFile(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	var once sync.Once
	h.settings.Labeller = hookLabeller{hook: func(cwd string) {
		if filepath.Base(cwd) == "b" {
			once.Do(func() { h.breakDescriptor(fileB) })
		}
	}}
	h.settings.Scan = time.Hour
	h.startWithReplies(1)
	const many = 3000 // enough for several read buffers
	h.Replace(fileB, replies("b", many))
	h.waitForMetric(unreadableFiles, 1)
	if got := h.totals(summedLabels...)[requests]; got < 2 || got >= 1+many {
		t.Errorf("got %d requests, want some of %d", got, 1+many)
	}
	h.Append(fileB, replies("c", 1))
	h.waitFor(counts(2+many, 3).with(truncated, 0).with(replaced, 0).with(`ccwatchd_duplicates_total{kind="message"}`, 0))
	h.waitForMetric(unreadableFiles, 0)
	h.restart()
	h.waitFor(counts(2+many, 3))
}

// breakDescriptor makes reads from the open descriptor of a file fail.
func (h *harness) breakDescriptor(rel string) {
	bad, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		h.Error(err)
		return
	}
	defer bad.Close() //nolint:errcheck // nothing is written
	links, _ := filepath.Glob("/proc/self/fd/*")
	broken := 0
	for _, link := range links {
		if to, err := os.Readlink(link); err != nil || to != h.Path(rel) {
			continue
		}
		fd, _ := strconv.Atoi(filepath.Base(link))
		if err := unix.Dup3(int(bad.Fd()), fd, unix.O_CLOEXEC); err != nil {
			h.Error(err)
		}
		broken++
	}
	if broken != 1 {
		h.Errorf("%s has %d open descriptors, want 1", rel, broken)
	}
}
