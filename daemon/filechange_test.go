package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// whenever returns ways to make a change: while the daemon watches, while none runs,
// and after a crash.
func whenever(change operation) map[string]operation {
	return map[string]operation{
		"watching": change,
		"stopped":  func(h *harness) { h.stop(); change(h); h.start() },
		"crashed":  func(h *harness) { h.crash(nil, func() { change(h) }) },
	}
}

// An operation changes files.
type operation func(h *harness)

func write(file, text string) operation { return func(h *harness) { h.Write(file, text) } }
func add(file, text string) operation   { return func(h *harness) { h.Append(file, text) } }
func replace(file, text string) operation {
	return func(h *harness) { h.Replace(file, text) }
}

func rename(from, to string) operation { return func(h *harness) { h.Rename(from, to) } }
func remove(file string) operation     { return func(h *harness) { h.Remove(file) } }
func link(from, to string) operation   { return func(h *harness) { h.Link(from, to) } }

// sequence runs operations one after the other.
func sequence(all ...operation) operation {
	return func(h *harness) {
		for _, run := range all {
			run(h)
		}
	}
}

// A fileChange is a change of files between two reads.
type fileChange struct {
	before tree
	change operation
	want   totals
	// Further totals of a daemon that watched the change, and of a daemon started later.
	// They differ in how often a file is read from the start.
	watching, away totals
}

const (
	fileA  = "p/a.jsonl"
	fileB  = "p/b.jsonl"
	movedA = "q/a.jsonl"
	agentA = "p/a/subagents/agent-1.jsonl" // a sub-agent of session a
)

func fileChanges() map[string]fileChange {
	single := tree{fileA: replies("a", 3)}
	pair := tree{fileA: replies("a", 3), fileB: replies("b", 2)}
	long := tree{fileA: replies("a", 30)}
	withAgent := tree{fileA: replies("a", 3), agentA: subagent("a", 2)}
	withOpen := tree{fileA: replies("a", 1) + openReply("a")}
	unread := func(want totals) totals { return want.with(replaced, 0).with(truncated, 0) }
	cut := func(want totals) totals { return want.with(truncated, 1) }
	newFile := totals{replaced: 1}
	return map[string]fileChange{
		"nothing": {single, sequence(), unread(counts(3, 1)), nil, nil},
		"append":  {single, write(fileA, replies("a", 4)), counts(4, 1).with(replaced, 0), nil, nil},
		// Truncated or rewritten
		"truncate":                 {single, write(fileA, replies("a", 2)), cut(counts(3, 1)), nil, nil},
		"truncate within a line":   {single, write(fileA, replies("a", 3)[:1000]), cut(counts(3, 1)), nil, nil},
		"empty":                    {single, write(fileA, ""), cut(counts(3, 1)), nil, nil},
		"truncate an open message": {withOpen, write(fileA, replies("a", 1)), cut(totals{requests: 2, output: 15}), nil, nil},
		"truncate and append": {
			single, sequence(write(fileA, replies("a", 1)), write(fileA, replies("a", 5))), counts(5, 1), nil, nil,
		},
		"rewrite shorter":     {single, write(fileA, replies("b", 2)), cut(counts(5, 2)), nil, nil},
		"rewrite as long":     {single, write(fileA, replies("b", 3)), counts(6, 2), nil, newFile},
		"rewrite longer":      {single, write(fileA, replies("b", 9)), counts(12, 2), nil, newFile},
		"rewrite second part": {long, write(fileA, replies("a", 20)+replies("b", 20)), counts(50, 2), nil, newFile},
		// Deleted or replaced
		"delete":                    {single, remove(fileA), counts(3, 1), nil, nil},
		"delete and create again":   {single, sequence(remove(fileA), write(fileA, replies("a", 4))), counts(4, 1), nil, nil},
		"delete and create another": {single, sequence(remove(fileA), write(fileB, replies("b", 4))), counts(7, 2), nil, nil},
		"delete all and create again": {
			withAgent, sequence(remove(""), write(fileA, replies("a", 4)), write(agentA, subagent("a", 3))),
			totals{subagents: 1, requests: 7, sessions: 1}, nil, nil,
		},
		"replace by a copy":   {single, replace(fileA, replies("a", 3)), counts(3, 1), newFile, nil},
		"replace by another":  {single, replace(fileA, replies("b", 2)), counts(5, 2), newFile, nil},
		"replace a sub-agent": {withAgent, replace(agentA, subagent("a", 3)), totals{subagents: 1, requests: 6}, newFile, nil},
		// Renamed
		"rename": {single, rename(fileA, movedA), counts(3, 1).with(replaced, 0), nil, nil},
		"rename and append": {
			single, sequence(rename(fileA, movedA), add(movedA, replies("b", 2))), unread(counts(5, 2)), nil, nil,
		},
		"append and rename": {single, sequence(add(fileA, replies("b", 2)), rename(fileA, movedA)), counts(5, 2), nil, nil},
		"rename and leave a stub": {single, sequence(
			rename(fileA, movedA), write(fileA, `{"type":"mode","sessionId":"a"}`+"\n"), add(movedA, replies("b", 2)),
		), counts(5, 2), nil, nil},
		"rename over another": {pair, sequence(rename(fileA, fileB), add(fileB, replies("c", 1))), counts(6, 3), nil, nil},
		"swap names": {pair, sequence(
			rename(fileA, "p/x"), rename(fileB, fileA), rename("p/x", fileB),
			add(fileA, replies("c", 1)), add(fileB, replies("d", 1)),
		), counts(7, 4), nil, nil},
		"rename the directory": {
			withAgent, sequence(rename("p", "q"), add(movedA, replies("b", 2))),
			totals{subagents: 1, requests: 7, sessions: 2, replaced: 0}, nil, nil,
		},
		// Other files
		"files that are no transcripts": {single, sequence(
			write(fileA+".backup", replies("b", 3)),
			write(fileA+".bak", replies("c", 3)),
			write("p/a/tool-results/x.jsonl", replies("d", 3)),
			write("p/a/subagents/workflows/wf/journal.jsonl", replies("e", 3)),
			add(fileA, replies("f", 1)),
		), counts(4, 2), nil, nil},
		"hard link": {single, sequence(link(fileA, fileB), add(fileB, replies("b", 2))), unread(counts(5, 2)), nil, nil},
		"FIFO, symbolic link and directory": {single, sequence(
			write("p/dir.jsonl/b.jsonl", replies("b", 1)),
			func(h *harness) { h.makeFIFOAndSymlink("p/fifo.jsonl", "p/link.jsonl") },
		), counts(4, 2), nil, nil},
	}
}

