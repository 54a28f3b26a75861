package explain

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/usage"
)

func row(reason string, tokens, nano uint64) usage.Row {
	r := usage.Row{Labels: []string{reason}}
	r.Values[usage.RewrittenTokens], r.Values[usage.RewrittenCost] = tokens, nano
	return r
}

// A fact has a number worth a cent, and facts are sorted by cost.
func TestOfPeriod(t *testing.T) {
	byReason := &usage.Usage{Rows: []usage.Row{
		row("idle_expired", 1_000_000, 4e9), row("idle_expired", 200_000, 1e9), row("model_change", 1000, 9_999_999),
		row("tools_changed", 90_000, 1e7), row("new_reason", 5_000_000, 20e9),
	}}
	var total usage.Values
	total[usage.WebSearchCost], total[usage.FastPremium] = 30e7, 5e6
	total[usage.Cost], total[usage.SubagentCost] = 8e9, 2e9
	var got []string
	for _, f := range OfPeriod(byReason, &total) {
		got = append(got, fmt.Sprintf("%s %s %d %.2f %s|%s", f.Kind, f.Name, f.Tokens, f.CostUSD, f.Text, f.Advice))
	}
	want := []string{
		"cache_rewritten new_reason 5000000 20.00 5.0M tokens were written to the cache again (new_reason): $20.00 more than reading them.|",
		"cache_rewritten idle_expired 1200000 5.00 1.2M tokens were written to the cache again after a pause in which the cache expired: $5.00 more than reading them.|" + reasons["idle_expired"].advice,
		"subagents  0 2.00 Sub-agents cost $2.00, 25 % of all.|Give them a smaller model where it suffices.",
		"web_search  0 0.30 Web searches cost $0.30.|Each search has a price of its own: name the pages to read where you know them.",
		"cache_rewritten tools_changed 90000 0.01 90k tokens were written to the cache again because the tools changed: $0.01 more than reading them.|" + reasons["tools_changed"].advice,
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
	if got := OfPeriod(&usage.Usage{}, new(usage.Values)); len(got) > 0 {
		t.Errorf("without usage: got %v", got)
	}
}

// Every reason of a miss has a name, except cold starts, which rewrite nothing.
func TestReasons(t *testing.T) {
	for _, reason := range ledger.MissReasons {
		if _, known := reasons[reason]; known == (reason == "cold_start") {
			t.Errorf("%s: known is %v", reason, known)
		}
	}
	if ReasonName("model_change") != "Model changed" || ReasonName("x") != "x" {
		t.Error("wrong names")
	}
}
