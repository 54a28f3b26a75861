package ledger

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// An entry does not search the numbers that its earlier claims have taken, so many
// equal commands take linear time.
func TestClaimsAreNumberedOnce(t *testing.T) {
	p, l := partOf[*hooks](New(testOptions(), birth)), &line{event: event{id: 1}}
	command := transcript.KeyOf("command")
	next := make(claimNumbers)
	for n := range 4 * maxClaims {
		p.claimRun(l, next, "summary", command)
		if got, want := next[claimSubject{"summary", command}], min(n+1, maxClaims); got != want {
			t.Fatalf("after %d claims: the next number is %d, want %d", n+1, got, want)
		}
	}
	next = claimNumbers{{"attachment", command}: maxClaims}
	before := p.claims.Len()
	if p.claimRun(l, next, "attachment", command); p.claims.Len() != before {
		t.Error("a claim searches numbers that are taken")
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
