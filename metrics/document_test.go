package metrics

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/ccwatchd/ccwatchd/config"
	"github.com/ccwatchd/ccwatchd/ledger"
)

// defaults are what counting depends on where nothing is configured.
func defaults(t testing.TB) ledger.Options {
	t.Helper()
	somewhere := t.TempDir()
	c, err := config.Default(func(string) string { return somewhere })
	if err != nil {
		t.Fatal(err)
	}
	return ledger.Options{Buckets: c.Buckets.ByFamily(), Limits: c.Labels.MaxValues.ByLabel(), MaxSeries: int(c.Labels.MaxSeries)}
}

func TestDocument(t *testing.T) {
	var page bytes.Buffer
	if err := Document(&page, defaults(t)); err != nil {
		t.Fatal(err)
	}
	golden(t, "../docs/metrics.md", page.Bytes())
}

func TestDocumentFails(t *testing.T) {
	full := errors.New("disk full")
	if err := Document(failingWriter{full}, defaults(t)); !errors.Is(err, full) {
		t.Errorf("got %v, want %v", err, full)
	}
}

// Every label of every family is described, and nothing else is.
func TestLabelRows(t *testing.T) {
	own, err := daemonFamilies()
	if err != nil {
		t.Fatal(err)
	}
	options := defaults(t)
	rows := labelRows(options)
	used := make([]bool, len(rows))
	for _, f := range slices.Concat(own, ledgerFamilies(options)) {
		if f.Name == "ccwatchd_build_info" {
			continue
		}
		for _, label := range f.Labels {
			at := slices.IndexFunc(rows, func(r labelRow) bool { return r.Name == label && slices.Contains(r.Of, f.Name) })
			if at < 0 {
				at = slices.IndexFunc(rows, func(r labelRow) bool { return r.Name == label && len(r.Of) == 0 })
			}
			if at < 0 {
				t.Errorf("%s of %s is not described", label, f.Name)
				continue
			}
			used[at] = true
		}
	}
	for i, r := range rows {
		if !used[i] {
			t.Errorf("%s of %v is described, and no family has it", r.Name, r.Of)
		}
	}
}

func TestUnit(t *testing.T) {
	for name, want := range map[string]string{
		"claude_tokens_total":                    "tokens",
		"claude_tool_duration_seconds":           "seconds",
		"claude_tool_result_bytes_total":         "bytes",
		"claude_last_activity_timestamp_seconds": "Unix time, seconds",
		"claude_sessions_total":                  "",
	} {
		if got := (documented{Name: name}).Unit(); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
