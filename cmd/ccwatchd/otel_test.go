package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/exposition"
)

// otelOnce returns the lines of the families of Claude Code's telemetry, read from
// all fixtures.
func otelOnce(t *testing.T) string {
	t.Helper()
	p := newSandbox(t)
	fixtures(t).Write(t, p.projects())
	stdout, stderr, code := p.run(t, "--compat.otel", "once", p.projects())
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	return strings.Join(slices.DeleteFunc(slices.Collect(strings.Lines(stdout)), func(line string) bool {
		return !strings.Contains(line, "claude_code_")
	}), "")
}

func TestOTelNames(t *testing.T) {
	golden(t, filepath.Join("testdata", "otel.prom"), otelOnce(t))
}

// Series and labels that public dashboards for Claude Code's telemetry query have data:
// those of anthropics/claude-code-monitoring-guide, ColeMurray/claude-code-otel,
// acreeger/claude-code-metrics-stack and 0x7067/claude-code-metrics. docs/otel.md lists
// what they query in addition, and why it is missing.
func TestOTelDashboards(t *testing.T) {
	samples := parse(t, otelOnce(t), exposition.Text)
	for _, query := range [][]string{
		{"claude_code_cost_usage_USD_total"},
		{"claude_code_cost_usage_USD_total", "model", "claude-opus-4-6"},
		{"claude_code_cost_usage_USD_total", "query_source", "subagent"},
		{"claude_code_token_usage_tokens_total"},
		{"claude_code_token_usage_tokens_total", "model", "claude-opus-4-6"},
		{"claude_code_token_usage_tokens_total", "type", "input"},
		{"claude_code_token_usage_tokens_total", "type", "output"},
		{"claude_code_token_usage_tokens_total", "type", "cacheRead"},
		{"claude_code_token_usage_tokens_total", "type", "cacheCreation"},
		{"claude_code_token_usage_tokens_total", "query_source", "main"},
		{"claude_code_session_count_total"},
		{"claude_code_lines_of_code_count_total"},
		{"claude_code_lines_of_code_count_total", "type", "added"},
		{"claude_code_lines_of_code_count_total", "type", "removed"},
	} {
		if n, _ := samples.Sum(query[0], query[1:]...); n == 0 {
			t.Errorf("no data for %q", query)
		}
	}
}
