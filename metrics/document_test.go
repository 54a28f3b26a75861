package metrics

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/ccwatchd/ccwatchd/config"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/difftest"
)

// defaults returns the ledger options of a daemon without a configuration.
func defaults(t testing.TB) ledger.Options {
	t.Helper()
	dir := t.TempDir()
	c, err := config.Default(func(string) string { return dir })
	if err != nil {
		t.Fatal(err)
	}
	return ledger.Options{Buckets: c.Buckets.ByFamily(), Limits: c.Labels.MaxValues, MaxSeries: c.Labels.MaxSeries}
}

func TestDocument(t *testing.T) {
	var page bytes.Buffer
	if err := writeDocument(&page, defaults(t)); err != nil {
		t.Fatal(err)
	}
	difftest.Golden(t, "../docs/metrics.md", page.String())
}

func TestDocumentWriteError(t *testing.T) {
	want := errors.New("disk full")
	if err := writeDocument(failingWriter{want}, defaults(t)); !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
}

// Every label of every family has a description, and no other label has one.
func TestLabelRows(t *testing.T) {
	daemon, err := daemonFamilies()
	if err != nil {
		t.Fatal(err)
	}
	options := defaults(t)
	rows := labelRows(options)
	used := make([]bool, len(rows))
	for _, f := range slices.Concat(daemon, ledgerFamilies(options)) {
		if f.Name == "ccwatchd_build_info" {
			continue
		}
		for _, label := range f.Labels {
			row := slices.IndexFunc(rows, func(r labelRow) bool { return r.Name == label && slices.Contains(r.Families, f.Name) })
			if row < 0 {
				row = slices.IndexFunc(rows, func(r labelRow) bool { return r.Name == label && len(r.Families) == 0 })
			}
			if row < 0 {
				t.Errorf("label %s of %s has no description", label, f.Name)
				continue
			}
			used[row] = true
		}
	}
	for i, r := range rows {
		if !used[i] {
			t.Errorf("label %s of %v has a description but no family", r.Name, r.Families)
		}
	}
}
