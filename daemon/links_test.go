package daemon

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/follow"
	"github.com/ccwatchd/ccwatchd/test/polltest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// skippedLinks returns the number of links that are not followed for a reason.
func (h *harness) skippedLinks(reason string) float64 {
	h.Helper()
	return sum(h.samples(), "ccwatchd_skipped_links", "reason", reason)
}

// symlink makes a link at a path of the harness.
func (h *harness) symlink(target, path string) {
	h.Helper()
	if err := os.Symlink(target, h.Path(path)); err != nil {
		h.Skip(err)
	}
}

// withWatchesAndPolling runs a test in parallel with events and with polling.
func withWatchesAndPolling(t *testing.T, test func(h *harness)) {
	t.Helper()
	runCases(t, map[string]int{"watches": maxWatches, "polling": -1}, func(h *harness, watches int) {
		h.settings.MaxWatches = watches
		test(h)
	})
}

// A project, or a link to a project, may have the name of a directory that is skipped
// within projects.
func TestProjectsNamedAsSkippedDirectories(t *testing.T) {
	withWatchesAndPolling(t, func(h *harness) {
		elsewhere := transcripttest.NewDir(h)
		elsewhere.Write("one/a.jsonl", replies("a", 1))
		elsewhere.Write("one/memory/b.jsonl", replies("b", 100))
		h.symlink(elsewhere.Path("one"), "memory")
		h.Write("tool-results/c.jsonl", replies("c", 2))
		h.start()
		h.waitFor(counts(3, 2))
		h.Write("p/tool-results/d.jsonl", replies("d", 100))
		h.Write("tool-results/memory/e.jsonl", replies("e", 100))
		h.Append("tool-results/c.jsonl", replies("f", 4))
		elsewhere.Append("one/a.jsonl", replies("g", 8))
		h.waitFor(counts(15, 4))
	})
}

// A link to a directory is followed directly below a source, whatever happens to it and
// to its target. Counters never fall, and nothing counts twice.
func TestLinkedDirectories(t *testing.T) {
	withWatchesAndPolling(t, func(h *harness) {
		elsewhere := transcripttest.NewDir(h)
		elsewhere.Write("one/b.jsonl", replies("b", 2))
		elsewhere.Write("two/s/subagents/agent-c.jsonl", subagent("c", 4))
		elsewhere.Write("two/d.jsonl", replies("d", 3))
		h.Write("p/a.jsonl", replies("a", 3))
		h.symlink(elsewhere.Path("one"), "l")
		h.start()
		h.waitFor(counts(5, 2).with(replaced, 0))
		elsewhere.Append("one/b.jsonl", replies("e", 1))
		h.waitFor(counts(6, 3).with(replaced, 0))

		h.Remove("l") // another target
		h.symlink(elsewhere.Path("two"), "l")
		want := totals{requests: 13, sessions: 4, subagents: 1, replaced: 0}
		h.waitFor(want)
		elsewhere.Append("one/b.jsonl", replies("unseen", 7))
		elsewhere.Append("two/d.jsonl", replies("f", 1))
		want = want.with(requests, 14).with(sessions, 5)
		h.waitFor(want)
		h.waitForFileCount(3)

		elsewhere.Rename("two", "three") // the target disappears
		h.waitUntil("the link dangles", func() bool { return h.skippedLinks("dangling") == 1 })
		h.waitForFileCount(1)
		h.waitFor(want)
		elsewhere.Append("three/d.jsonl", replies("g", 1))
		elsewhere.Rename("three", "two") // and returns
		want = want.with(requests, 15).with(sessions, 6)
		h.waitFor(want)
		h.waitForFileCount(3)
		h.waitUntil("no link dangles", func() bool { return h.skippedLinks("dangling") == 0 })

		h.symlink(elsewhere.Path("one"), "new") // a link appears
		want = want.with(requests, 22).with(sessions, 7)
		h.waitFor(want)
		h.restart()
		h.waitFor(want)
		h.Remove("l")
		h.waitForFileCount(2)
		h.waitFor(want)
	})
}

// Links that are not followed are counted by their reason, and for each source.
func TestSkippedLinks(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	elsewhere := transcripttest.NewDir(h)
	elsewhere.Write("x.jsonl", replies("x", 1))
	h.Write("p/a.jsonl", replies("a", 3))
	for path, target := range map[string]string{
		"l1.jsonl": elsewhere.Path("x.jsonl"), "p/l2.jsonl": elsewhere.Path("x.jsonl"),
		"l3": ".", "l4": "..", "l5": "none", "p/l6": elsewhere.Root, "same": "p",
	} {
		h.symlink(target, path)
	}
	h.start()
	h.waitFor(counts(3, 1))
	for reason, want := range map[string]float64{"file": 2, "loop": 2, "dangling": 1, "nested": 1, "owner": 0} {
		checkEqual(t, reason, h.skippedLinks(reason), want)
	}
	checkEqual(t, "links of the source", (*h.d.watchedDirs.Load())[0].SkippedLinks, 6)
}

