package ledger_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/reference"
	"github.com/ccwatchd/ccwatchd/test/reference/naive"
)

// notInFiles are families that the second implementation cannot compute, and the
// reasons.
var notInFiles = map[string]string{
	"ccwatchd_duplicates_total":     "depends on the order in which files are read; property_test.go covers it",
	"ccwatchd_file_resets_total":    "files at rest are not reset; package daemon covers it",
	"ccwatchd_label_overflow_total": "depends on limits of the configuration, which the second implementation does not know",
	"ccwatchd_read_bytes_total":     "is about reads, not about content; package daemon compares it with sizes of files",
	"ccwatchd_replaced_times_total": "depends on when a line is read: a time can be in the future",
}

// noPanel are families without a panel, and the reasons.
var noPanel = map[string]string{
	"ccwatchd_file_resets_total":               "Duplicates shows the effect; the log states the reason",
	"ccwatchd_replaced_times_total":            "wrong clocks are rare, and need no action",
	"claude_limit_hit_reset_timestamp_seconds": "Usage limits now has the reset of every window, reached or not",
	"claude_queue_operations_total":            "is about how people type; prompts have panels",
	"claude_reported_cost_basis_total":         "does not change in an installation; is for the query of an administrator",
	"claude_reported_sessions_total":           "Transcript coverage is the ratio of their tokens",
	"claude_reported_web_searches_total":       "Web searches and fetches has all searches, also of sessions that report none",
	"claude_turn_duration_seconds":             "claude_turn_seconds, which has panels, includes turns without a stated duration",
}

// Every family of the ledger has a script that expects it, a second implementation, and
// a panel. docs/design/architecture.md#a-new-counter describes how to add them.
func TestFamiliesAreComplete(t *testing.T) {
	expected := familiesIn(t, "testdata/*.txtar", `(?m)^\w+(?:\{.*\})? [-0.]*[1-9]\S*$`)
	queried := familiesIn(t, "../packaging/grafana/dashboards/*.json", `"expr": ".*"`)
	computed := make(map[string]bool)
	for _, name := range slices.Concat(naive.Families(), reference.Families()) {
		computed[name] = true
	}
	unused := slices.Concat(slices.Collect(maps.Keys(notInFiles)), slices.Collect(maps.Keys(noPanel)))
	for _, f := range ledger.Families(ledger.Options{}) {
		unused = slices.DeleteFunc(unused, func(name string) bool { return name == f.Name })
		for _, check := range []struct {
			has     bool
			without map[string]string
			missing string
		}{
			{expected[f.Name], nil, "no script expects it: add one to ledger/testdata, with the line \"only " + f.Name + "\" if other scripts do not show it, and run go test ./ledger -run Scripts -update"},
			{computed[f.Name], notInFiles, "no second implementation computes it: add it to a Rule in test/reference/naive, or a row to test/reference/table.go"},
			{queried[f.Name], noPanel, "no dashboard shows it: add it to a panel in packaging/grafana/generate and run make dashboards, or add it to noPanel in ledger/completeness_test.go with a reason"},
		} {
			if reason, ok := check.without[f.Name]; !check.has && !ok {
				t.Errorf("%s: %s", f.Name, check.missing)
			} else if check.has && ok {
				t.Errorf("%s is an exception (%q) without need: remove it from ledger/completeness_test.go", f.Name, reason)
			}
		}
	}
	for _, name := range unused {
		t.Errorf("%s is a listed exception but no family: remove it from ledger/completeness_test.go", name)
	}
}

var (
	seriesName = regexp.MustCompile(`\b(?:claude|ccwatchd)_\w+`)
	suffix     = regexp.MustCompile(`_(?:bucket|sum|count)$`)
)

// familiesIn returns the names of series, with and without the suffix of a histogram,
// in the parts of files that a regular expression matches.
func familiesIn(t *testing.T, files, part string) map[string]bool {
	t.Helper()
	names, err := filepath.Glob(files)
	if err != nil || len(names) == 0 {
		t.Fatalf("no files are named %s: %v", files, err)
	}
	found, parts := make(map[string]bool), regexp.MustCompile(part)
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range parts.FindAllString(string(content), -1) {
			for _, series := range seriesName.FindAllString(match, -1) {
				found[series], found[suffix.ReplaceAllString(series, "")] = true, true
			}
		}
	}
	return found
}
