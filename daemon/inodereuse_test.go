package daemon

import (
	"errors"
	"os"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ccwatchd/ccwatchd/tailer"
)

// startWithReusedInode starts a daemon that believes that all files it knows had the
// inode of a file. File systems reuse inodes, but not at a test's request.
func (h *harness) startWithReusedInode(of string) {
	h.Helper()
	f, err := os.Open(h.Path(of))
	h.Must(err)
	identity, err := tailer.Identify(f)
	h.Must(errors.Join(err, f.Close()))
	h.beforeRun = func(d *Daemon) {
		h.Must(d.state.LoadSnapshot(withIdentity(encoded(d.state), identity), d.settings.Ledger))
	}
	h.start()
	h.beforeRun = nil
}

// Fields of a file in an encoded state.
const deviceField, inodeField = 3, 4

// withIdentity returns the encoding of a state in which all files have an identity.
func withIdentity(b []byte, identity tailer.ID) []byte {
	return withFileField(withFileField(b, deviceField, identity.Device), inodeField, identity.Inode)
}

// withFileField returns the encoding of a state in which a field of all files has a
// value.
func withFileField(b []byte, field protowire.Number, value uint64) []byte {
	const file = 1
	return mapFields(b, func(n protowire.Number, f []byte) []byte {
		if n != file {
			return f
		}
		return message(file, mapFields(body(f), func(n protowire.Number, old []byte) []byte {
			if n != field {
				return old
			}
			return protowire.AppendVarint(protowire.AppendTag(nil, n, protowire.VarintType), value)
		}))
	})
}

// A file with the inode of a deleted file is another file, whatever it contains. It is
// not read again at later starts.
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