// With one source per user, alice must not be able to have bob's usage counted as hers
// by any link.
func TestLinksToOtherUsers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can change owners; package opendir tests the rule")
	}
	const alice, bob = 10_001, 10_002
	for name, attack := range map[string]string{
		"of the source":          "alice/projects",
		"of the directory above": "alice",
		"below the source":       "alice/projects/link",
	} {
		t.Run(name, func(t *testing.T) {
			withWatchesAndPolling(t, func(h *harness) {
				h.settings.Sources = func() []follow.Source {
					user := func(name string) follow.Source {
						return follow.Source{Path: h.Path(name + "/projects"), Base: h.Root, Labels: map[string]string{"user": name}}
					}
					return []follow.Source{user("alice"), user("bob")}
				}
				h.Write("alice/projects/p/a.jsonl", replies("a", 1))
				h.Write("bob/projects/p/b.jsonl", replies("b", 2))
				h.chown(bob, "bob/projects/p", "bob/projects", "bob")
				h.start()
				want := totals{requests + `{user="alice"}`: 1, requests + `{user="bob"}`: 2}
				h.waitFor(want)

				target := strings.Replace(attack, "alice", "bob", 1)
				if strings.HasSuffix(attack, "link") {
					target = "bob/projects/p"
				} else {
					h.Rename(attack, "old")
				}
				h.symlink(h.Path(target), attack)
				h.chown(alice, attack)
				h.waitForScans(2)
				h.Write("bob/projects/p/c.jsonl", replies("c", 4))
				h.Append("bob/projects/p/b.jsonl", replies("d", 8))
				want[requests+`{user="bob"}`] = 14
				h.waitFor(want)
				h.waitForScans(2)
				h.waitFor(want)
				if target == "bob/projects/p" {
					checkEqual(h, "links of others", h.skippedLinks("owner"), 1)
				}
				h.stop()
				once := h.totalsOnce(summedLabels...)
				checkEqual(h, "requests of bob", once[requests+`{user="bob"}`], 14)
				checkEqual(h, "requests of alice", once[requests+`{user="alice"}`] <= 1, true)
			})
		})
	}
}

// chown changes the owner of files, and of links themselves.
func (h *harness) chown(uid int, paths ...string) {
	h.Helper()
	for _, path := range paths {
		h.Must(os.Lchown(h.Path(path), uid, 0))
	}
}

// A link that was allowed during the walk is not followed if it leads to another user's
// directory by the time a file is opened.
func TestLinkChangedBeforeOpening(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can change owners; package opendir tests the rule")
	}
	h := newHarness(t)
	elsewhere := transcripttest.NewDir(h)
	elsewhere.Write("hers/a.jsonl", replies("a", 1))
	elsewhere.Write("his/a.jsonl", replies("b", 2))
	h.Must(os.Chown(elsewhere.Path("hers"), 10_001, 0))
	h.Must(os.Chown(elsewhere.Path("his"), 10_002, 0))
	h.symlink(elsewhere.Path("hers"), "l")
	h.chown(10_001, "l")
	e := h.newEngine()
	polltest.Eventually(t, "a walk", e.watch.pending)
	u := e.watch.Take()
	if len(u.Tree) != 1 || u.Tree[0].Rel != filepath.Join("l", "a.jsonl") {
		t.Fatalf("got %v, want the linked file", u.Tree)
	}
	h.Remove("l")
	h.symlink(elsewhere.Path("his"), "l")
	h.chown(10_001, "l")
	e.update(t.Context(), u)
	checkEqual(t, "unreadable files", e.follower.Unreadable(), 1)
	if got := stateTotals(e.daemon.state, summedLabels...)[requests]; got != 0 {
		t.Errorf("got %d requests of another user", got)
	}
}

// The status states that a source does not exist, until it appears.
func TestMissingSource(t *testing.T) {
	withWatchesAndPolling(t, func(h *harness) {
		h.settings.Sources = sources(h.Path("one"), h.Path("two"))
		h.Write("one/p/a.jsonl", replies("a", 1))
		missing := func() (all []bool) {
			for _, dir := range h.d.WatchedDirs() {
				all = append(all, dir.Missing)
			}
			return all
		}
		h.start()
		h.waitUntil("a source is missing", func() bool { return slices.Equal(missing(), []bool{false, true}) })
		h.Write("two/p/b.jsonl", replies("b", 1))
		h.waitUntil("no source is missing", func() bool { return slices.Equal(missing(), []bool{false, false}) })
	})
}