// makeFIFOAndSymlink makes a FIFO, if the system has FIFOs, and a symbolic link to a
// transcript elsewhere.
func (h *harness) makeFIFOAndSymlink(fifo, link string) {
	h.Helper()
	makeFIFO(h, h.Path(fifo))
	elsewhere := filepath.Join(h.TempDir(), "x.jsonl")
	h.Must(os.WriteFile(elsewhere, []byte(replies("elsewhere", 1)), 0o600))
	if err := os.Symlink(elsewhere, h.Path(link)); err != nil {
		h.Skip(err)
	}
}

// Every line counts once, whatever happens to its file.
func TestFileChanges(t *testing.T) {
	for name, c := range fileChanges() {
		t.Run(name, func(t *testing.T) {
			runCases(t, whenever(c.change), func(h *harness, change operation) {
				c.before.Write(h, h.Root)
				watched := h.startAndScrape()
				change(h)
				h.expireMessageTimeout()
				h.waitFor(c.want)
				if h.d == watched {
					h.waitFor(c.watching)
				} else {
					h.waitFor(c.away)
				}
				h.restart()
				h.waitFor(c.want)
			})
		})
	}
}

func (h *harness) startAndScrape() *Daemon {
	h.Helper()
	h.start()
	h.totals()
	return h.d
}

// A source may be created late, deleted, and created again. The daemon never creates
// it.
func TestSourceIsDeletedAndCreated(t *testing.T) {
	h := newHarness(t)
	h.Remove("")
	h.start()
	h.waitFor(totals{requests: 0})
	if _, err := os.Stat(h.Root); !os.IsNotExist(err) {
		t.Fatalf("the daemon created the source: %v", err)
	}
	h.Write(fileA, replies("a", 2))
	h.waitFor(counts(2, 1))
	h.Remove("")
	h.waitForFileCount(0)
	h.Write(fileA, replies("a", 3))
	h.waitFor(counts(3, 1))
}

// subagent returns the transcript of a sub-agent of a session.
func subagent(id string, n int) string {
	s := &session{Name: "agent of " + id, ID: id, CWD: "/p", Side: true}
	s.Prompt("do it")
	for i := range n {
		s.Reply(reply{ID: fmt.Sprintf("msg-agent-%s-%d", id, i), In: 1, Out: 10, Stop: "end_turn"})
	}
	return s.String()
}

