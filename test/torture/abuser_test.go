package torture

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/filetest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/usage/api"
)

// abuserOf returns the abuser of a tree, and a function that lets the abuser do one
// thing several times.
func abuserOf(t *testing.T, tr *tree) (*abuser, func(times int, commit func(*abuser) error)) {
	t.Helper()
	a := newAbuser(t.TempDir(), 1, time.Minute, tr)
	if err := a.prepare(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.unlock(); err != nil {
			t.Error(err)
		}
	})
	return a, func(times int, commit func(*abuser) error) {
		t.Helper()
		for range times {
			if err := commit(a); err != nil && !errors.Is(err, fs.ErrPermission) {
				t.Fatal(err)
			}
		}
	}
}

// No abuse changes a file of the victim.
func TestAbuseLeavesTheVictimAlone(t *testing.T) {
	tr := disturb(t, 3, 300)
	for _, f := range tr.files {
		f.read = true
	}
	a, do := abuserOf(t, tr)
	before := [2]transcripttest.Tree{contents(t, tr.root), transcripttest.ReadTree(t, tr.store)}
	for range 3 {
		for _, b := range abuses() {
			do(5, b.commit)
		}
	}
	after := [2]transcripttest.Tree{contents(t, tr.root), transcripttest.ReadTree(t, tr.store)}
	if !maps.Equal(before[0], after[0]) || !maps.Equal(before[1], after[1]) {
		t.Error("files of the victim changed")
	}
	if a.names == 0 {
		t.Error("the abuser did nothing")
	}
}

func TestFlood(t *testing.T) {
	a, do := abuserOf(t, newTree(t.TempDir(), nil))
	do(15, (*abuser).flood)
	if n := len(directories(t, a.root)); n != 1300 || n != len(a.flooded) {
		t.Errorf("got %d directories and %d names, want 1300", n, len(a.flooded))
	}
}

// Copies are at the path of the victim's file, with its session id and not higher
// numbers.
func TestCopiesOfVictim(t *testing.T) {
	const line = `{"type":"assistant","sessionId":"0f8f","message":{"id":"msg_1","usage":{"output_tokens":12}}}` + "\n"
	tr := treeOf(t, transcripttest.Tree{mainName: line})
	a, do := abuserOf(t, tr)
	name := a.abs(mainName)
	do(1, (*abuser).plagiarize)
	if _, err := os.Stat(name); err == nil {
		t.Error("a file was copied that the daemon has not read")
	}
	tr.files[0].read = true
	var copied strings.Builder
	for range 20 {
		do(1, (*abuser).plagiarize)
		copied.WriteString(filetest.Read(t, name))
	}
	lower := strings.Replace(line, "12", "1", 1)
	if text := copied.String(); !strings.Contains(text, line) || !strings.Contains(text, lower) {
		t.Errorf("got %q, want copies of %q, some with lower numbers", text, line)
	}
	filetest.Write(t, name, "")
	do(1, (*abuser).impersonate)
	if text := filetest.Read(t, name); strings.Count(text, `"sessionId":`) != strings.Count(text, `"sessionId":"0f8f"`) || !strings.Contains(text, `"cost-state"`) {
		t.Errorf("got %.200q, want lines and totals of session 0f8f", text)
	}
	do(1, (*abuser).moveCopy)
	if _, err := os.Stat(name); err == nil {
		t.Error("the copy was neither moved nor removed")
	}
}

// Each file of spent keys has new ids, and four have as many as a source may have.
func TestSpendKeys(t *testing.T) {
	a, do := abuserOf(t, newTree(t.TempDir(), nil))
	ids := make(map[string]bool)
	for range 5 {
		do(1, (*abuser).spendKeys)
		for _, part := range strings.Split(filetest.Read(t, a.abs("-srv-spent/spent.jsonl")), `"id":"`)[1:] {
			id, _, _ := strings.Cut(part, `"`)
			if ids[id] {
				t.Fatalf("id %s is not new", id)
			}
			ids[id] = true
		}
	}
	if len(ids) <= a.keys {
		t.Errorf("got %d ids, want more than %d", len(ids), a.keys)
	}
}

func TestHonest(t *testing.T) {
	const all = "# TYPE claude_tokens_total counter\n" +
		"claude_tokens_total{user=\"alice\"} 5\nclaude_tokens_total{user=\"mallory\"} 7\nclaude_tokens_total{user=\"\"} 0\n"
	if sum, _ := honest(parse(t, all)).Sum("claude_tokens_total"); sum != 5 {
		t.Errorf("got %v tokens, want 5", sum)
	}
	if got := honest(parse(t, all)); len(got) != 2 || got[0].Labels[userLabel] != "" {
		t.Errorf("got %v, want two series without a user", got)
	}
	history := honestHistory([]api.HistorySeries{
		grown("claude_tokens_total", map[string]string{"user": "mallory"}, 1),
		grown("claude_tokens_total", map[string]string{"user": "alice", "type": "input"}, 2),
	})
	if len(history) != 1 || !maps.Equal(history[0].Labels, map[string]string{"type": "input"}) {
		t.Errorf("got %v, want the series of alice", history)
	}
}

// Every abuse has a row in the summary.
func TestSummaryOfAbuse(t *testing.T) {
	r := run{tree: newTree(t.TempDir(), nil), checker: newChecker(nil), count: make(map[string]int)}
	var rows []string
	for _, row := range r.summary().rows {
		rows = append(rows, row[0])
	}
	for _, b := range abuses() {
		if !slices.Contains(rows, b.name) {
			t.Errorf("%q is missing", b.name)
		}
	}
	if !slices.Contains(rows, "keys forgotten") {
		t.Error("the forgotten keys are missing")
	}
}
