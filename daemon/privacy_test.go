package daemon

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// secret marks everything that must stay where it is.
const secret = "hush"

// A lockedBuffer is a log that goroutines write to.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// Nothing of a conversation, no id and no path is kept or logged: only labels
// and numbers.
func TestNothingIsToldOf(t *testing.T) {
	w := newWorld(t)
	log := &lockedBuffer{}
	w.log = log
	k := &talk{ID: "hush-session", CWD: "/home/hush-user/hush-checkout/the-project"}
	k.Prompt("hush-prompt").
		Prompt("<command-name>/hush-command</command-name><command-args>hush-args</command-args>").
		Reply(reply{ID: "hush-message", Model: "the-model", In: 1, Out: 1, Stop: "tool_use", Calls: []call{{ID: "hush-tool-id", Name: "the-tool"}}}).
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
	agent := &talk{Name: "hush-agent", ID: "hush-session", CWD: k.CWD, Side: true}
	agent.Prompt("hush-task").Reply(reply{ID: "hush-agents", In: 1, Out: 1})
	dir := "-home-hush-user/hush-session"

	w.start()
	w.totals()
	w.write(dir+".jsonl", k.String())
	w.write(dir+"/subagents/agent-hush.jsonl", agent.String()+`{"hush`)
	w.shows(totals{requests: 1, subagents: 1})
	w.kept()
	if err := os.Mkdir(w.path("hush-directory.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	w.odd("hush-fifo.jsonl", "hush-link.jsonl")
	w.rename(dir+".jsonl", "-hush-other/hush-session.jsonl")
	w.write(dir+"/subagents/agent-hush.jsonl", "hush\n")
	w.reload()
	w.shows(totals{`ccwatchd_line_errors_total{reason="garbage"}`: 3})
	w.quiet()
	w.shows(totals{requests: 3})
	w.kept()
	w.die(nil, func() { w.remove("-hush-other") })
	w.shows(totals{requests: 3})
	w.kept()
	w.halt()
	w.kept()
	if got := log.String(); len(got) < 100 || bytes.Contains([]byte(got), []byte(secret)) {
		t.Errorf("the log tells, or nothing at all:\n%s", got)
	}
}

// kept sees what the files of the state hold: labels, but no secret.
func (w *world) kept() {
	w.Helper()
	if w.d != nil {
		whileLocked(w.d.state, w.keptNow)
	} else {
		w.keptNow()
	}
}

func (w *world) keptNow() {
	w.Helper()
	var all []byte
	for _, name := range w.names() {
		b, err := os.ReadFile(filepath.Join(w.state, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue // a snapshot that was being written, and has its name by now
		case err != nil:
			w.Fatal(err)
		}
		if i := bytes.Index(b, []byte(secret)); i >= 0 {
			w.Errorf("%s tells: %s", name, fmt.Sprintf("%q", b[max(0, i-20):min(len(b), i+40)]))
		}
		all = append(all, b...)
	}
	for _, label := range []string{"the-project", "the-model", "the-tool", "custom"} {
		if !bytes.Contains(all, []byte(label)) {
			w.Errorf("the state does not hold the label %q, so it is not looked at rightly", label)
		}
	}
}