// Sub-agents are counted by file, not by line: the count is the number of files that
// existed at the same time, however they were moved and replaced.
func TestSubagentFileChanges(t *testing.T) {
	const movedAgent, movedAgain = "q/a/subagents/agent-1.jsonl", "r/a/subagents/agent-1.jsonl"
	single := tree{agentA: subagent("a", 2)}
	pair := tree{agentA: subagent("a", 2), movedAgent: subagent("a", 2)}
	move := rename(agentA, movedAgent)
	moveAndReplace := sequence(move, replace(movedAgent, subagent("a", 3)))
	for name, c := range map[string]struct {
		before tree // one sub-agent for each file
		change operation
		want   uint64
	}{
		"rename":             {single, move, 1},
		"rename and replace": {single, moveAndReplace, 1},
		"rename and replace twice": {
			single, sequence(moveAndReplace, rename(movedAgent, movedAgain), replace(movedAgain, subagent("a", 4))), 1,
		},
		"replace and rename":  {single, sequence(replace(agentA, subagent("a", 3)), move), 1},
		"truncate and rename": {single, sequence(write(agentA, subagent("a", 1)), move), 1},
		"empty, rename and append": {
			single, sequence(write(agentA, ""), move, write(movedAgent, subagent("a", 3))), 1,
		},
		"copy and delete":             {single, sequence(write(movedAgent, subagent("a", 2)), remove(agentA)), 1},
		"delete and create elsewhere": {single, sequence(remove(agentA), write(movedAgent, subagent("a", 3))), 1},
		"copy":                        {single, write(movedAgent, subagent("a", 2)), 2},
		"rename and create":           {single, sequence(move, write(agentA, subagent("a", 3))), 2},
		"rename, replace and create":  {single, sequence(moveAndReplace, write(agentA, subagent("a", 2))), 2},
		"rename and replace a copy":   {pair, sequence(rename(agentA, movedAgain), replace(movedAgain, subagent("a", 3))), 2},
		"delete both copies and create one elsewhere": {
			pair, sequence(remove(agentA), remove(movedAgent), write(movedAgain, subagent("a", 2))), 2,
		},
		"create one with the same name in another session": {single, write("p/b/subagents/agent-1.jsonl", subagent("b", 2)), 2},
		"delete and create one of another session":         {single, sequence(remove(agentA), write(agentA, subagent("b", 2))), 2},
	} {
		t.Run(name, func(t *testing.T) {
			runCases(t, whenever(c.change), func(h *harness, change operation) {
				h.settings.Scan = 10 * time.Millisecond // a file is counted after some scans
				c.before.Write(h, h.Root)
				h.start()
				h.checkSubagents(1, uint64(len(c.before)))
				change(h)
				h.checkSubagents(2, c.want)
				h.restart()
				h.checkSubagents(3, c.want)
			})
		})
	}
}

// checkSubagents checks that exactly want sub-agents are counted. It writes a pair of
// copies, the n-th, and waits until they count, so that an excess count is seen. A
// polling daemon may find the pair before earlier files, so some scans follow.
func (h *harness) checkSubagents(n, want uint64) { h.checkSubagentsBelow(".", n, want) }

func (h *harness) checkSubagentsBelow(dir string, n, want uint64) {
	h.Helper()
	for _, project := range []string{"x", "y"} {
		h.Write(fmt.Sprintf("%s/%s/s/subagents/workflows/wf/agent-%d.jsonl", dir, project, n), subagent("s", 1))
	}
	h.waitUntil("the pair of copies is counted", func() bool {
		h.expireMessageTimeout()
		t := h.totals(summedLabels...)
		return t[`claude_subagents_total{kind="workflow"}`] == 2*n && t[subagents] >= want
	})
	h.waitForScans(3)
	checkEqual(h, "sub-agents", h.totals(summedLabels...)[subagents], want)
}

// A sub-agent in several snapshots of one home directory counts once, whether each
// snapshot is a source or all are below one.
func TestSubagentInSnapshots(t *testing.T) {
	for name, sourcesIn := range map[string]func(dir string) []string{
		"a source for each": func(dir string) []string {
			return []string{filepath.Join(dir, "monday", "projects"), filepath.Join(dir, "tuesday", "projects"), filepath.Join(dir, "now", "projects")}
		},
		"one source": func(dir string) []string { return []string{dir} },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			h.settings.Sources, h.settings.Scan = sources(sourcesIn(h.Root)...), 10*time.Millisecond
			copyTo := func(dir string, n int) {
				h.Write(dir+"/projects/"+fileA, replies("a", 3))
				h.Write(dir+"/projects/"+agentA, subagent("a", n))
			}
			copyTo("monday", 1)
			copyTo("tuesday", 2)
			h.start()
			h.checkSubagentsBelow("tuesday/projects", 1, 1)
			copyTo("now", 2)
			h.checkSubagentsBelow("tuesday/projects", 2, 1)
			// Not a snapshot: it is elsewhere in the same directory of projects.
			h.Write("now/projects/q/a/subagents/agent-1.jsonl", subagent("a", 2))
			h.checkSubagentsBelow("tuesday/projects", 3, 2)
			h.restart()
			h.Append("now/projects/"+agentA, subagent("a", 3))
			h.Remove("monday")
			h.checkSubagentsBelow("tuesday/projects", 4, 2)
		})
	}
}
