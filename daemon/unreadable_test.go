package daemon

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/follow"
)

// chmod changes the mode of a file, and skips the test if modes are not enforced.
func (h *harness) chmod(rel string, mode os.FileMode) {
	h.Helper()
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		h.Skip("this user can read every file")
	}
	h.Must(os.Chmod(h.Path(rel), mode))
}

func (h *harness) pastRetention() { h.advance(h.settings.Retention + day) }

// An unreadable file is exposed as unreadable and not taken for deleted. Reading
// continues when it is readable again, even after restarts.
func TestUnreadableFile(t *testing.T) {
	runCases(t, map[string]func(*harness){
		"while the daemon runs": (*harness).pastRetention,
		"while none runs":       func(h *harness) { h.stop(); h.pastRetention(); h.start() },
		"after two restarts":    func(h *harness) { h.restart(); h.pastRetention(); h.restart() },
	}, func(h *harness, between func(*harness)) {
		h.startWithReplies(2)
		h.chmod(fileA, 0o200)
		h.Append(fileA, replies("b", 1))
		h.waitForMetric(unreadableFiles, 1)
		between(h)
		h.waitForMetric(unreadableFiles, 1)
		h.waitFor(counts(2, 1))
		h.checkDedupKeys(2)
		h.chmod(fileA, 0o600)
		h.waitFor(counts(3, 2))
		h.waitForMetric(unreadableFiles, 0)
	})
}

// An unreadable file is not taken for deleted if it was renamed, either.
func TestUnreadableRenamedFile(t *testing.T) {
	t.Parallel()
	h := startWithReplies(t, 2)
	h.stop()
	h.chmod(fileA, 0o200)
	h.Rename(fileA, "q/b.jsonl")
	h.start()
	h.pastRetention()
	h.restart()
	h.checkDedupKeys(2)
	h.chmod("q/b.jsonl", 0o600)
	h.Append("q/b.jsonl", replies("b", 1))
	h.waitFor(counts(3, 2))
}

// Files in an unreadable directory are not taken for deleted, even after a long time
// and several restarts.
func TestUnreadableDirectory(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	target, root := h.Path("real"), h.Path("root")
	h.settings.Sources = sources(root)
	h.Write("real/p/a.jsonl", replies("a", 2))
	link := func(to string) {
		t.Helper()
		h.Remove("root")
		if err := os.Symlink(to, root); err != nil {
			t.Skip("symbolic links are not supported:", err)
		}
	}
	link(target)
	h.start()
	h.waitFor(counts(2, 1))
	h.stop()
	link(root) // a loop: an error other than a missing file, even for root
	for range 2 {
		h.start()
		h.waitForMetric(unreadableDirectories, 1)
		h.stop()
		h.pastRetention()
	}
	h.start()
	h.checkDedupKeys(2)
	h.waitFor(counts(2, 1))
	link(target)
	h.Append("real/p/a.jsonl", replies("a", 3)+replies("b", 1))
	h.waitFor(counts(4, 2))
}

// A file that vanished while no daemon ran is missing, although a directory of another
// user is unreadable: a sub-agent elsewhere is the same one, and the rest is forgotten
// in time.
func TestUnreadableDirectoryOfAnotherUser(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.settings.Scan = 10 * time.Millisecond // a file is counted after some scans
	h.settings.Sources = func() []follow.Source {
		return []follow.Source{{Path: h.Path("own")}, {Path: h.Path("other"), Labels: map[string]string{"user": "other"}}}
	}
	h.Write("own/p/b.jsonl", replies("b", 2))
	h.Write("own/"+agentA, subagent("a", 2))
	h.start()
	h.checkSubagentsBelow("own", 1, 1)
	h.stop()
	h.Remove("own/p/b.jsonl")
	h.Remove("own/" + agentA)
	h.Write("own/q/a/subagents/agent-1.jsonl", subagent("a", 2))
	if err := os.Symlink(h.Path("other"), h.Path("other")); err != nil { // a loop
		t.Skip("symbolic links are not supported:", err)
	}
	h.start()
	h.waitForMetric(unreadableDirectories, 1)
	h.checkSubagentsBelow("own", 2, 1)
	keys := h.scrape().DedupKeys["message"]
	h.pastRetention()
	h.restart()
	h.checkDedupKeys(keys - 2)
}

// A directory tree can be deeper than the maximum length of a path. The first directory
// out of reach is exposed as unreadable, and all other files are counted.
func TestDirectoryBeyondPathLimit(t *testing.T) {
	const depth, long = 40, 200
	h := newUntrustedHarness(t)
	want := h.writeKnownSession()
	h.makeDeepDirectory("p", depth, long)
	h.start()
	h.waitForSeries(want)
	h.waitForMetric(unreadableDirectories, 1)
	h.Write("q/a.jsonl", replies("later", 1))
	h.waitForSeries(want.with(prompts("later"), 1))
	h.waitForScans(2)
	h.checkMetric(unreadableDirectories, 1)
}

// makeDeepDirectory makes nested directories below top, with names of a given length,
// and a transcript in the innermost directory.
func (h *harness) makeDeepDirectory(top string, depth, length int) {
	h.Helper()
	name := strings.Repeat("d", length)
	open := func() *os.Root {
		root, err := os.OpenRoot(h.Path(top))
		h.Must(err)
		return root
	}
	dir := open()
	for range depth {
		h.Must(dir.Mkdir(name, 0o700))
		next, err := dir.OpenRoot(name)
		h.Must(err)
		h.Must(dir.Close())
		dir = next
	}
	h.Must(dir.WriteFile("a.jsonl", []byte(replies("unreachable", 1)), 0o600))
	h.Must(dir.Close())
	h.Cleanup(func() { // RemoveAll of a path fails on some systems
		root := open()
		h.Must(root.RemoveAll(name))
		h.Must(root.Close())
	})
}

// A file deep in a directory tree counts like any other.
func TestDeepDirectory(t *testing.T) {
	const depth = 1000
	h := newUntrustedHarness(t)
	want := h.writeKnownSession()
	deep := strings.Repeat("d/", depth)
	h.Write(deep+"a.jsonl", replies("deep", 2))
	want[prompts("deep")] = 2
	h.settings.MaxWatches = 2 * depth
	h.start()
	h.waitForSeries(want)
	h.Append(deep+"a.jsonl", replies("deeper", 1))
	h.Write(deep+"b.jsonl", replies("beside", 1))
	h.waitForSeries(want.with(prompts("deep"), 3).with(prompts("beside"), 1))
}
