//go:build endtoend

package endtoend

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/state/checkpoint"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// An edit replaces a text that occurs exactly once in a file of the repository.
type edit struct{ file, old, replacement string }

// newerVersion turns the source code into that of a newer version, as docs/state.md
// requires: with five more families, which count existing entries or stay at 0, another
// label of prompts, and sessions under another name. The label comes from a field that
// journal records of the present version lack.
func newerVersion() []edit {
	const family, ledger = "ledger/family.go", "ledger/ledger.go"
	format := func(n uint32) string { return fmt.Sprintf("const Format uint32 = %d\n", n) }
	return []edit{
		{"state/checkpoint/format.go", format(checkpoint.Format), format(checkpoint.Format + 1)},
		{family, "tokens familyID = iota\n", "futureEntries familyID = iota\nfutureBytes\ntokens\n"},
		{family, "familyCount\n)", "futureSizes\nfutureZero\nfutureNewest\nfamilyCount\n)"},
		{family, "\town := func(", `
	renamed := func(f Family, formerly string) Family { f.Formerly = []string{formerly}; return f }
	gauge := func(f Family) Family { f.Type = Gauge; return f }
	own := func(`},
		{family, "\t\ttokens: ", `
		futureEntries: seen("future_entries_total", "Entries.", "type"),
		futureBytes:   own("future_bytes_total", "Bytes."),
		futureSizes:   histogram(seen("future_result_bytes", "Sizes of results."), 1),
		futureZero:    own("future_zero_total", "Nothing."),
		futureNewest:  gauge(own("future_newest_milliseconds", "Time of the newest entry.")),
		tokens: `},
		{family, `including those repeated in forks.", "kind", "project")`, `forks that repeat it.", "kind", "project", "started_by")`},
		{family, `seen("sessions_total", "Sessions with at least one line of dialogue.", "project")`,
			`renamed(seen("conversations_total", "Sessions with at least one line of dialogue.", "project"), "claude_sessions_total")`},
		{ledger, "l.add(readBytes, 0, l.birth, \"\")\n", "l.add(readBytes, 0, l.birth, \"\")\nl.add(futureZero, 0, l.birth, \"\")\n"},
		{ledger, "l.add(readBytes, b.Bytes, b.Now, \"\")\n", "l.add(readBytes, b.Bytes, b.Now, \"\")\nl.add(futureBytes, b.Bytes, b.Now, \"\")\n"},
		{ledger, "l.add(lines, 1, lc.when, \"\", e.Type)\n", `l.add(lines, 1, lc.when, "", e.Type)
	l.add(futureEntries, 1, lc.when, lc.source, e.Type)
	l.raise(futureNewest, uint64(lc.when), lc.when, "")
`},
		{ledger, "l.result(&lc, &e.Results[i], e.Time)\n", "l.result(&lc, &e.Results[i], e.Time)\nl.observe(futureSizes, e.Results[i].Bytes, lc.when, lc.source)\n"},
		{"ledger/events.go", "p.Kind, lc.project)", "p.Kind, lc.project, e.Entrypoint)"},
		{"ledger/events.go", "codec.Slice(c, 21, &e.Reported, codeReportedUsage)\n", "codec.Slice(c, 21, &e.Reported, codeReportedUsage)\ncodec.String(c, 22, &e.Entrypoint)\n"},
		{"transcript/entry.go", "\tProject, Command string\n", "\tProject, Command, Entrypoint string\n"},
		{"transcript/entry.go", "e.CWD = p.directory(r.cwd)\n", "e.CWD = p.directory(r.cwd)\ne.Entrypoint = p.label(r.entrypoint)\n"},
	}
}

// futureNames are the counters and histograms that only the newer version has.
var futureNames = []string{"claude_future_entries_total", "ccwatchd_future_bytes_total", "claude_future_result_bytes", "ccwatchd_future_zero_total"}

// The metric of sessions in both versions, and the new label of prompts.
const (
	oldName  = "claude_sessions_total"
	newName  = "claude_conversations_total"
	newLabel = "started_by"
)

// newerDaemon builds the newer version and returns the path of its program.
func newerDaemon(t *testing.T) string {
	t.Helper()
	root, dir := Repository(t), t.TempDir()
	overlay := struct{ Replace map[string]string }{make(map[string]string)}
	for i, e := range newerVersion() {
		name := filepath.Join(root, filepath.FromSlash(e.file))
		code := string(read(t, cmp.Or(overlay.Replace[name], name)))
		if n := strings.Count(code, e.old); n != 1 {
			t.Fatalf("%s has %q %d times, want once: adapt the edits of newerVersion", e.file, e.old, n)
		}
		to := fmt.Sprint(i, ".go")
		overlay.Replace[name] = filepath.Join(dir, to)
		transcripttest.Tree{to: strings.Replace(code, e.old, e.replacement, 1)}.Write(t, dir)
	}
	list, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	transcripttest.Tree{"overlay.json": string(list)}.Write(t, dir)
	return Daemon(t, "-overlay", filepath.Join(dir, "overlay.json"))
}

// asNewer returns the counters of the first version as the newer one exposes them,
// without zeros.
func asNewer(numbers map[string]float64) map[string]float64 {
	all := make(map[string]float64)
	for name, n := range numbers {
		if n != 0 {
			all[strings.Replace(name, oldName, newName, 1)] = n
		}
	}
	return all
}

// commonOf returns the counters of the newer version that the first one has too,
// without zeros.
func commonOf(numbers map[string]float64) map[string]float64 {
	all := maps.Clone(numbers)
	maps.DeleteFunc(all, func(name string, n float64) bool { return isFuture(name) || n == 0 })
	return all
}

func isFuture(name string) bool {
	return slices.ContainsFunc(futureNames, func(future string) bool { return strings.HasPrefix(name, future) })
}

// checkFuture checks the counters that only the newer version has.
func checkFuture(t *testing.T, numbers map[string]float64) {
	t.Helper()
	counted := make(map[string]bool)
	for name, n := range numbers {
		for _, future := range append(slices.Clone(futureNames), newLabel+`="cli"`) {
			counted[future] = counted[future] || strings.Contains(name, future) && n > 0
		}
	}
	want := map[string]bool{futureNames[0]: true, futureNames[1]: true, futureNames[2]: true, futureNames[3]: false, newLabel + `="cli"`: true}
	if !maps.Equal(counted, want) {
		t.Errorf("counted by the newer version: got %v, want %v", counted, want)
	}
}

// labelOfNewer matches the new label of prompts in a series.
var labelOfNewer = regexp.MustCompile(newLabel + `="[^"]*"(, ?)?`)

// asFirst returns the counters of the newer version as the first one exposes them.
func asFirst(numbers map[string]float64) map[string]float64 {
	all := make(map[string]float64)
	for name, n := range numbers {
		if !isFuture(name) {
			all[labelOfNewer.ReplaceAllString(strings.Replace(name, newName, oldName, 1), "")] += n
		}
	}
	return all
}

// textAsFirst does the same with an exposition.
func textAsFirst(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.Contains(line, "_future_") {
			line = strings.ReplaceAll(line, newName, oldName)
			b.WriteString(labelOfNewer.ReplaceAllString(line, ""))
		}
	}
	return b.String()
}
