package daemon

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// secret marks text that must not be logged or stored.
const secret = "hush"

// A logBuffer is a log that several goroutines write to.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// No text of a conversation, no id and no path is stored or logged, only labels and
// numbers.
func TestPrivacy(t *testing.T) {
	h := newHarness(t)
	log := &logBuffer{}
	h.log = log
	s := &session{ID: "hush-session", CWD: "/home/hush-user/hush-checkout/the-project"}
	s.Prompt("hush-prompt").
		Prompt("<command-name>/hush-command</command-name><command-args>hush-args</command-args>").
		Reply(reply{
			ID: "hush-message", Model: "the-model", In: 1, Out: 1, Stop: "tool_use",
			Calls: []call{{ID: "hush-tool-id", Name: "the-tool"}},
		}).
		Result("hush-tool-id", "hush-output", true).
		Result("hush-lost", "hush-output", true).
		Line("system", `,"subtype":"compact_boundary","compactMetadata":{"trigger":"auto","preTokens":5},"content":"hush-content"`).
		Line("assistant", `,"isApiErrorMessage":true,"message":{"model":"<synthetic>","content":[{"type":"text","text":"hush-error"}]}`).
		Line("attachment", `,"attachment":{"type":"queued_command","commandMode":"prompt","prompt":"hush-queued"}`).
		Line("user", `,"gitBranch":"hush-branch","message":{"content":[{"type":"text","text":"[Request interrupted by user] hush"}]}`).
		Line("queue-operation", `,"operation":"enqueue","content":"hush-enqueued"`).
		Line("summary", `,"summary":"hush-summary"`).
		Raw(`hush-garbage`).
		Raw(`{"type":"hush`).
		Reply(reply{ID: "hush-open", Model: "the-model", In: 1, Out: 1})
	agent := &session{Name: "hush-agent", ID: "hush-session", CWD: s.CWD, Side: true}
	agent.Prompt("hush-task").Reply(reply{ID: "hush-agents", In: 1, Out: 1})
	dir := "-home-hush-user/hush-session"

	h.start()
	h.totals()
	h.Write(dir+".jsonl", s.String())
	h.Write(dir+"/subagents/agent-hush.jsonl", agent.String()+`{"hush`)
	h.waitFor(totals{requests: 1, subagents: 1})
	h.checkStateFiles()
	h.Must(os.Mkdir(h.Path("hush-directory.jsonl"), 0o700))
	h.makeFIFOAndSymlink("hush-fifo.jsonl", "hush-link.jsonl")
	h.Rename(dir+".jsonl", "-hush-other/hush-session.jsonl")
	h.Write(dir+"/subagents/agent-hush.jsonl", "hush\n")
	h.reload()
	h.waitFor(totals{garbage: 3})
	h.expireMessageTimeout()
	h.waitFor(totals{requests: 3})
	h.checkStateFiles()
	h.crash(nil, func() { h.Remove("-hush-other") })
	h.waitFor(totals{requests: 3})
	h.checkStateFiles()
	h.stop()
	h.checkStateFiles()
	if got := log.String(); len(got) < 100 || strings.Contains(got, secret) {
		t.Errorf("the log is empty or contains a secret:\n%s", got)
	}
}

// checkStateFiles checks that the state directory contains labels, but no secret.
func (h *harness) checkStateFiles() {
	h.Helper()
	var files map[string]string
	read := func() { files = readDir(h, h.stateDir) }
	if h.d == nil {
		read()
	} else {
		whileLocked(h.d.state, read)
	}
	var all strings.Builder
	for name, text := range files {
		if i := strings.Index(text, secret); i >= 0 {
			h.Errorf("%s contains a secret: %q", name, text[max(0, i-20):min(len(text), i+40)])
		}
		all.WriteString(text)
	}
	for _, label := range []string{"the-project", "the-model", "the-tool", "custom"} {
		if !strings.Contains(all.String(), label) {
			h.Errorf("the state does not contain the label %q", label)
		}
	}
}

// An unknown name of the format is logged once and listed once. Text that cannot be a
// name of the format is not, and the state contains no names.
func TestUnknownNames(t *testing.T) {
	h := newHarness(t)
	log := &logBuffer{}
	h.log = log
	want := totals{`ccwatchd_unknown_format_total{kind="metadata_type"}`: 2, `ccwatchd_unknown_format_total{kind="type"}`: 0}
	h.Write(fileA, "{\"type\":\"brand-new-latch\"}\n{\"type\":\"brand-new-latch\"}\n")
	h.start()
	h.waitFor(want)
	h.Write(fileB, `{"type":"brand-new-latch"}
{"type":"brand-new-reply","message":{}}
{"type":"hush hush","message":{}}
`)
	want = totals{`ccwatchd_unknown_format_total{kind="metadata_type"}`: 3, `ccwatchd_unknown_format_total{kind="type"}`: 2}
	h.waitFor(want)
	wantItems := []transcript.UnknownItem{
		{Kind: "metadata_type", Name: "brand-new-latch"},
		{Kind: "type", Name: "brand-new-reply"},
		{Kind: "type", Name: transcript.NotIdentifier},
	}
	if got := h.d.Unknown(); !slices.Equal(got, wantItems) {
		t.Errorf("Unknown: got %v, want %v", got, wantItems)
	}
	for level, name := range map[string]string{"level=INFO": "name=brand-new-latch", "level=WARN": "name=brand-new-reply"} {
		var lines []string
		for line := range strings.Lines(log.String()) {
			if strings.Contains(line, name) {
				lines = append(lines, line)
			}
		}
		if len(lines) != 1 || !strings.Contains(lines[0], level) {
			t.Errorf("%s: got the log lines %q, want one with %s", name, lines, level)
		}
	}
	if strings.Contains(log.String(), secret) {
		t.Errorf("the log contains text of a transcript:\n%s", log)
	}
	h.stop()
	for name, text := range readDir(t, h.stateDir) {
		if strings.Contains(text, "brand-new") {
			t.Errorf("%s contains a name", name)
		}
	}
	h.start()
	h.waitFor(want)
	if got := h.d.Unknown(); len(got) != 0 {
		t.Errorf("Unknown after a restart: got %v, want none", got)
	}
}
