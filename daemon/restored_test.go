package daemon

import (
	"os"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ccwatchd/ccwatchd/test/statetest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// A device number may change when the machine restarts. Unchanged files are not read
// again.
func TestDeviceIsRenumbered(t *testing.T) {
	type testCase struct {
		change func(*harness)
		want   totals
		reads  bool // more than the appended lines
	}
	runCases(t, map[string]testCase{
		"unchanged": {func(*harness) {}, counts(5, 2), false},
		"grown":     {func(h *harness) { h.Append(fileA, replies("c", 2)) }, counts(7, 3), false},
		"truncated": {func(h *harness) { h.Write(fileA, replies("a", 1)) }, counts(5, 2).with(truncated, 1), true},
		"renamed":   {func(h *harness) { h.Rename(fileA, "q/c.jsonl") }, counts(5, 2), true},
		"replaced":  {func(h *harness) { h.Replace(fileA, replies("d", 1)) }, counts(6, 3), true},
		"restored":  {func(h *harness) { h.Replace(fileA, replies("a", 3)) }, counts(5, 2), true},
	}, func(h *harness, c testCase) {
		h.Write(fileA, replies("a", 3))
		h.Write(fileB, replies("b", 2))
		h.startAndScrape()
		h.stop()
		before := h.Stat(fileA).Size()
		c.change(h)
		h.startWithFileFields(map[protowire.Number]uint64{statetest.Device: 1 << 40})
		h.waitFor(c.want)
		read := uint64(before + h.Stat(fileB).Size())
		if !c.reads {
			read += uint64(h.Stat(fileA).Size() - before)
		}
		if got := h.totals()[readBytes]; (got > read) != c.reads {
			h.Errorf("read %d bytes in all, want more than %d: %v", got, read, c.reads)
		}
		h.waitForFileCount(2)
		want := h.totals(historyDependent...)
		h.restart()
		h.waitForAll(want, historyDependent...)
	})
}

// The files of a restored backup have other inodes, and lack the newest lines. Their
// usage counts once.
func TestRestoredBackup(t *testing.T) {
	runCases(t, whenever(func(h *harness) {
		h.Must(os.Rename(h.Root, h.Root+".lost"))
		h.Must(os.Rename(h.Root+".backup", h.Root))
	}), func(h *harness, restore operation) {
		h.Write(fileA, replies("a", 3))
		h.Write(fileB, replies("b", 2))
		transcripttest.ReadTree(h, h.Root).Write(h, h.Root+".backup")
		h.Append(fileA, replies("c", 1))
		h.startAndScrape()
		h.waitFor(counts(6, 3))
		restore(h)
		h.Append(fileA, replies("c", 1))
		h.Append(fileB, replies("d", 2))
		h.waitFor(counts(8, 4))
		h.waitForFileCount(2)
		h.restart()
		h.waitFor(counts(8, 4))
	})
}
