//go:build endtoend

package endtoend

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/state/checkpoint"
	"github.com/ccwatchd/ccwatchd/test/filetest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// An edit replaces a text that occurs exactly once in a file of the repository.
type edit struct{ file, old, replacement string }

// newerVersion turns the source code into a newer version, as docs/design/state.md
// requires: with the next format, and one more family, which counts prompts.
func newerVersion() []edit {
	const file = "ledger/prompts.go"
	format := func(n uint32) string { return fmt.Sprintf("const Format uint32 = %d\n", n) }
	return []edit{
		{"state/checkpoint/format.go", format(checkpoint.Format), format(checkpoint.Format + 1)},
		{file, "struct{ prompts,", "struct{ future, prompts,"},
		{file, "families: promptFamilies{\n", "families: promptFamilies{\nfuture: c.declare(claudeCounter(\"future_prompts_total\", \"Prompts.\", \"kind\")),\n"},
		{file, "\t\tp.add(p.families.prompts,", "p.add(p.families.future, 1, lc.when, lc.source, prompt.Kind)\np.add(p.families.prompts,"},
	}
}

// futureName is the counter that only the newer version has.
const futureName = "claude_future_prompts_total"

// newerDaemon builds the newer version and returns the path of its program.
func newerDaemon(t *testing.T) string {
	t.Helper()
	root, dir := Repository(t), t.TempDir()
	overlay := struct{ Replace map[string]string }{make(map[string]string)}
	for i, e := range newerVersion() {
		name := filepath.Join(root, filepath.FromSlash(e.file))
		code := filetest.Read(t, cmp.Or(overlay.Replace[name], name))
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

func isFuture(series string) bool { return strings.HasPrefix(series, futureName) }

// ofFirst returns the counters that the first version has too, without zeros.
func ofFirst(numbers map[string]float64) map[string]float64 {
	all := maps.Clone(numbers)
	maps.DeleteFunc(all, func(series string, n float64) bool { return isFuture(series) || n == 0 })
	return all
}

// textOfFirst returns the lines of an exposition that the first version has too.
func textOfFirst(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.Contains(line, futureName) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// checkFuture checks that the newer version has counted the events that only it counts.
func checkFuture(t *testing.T, numbers map[string]float64) {
	t.Helper()
	sum := 0.0
	for series, n := range numbers {
		if isFuture(series) {
			sum += n
		}
	}
	if sum == 0 {
		t.Errorf("%s: nothing is counted", futureName)
	}
}
