package daemon

import (
	"errors"
	"os"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ccwatchd/ccwatchd/state/checkpoint"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/test/statetest"
)

// startWithReusedInode starts a daemon whose state has the inode of the given file in
// all files. File systems reuse inodes, but not at a test's request.
func (h *harness) startWithReusedInode(rel string) {
	h.Helper()
	f, err := os.Open(h.Path(rel))
	h.Must(err)
	identity, err := tailer.Identify(f)
	h.Must(errors.Join(err, f.Close()))
	h.startWithFileFields(map[protowire.Number]uint64{
		statetest.Device: identity.Device, statetest.Inode: identity.Inode,
	})
}

// startWithFileFields starts a daemon with other values in fields of all files.
func (h *harness) startWithFileFields(fields map[protowire.Number]uint64) {
	h.Helper()
	h.beforeRun = func(d *Daemon) {
		b := encoded(d.state)
		for field, value := range fields {
			var err error
			b, err = statetest.SetFileField(b, field, value)
			h.Must(err)
		}
		h.Must(d.state.LoadSnapshot(checkpoint.Format, b))
		h.Must(d.state.Restored(len(b), 0))
		d.known.Restored()
	}
	h.start()
	h.beforeRun = nil
}

// A file with the inode of a deleted file is a new file, whatever it contains. Later
// starts do not read it again.
func TestReusedInode(t *testing.T) {
	runCases(t, map[string]string{
		"other content":      replies("b", 2),
		"empty":              "",
		"same content, more": replies("a", 3) + replies("b", 2),
		"part of the same":   replies("a", 2),
		"same beginning":     replies("a", 2) + replies("b", 2),
	}, func(h *harness, content string) {
		h.Write(fileA, replies("a", 3))
		h.startAndScrape()
		h.stop()
		h.Remove(fileA)
		h.Write("q/b.jsonl", content)
		h.startWithReusedInode("q/b.jsonl")
		want := counts(3, 1)
		if strings.Contains(content, "b asks") {
			want = counts(5, 2)
		}
		h.waitFor(want)
		h.Append("q/b.jsonl", replies("c", 1))
		want = counts(want[requests]+1, want[sessions]+1)
		h.waitFor(want)
		want[readBytes] = h.totals()[readBytes]
		for range 4 {
			h.restart()
			h.waitFor(want)
		}
	})
}

// Two sub-agents whose files had the same inode, one after the other, both count.
func TestReusedInodeOfSubagent(t *testing.T) {
	t.Parallel()
	agent := func(name string) string {
		return (&session{Name: name, ID: "s", CWD: "/p", Side: true}).Prompt("do " + name).String()
	}
	h := newHarness(t)
	h.Write("p/s/subagents/agent-1.jsonl", agent("one"))
	h.start()
	h.waitFor(totals{subagents: 1})
	h.stop()
	h.Remove("p/s/subagents/agent-1.jsonl")
	h.Write("p/s/subagents/agent-2.jsonl", agent("two"))
	h.startWithReusedInode("p/s/subagents/agent-2.jsonl")
	h.waitFor(totals{subagents: 2})
	h.restart()
	h.waitFor(totals{subagents: 2})
}
