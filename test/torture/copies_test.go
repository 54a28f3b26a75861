package torture

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/filetest"
	"github.com/ccwatchd/ccwatchd/test/reference"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

const (
	agentName = "-home-dev-app-1/0f8fad5b-d9cb-469f-a165-70867728950e/subagents/agent-a1.jsonl"
	mainName  = "-home-dev-app-2/0f8fad5b-d9cb-469f-a165-70867728950e.jsonl"
)

// treeOf returns a tree of complete files.
func treeOf(t *testing.T, files transcripttest.Tree) *tree {
	t.Helper()
	tr := newTree(t.TempDir(), rand.New(rand.NewPCG(1, 0)))
	files.Write(t, tr.root)
	files.Write(t, tr.store)
	for name, content := range files {
		source := filepath.Join(tr.store, filepath.FromSlash(name))
		agent := strings.Contains(name, "agent-")
		tr.files = append(tr.files, &file{name: name, source: source, agent: agent, written: len(content), terminated: true})
	}
	return tr
}

// A copy of a sub-agent's file counts as another sub-agent, and neither is deleted.
func TestCopyAgent(t *testing.T) {
	for _, test := range []struct{ name, content, kind string }{
		{"a task", `{"type":"user","message":{"content":"Look."}}` + "\n", "task"},
		{"a warm-up", "\x00" + `{"type":"user","message":{"content":"Warmup"}}` + "\n", "warmup"},
		{"an answer", `{"type":"assistant","message":{}}` + "\n", "task"},
		{"no dialogue", `{"type":"system"}` + "\n" + `{"type":"user","message":{"content":"cut o`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			tr := treeOf(t, transcripttest.Tree{agentName: test.content})
			f := tr.files[0]
			for _, to := range []string{"-home-dev-app-2", "-home-dev-app-2"} {
				if _, err := tr.copyAgent(f, to, []byte(test.content)); err != nil {
					t.Fatal(err)
				}
			}
			if kind, hasDialogue := subagentKind(f.name, []byte(test.content)); hasDialogue != (test.kind != "") || hasDialogue && kind != test.kind {
				t.Errorf("got kind %q, dialogue %v", kind, hasDialogue)
			}
			if want := 3; test.kind != "" && len(tr.files) != want {
				t.Errorf("got %d files, want %d", len(tr.files), want)
			}
			for _, f := range tr.files {
				if test.kind != "" && (!f.copied || filetest.Read(t, tr.abs(f.name)) != test.content || filetest.Read(t, f.source) != test.content) {
					t.Errorf("%+v is not a copy", f)
				}
			}
			if chosen := tr.chooseDeletions(); test.kind != "" && len(chosen) > 0 {
				t.Errorf("%v will be deleted", chosen)
			}
		})
	}
}

func TestNewUUIDs(t *testing.T) {
	const a, b = "00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b"
	lines := []string{
		`{"parentUuid":null,"sessionId":"` + a + `","type":"user","uuid":"` + a + `"}`,
		`{"parentUuid":"` + a + `","type":"assistant","message":{"id":"` + b + `"},"uuid":"` + b + `"}`,
		`{"type":"assistant","isApiErrorMessage":true,"uuid":"` + b + `"}`,
		`{"type":"system","subtype":"api_error","uuid":"` + b + `"}`,
		`{"logicalParentUuid":"` + b + `"`,
	}
	tr := treeOf(t, nil)
	got := string(tr.withNewUUIDs([]byte(strings.Join(lines, "\n"))))
	first, second := strings.Split(got, `"uuid":"`)[1][:36], strings.Split(got, `"uuid":"`)[2][:36]
	want := strings.NewReplacer(`uuid":"`+a, `uuid":"`+first, `Uuid":"`+a, `Uuid":"`+first, `uuid":"`+b, `uuid":"`+second).Replace(lines[0] + "\n" + lines[1] + "\n")
	if got != want || first == a || second == b || first == second {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

func TestShorten(t *testing.T) {
	const before, after = `{"type":"user"}` + "\n", `{"subtype":"compact_boundary"}` + "\n" + `{"type":"user","n":2}` + "\n"
	tr := treeOf(t, transcripttest.Tree{mainName: before + after})
	calls := 0
	for range 2 { // the second time there is nothing to drop
		done, err := tr.shorten(func() error { calls++; return nil })
		if err != nil || done != (calls == 1) {
			t.Fatalf("%v, %v", done, err)
		}
		calls++
	}
	if got := contents(t, tr.root)[mainName]; got != after {
		t.Errorf("got %q, want %q", got, after)
	}
	if err := errors.Join(tr.truncate(tr.files[0]), tr.finish()); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, tr.root)[mainName]; got != after {
		t.Errorf("written again: got %q, want %q", got, after)
	}
	if err := tr.restoreAll(); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, tr.root)[mainName]; got != before+after {
		t.Errorf("restored: got %q, want %q", got, before+after)
	}
}

