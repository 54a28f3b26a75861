package ledger

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// summaries returns lines with summaries of 256 hooks each.
func summaries(command func(i int) string) (lines []string) {
	for s := range 40 {
		infos := make([]string, 256)
		for i := range infos {
			infos[i] = fmt.Sprintf(`{"command":%q}`, command(i))
		}
		lines = append(lines, fmt.Sprintf(`{"type":"system","subtype":"stop_hook_summary","uuid":"u%d","toolUseID":"t%d","hookInfos":[%s]}`,
			s, s, strings.Join(infos, ",")))
	}
	return lines
}

// Summaries of equal commands take no longer than those of different ones, although
// each run has to find its number among the others.
func TestEqualCommandsTakeLinearTime(t *testing.T) {
	fastest := func(command func(i int) string) time.Duration {
		least := time.Hour
		f := testFile(1, "a.jsonl")
		var lines [][]byte
		for _, line := range summaries(command) {
			lines = append(lines, []byte(line))
		}
		for range 5 {
			l := New(testOptions(), birth)
			l.Open(f)
			b := parsed(f, lines, 0, len(lines), 0)
			begin := time.Now()
			l.AddBatch(b)
			least = min(least, time.Since(begin))
		}
		return least
	}
	equal := fastest(func(int) string { return "c" })
	different := fastest(func(i int) string { return fmt.Sprintf("c%d", i) })
	if equal > 3*different {
		t.Errorf("equal commands take %v, different ones %v", equal, different)
	}
}

// Beyond 64 runs of one command for one trigger, a run counts in both kinds of lines.
func TestManyEqualCommands(t *testing.T) {
	const n = maxClaims + 6
	lines := []string{`{"type":"system","subtype":"stop_hook_summary","uuid":"s","toolUseID":"t","hookInfos":[{"command":"c"}` +
		strings.Repeat(`,{"command":"c"}`, n-1) + `]}`}
	for i := range n {
		lines = append(lines, fmt.Sprintf(`{"type":"attachment","uuid":"a%d","attachment":{"type":"hook_success","hookEvent":"Stop",`+
			`"toolUseID":"t","command":"c","durationMs":%d}}`, i, i))
	}
	l := newWith(lines...)
	runs := totals(l)["claude_hook_runs_total event=Stop outcome=success"][0]
	if runs != n+6 {
		t.Errorf("got %d runs, want %d", runs, n+6)
	}
}
