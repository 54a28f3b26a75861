package daemon

import (
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/polltest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// secret marks text that must not be logged or stored.
const secret = "hush"

// An unknown name of the format is logged once and listed once. Text that cannot be
// such a name is neither logged nor listed. The state contains no names.
func TestUnknownNames(t *testing.T) {
	h := newHarness(t)
	log := new(polltest.Buffer)
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
	for name, text := range transcripttest.ReadTree(t, h.stateDir) {
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