// A file that is being saved does not grow. A sub-agent may have two files then.
func TestSaveInPlace(t *testing.T) {
	const content = `{"type":"user","message":{}}` + "\n"
	for range 8 { // with both names
		tr := treeOf(t, transcripttest.Tree{agentName: content})
		rename, err := tr.saveInPlace()
		if err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(filepath.Dir(tr.abs(agentName)))
		if err != nil || len(entries) != 2 || tr.pickUsable(anyFile) != nil {
			t.Errorf("got files %v, error %v; %v can be picked", entries, err, tr.pickUsable(anyFile))
		}
		named := slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == "agent-a1.jsonl.new.jsonl" })
		if named != (tr.allowance["task"] == 1) {
			t.Errorf("files %v: got allowance %v", entries, tr.allowance)
		}
		if err := rename(); err != nil {
			t.Fatal(err)
		}
		if got := contents(t, tr.root)[agentName]; got != content || tr.pickUsable(anyFile) == nil {
			t.Errorf("got %q", got)
		}
	}
}

// Totals must be equal, except for lines, which are read again, and for the sub-agents
// that may be counted twice.
func TestDiffTotals(t *testing.T) {
	totals := func(prompts, lines, task, flow int64) reference.Totals {
		return reference.Totals{
			{Metric: "human_turns", Labels: "kind=text"}: prompts, {Metric: "entries", Labels: "type=user"}: lines,
			{Metric: "subagents", Labels: "kind=task"}: task, {Metric: "subagents", Labels: "kind=workflow"}: flow,
		}
	}
	const more = " (and 0 more differences)"
	for _, test := range []struct {
		name string
		got  reference.Totals
		want string
	}{
		{"equal", totals(5, 9, 5, 3), ""},
		{"one lost", totals(4, 9, 5, 3), "human_turns{kind=text} differs: want 5, got 4" + more},
		{"one counted twice", totals(6, 9, 5, 3), "human_turns{kind=text} differs: want 5, got 6" + more},
		{"nothing", nil, "human_turns{kind=text} missing: want 5, got 0 (and 2 more differences)"},
		{"one more sub-agent", totals(5, 9, 6, 3), ""},
		{"two more sub-agents", totals(5, 9, 7, 3), "subagents{kind=task} differs: want 5, got 6" + more},
		{"one sub-agent less", totals(5, 9, 4, 3), "subagents{kind=task} differs: want 5, got 4" + more},
		{"one more of another kind", totals(5, 9, 5, 4), "subagents{kind=workflow} differs: want 3, got 4" + more},
	} {
		t.Run(test.name, func(t *testing.T) {
			tr := newTree(t.TempDir(), nil)
			tr.expected, tr.allowance["task"] = withoutLines(totals(5, 7, 5, 3)), 1
			if text := errorText(diffTotals(tr.expected, tr.applyAllowance(test.got))); text != test.want {
				t.Errorf("got %q, want %q", text, test.want)
			}
		})
	}
}

// Series of sub-agents that may be counted twice are not compared.
func TestComparable(t *testing.T) {
	tr := newTree(t.TempDir(), nil)
	tr.allowance["task"] = 1
	samples := parse(t, "# TYPE claude_subagents_total counter\nclaude_subagents_total{kind=\"task\"} 1\nclaude_subagents_total{kind=\"workflow\"} 1\n"+
		"# TYPE claude_tokens_total counter\nclaude_tokens_total{kind=\"task\"} 1\n")
	if got := tr.comparable(samples); len(got) != 2 || got[`claude_subagents_total{kind="task"}`] != 0 {
		t.Errorf("got comparable series %v", got)
	}
}

// Consecutive queue operations stay together, and files of one session are not merged.
func TestQueueRunsStayTogether(t *testing.T) {
	const a, b = `{"type":"queue-operation","s":"a"}` + "\n", `{"type":"queue-operation","s":"b"}` + "\n"
	const other = `{"type":"system"}` + "\n"
	tr := treeOf(t, nil)
	for range 20 {
		got := string(tr.interleave([]byte(strings.Repeat(a+a+a+other, 5)), []byte(strings.Repeat(b+b+other, 5))))
		if strings.Count(got, a+a+a) != 5 || strings.Count(got, b+b) != 5 {
			t.Fatalf("operations are separated:\n%s", got)
		}
	}
	id := func(c string) []byte { return []byte(`{"sessionId":"00000000-0000-4000-8000-00000000000` + c + `"}`) }
	if !related(id("a"), append(id("b"), id("a")...)) || related(id("a"), id("b")) {
		t.Error("related is wrong")
	}
}
