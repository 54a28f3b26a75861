package docs_test

import (
	"regexp"
	"strings"
	"testing"
)

// Queries by label drop the rows of zeros of everything that was not used, and
// divisions by zero. The exceptions have a few rows, of which a zero is an answer.
func TestQueriesHaveNoRowsOfZeros(t *testing.T) {
	exceptions := map[string]bool{
		"sum by (type) (increase(claude_tokens_total[1d]))":                                                                     true,
		`sum by (kind) (increase(ccwatchd_unknown_format_total{kind=~"type|stop_reason|usage_key|iteration|block|error"}[1d]))`: true,
	}
	byLabel := regexp.MustCompile(`\bby \([^)]*\) \((?:increase|rate)\(`)
	queries := 0
	for _, block := range strings.Split(read(t, "docs/queries.md"), "```promql\n")[1:] {
		query, _, _ := strings.Cut(block, "\n```")
		if !byLabel.MatchString(query) || exceptions[query] {
			continue
		}
		queries++
		if !strings.Contains(query, "> ") && !strings.Contains(query, ">= ") {
			t.Errorf("no > 0 in %s", query)
		}
	}
	if queries < 30 {
		t.Errorf("got %d queries", queries)
	}
}
