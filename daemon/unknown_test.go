package daemon

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// What is unknown is logged and listed by name, once, whichever way it was read; what
// cannot be a name of the format never is, and the state holds no names at all.
func TestUnknownNames(t *testing.T) {
	w := newWorld(t)
	log := &lockedBuffer{}
	w.log = log
	const metadata, alarming = `ccwatchd_unknown_format_total{kind="metadata_type"}`, `ccwatchd_unknown_format_total{kind="type"}`
	w.write("p/a.jsonl", "{\"type\":\"brand-new-latch\"}\n{\"type\":\"brand-new-latch\"}\n")
	w.start()
	w.shows(totals{metadata: 2, alarming: 0})
	w.write("p/b.jsonl", "{\"type\":\"brand-new-latch\"}\n{\"type\":\"brand-new-reply\",\"message\":{}}\n{\"type\":\"hush hush\",\"message\":{}}\n")
	w.shows(totals{metadata: 3, alarming: 2})
	want := []transcript.UnknownItem{
		{Kind: "metadata_type", Name: "brand-new-latch"}, {Kind: "type", Name: "brand-new-reply"}, {Kind: "type", Name: transcript.NotIdentifier},
	}
	if got := w.d.Unknown(); !slices.Equal(got, want) {
		t.Errorf("it lists %v, want %v", got, want)
	}
	for level, name := range map[string]string{"level=INFO": "name=brand-new-latch", "level=WARN": "name=brand-new-reply"} {
		var lines []string
		for line := range strings.Lines(log.String()) {
			if strings.Contains(line, name) {
				lines = append(lines, line)
			}
		}
		if len(lines) != 1 || !strings.Contains(lines[0], level) {
			t.Errorf("%s is not logged once and with %s: %q", name, level, lines)
		}
	}
	if strings.Contains(log.String(), secret) {
		t.Errorf("the log contains text of a transcript:\n%s", log)
	}
	w.halt()
	for _, name := range w.names() {
		b, err := os.ReadFile(filepath.Join(w.state, name))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(b, []byte("brand-new")) {
			t.Errorf("%s holds a name", name)
		}
	}
	w.start()
	w.shows(totals{metadata: 3, alarming: 2})
	if got := w.d.Unknown(); len(got) != 0 {
		t.Errorf("after a restart it lists %v", got)
	}
}
