package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/pricing"
)

// runPrices runs "ccwatchd prices" without a home directory, which it does not need.
func runPrices(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(append([]string{"prices"}, args...), func(string) string { return "" }, &out, &errs)
	return out.String(), errs.String(), code
}

const rateKeys = "input: 1, cache_write_5m: 1.25, cache_write_1h: 2, cache_read: 0.1, output: 5"

func writePricing(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ccwatchd.yml")
	writeFile(t, path, "sources: [{path: /none}]\npricing: "+text+"\n")
	return "--config.file=" + path
}

func TestPricesList(t *testing.T) {
	overlay := writePricing(t, "{models: [{model: Gateway/My.Model, until: 2026-06-30, fast: 3, "+rateKeys+
		"}, {model: claude-opus-5, from: 2026-03-01, input: 0.00001, cache_write_5m: 1, cache_write_1h: 2, cache_read: 0, output: 100000, "+
		"long_prompt: {above: 1000, "+rateKeys+"}}]}")
	for args, want := range map[string]string{
		"anthropic/claude-sonnet-5.5": `
MODEL              FROM        UNTIL       INPUT  5M WRITE  1H WRITE  CACHE READ  OUTPUT  NOTES
claude-sonnet-5-5  2026-09-28  2026-10-06   2.00      2.50      4.00        0.20   10.00
claude-sonnet-5-5  2026-10-07               2.00      2.50      4.00        0.10   10.00
`,
		"my-model " + overlay: `
MODEL     FROM  UNTIL       INPUT  5M WRITE  1H WRITE  CACHE READ  OUTPUT  NOTES
my-model        2026-06-30   1.00      1.25      2.00        0.10    5.00  fast mode: x 3, configuration
`,
		"us.anthropic.claude-4.5-haiku " + writePricing(t, "{multiplier: 0.85}"): `
MODEL             FROM  UNTIL  INPUT  5M WRITE  1H WRITE  CACHE READ  OUTPUT  NOTES
claude-haiku-4-5                1.00      1.25      2.00        0.10    5.00  x 0.85
`,
		"claude-3-opus " + writePricing(t, "{models: [{model: claude-3-opus, multiplier: 1.1, from: 2026-06-30}]}"): `
MODEL          FROM        UNTIL       INPUT  5M WRITE  1H WRITE  CACHE READ  OUTPUT  NOTES
claude-3-opus              2026-06-29  15.00     18.75     30.00        1.50   75.00  same in all Bedrock regions
claude-3-opus  2026-06-30              15.00     18.75     30.00        1.50   75.00  same in all Bedrock regions, x 1.1, configuration
`,
		"claude-opus-5 " + overlay: `
MODEL          FROM        UNTIL         INPUT  5M WRITE  1H WRITE  CACHE READ     OUTPUT  NOTES
claude-opus-5              2026-02-28  5.00         6.25     10.00        0.50      25.00  fast mode: x 2
claude-opus-5  2026-03-01              0.00001      1.00      2.00        0.00  100000.00  prompt up to 1,000 tokens, configuration
                                       1.00         1.25      2.00        0.10       5.00  prompt over 1,000 tokens
`,
	} {
		stdout, stderr, code := runPrices(t, strings.Fields(args)...)
		_, table, _ := strings.Cut(stdout, "subscription.\n")
		table, _, _ = strings.Cut(table, "\nInference in the US")
		if table != want || stderr != "" || code != 0 {
			t.Errorf("%s: code %d\n%s%s\nwant\n%s", args, code, stderr, table, want)
		}
	}
}

// The heading states whether the prices include a configuration.
func TestPricesHeading(t *testing.T) {
	overlay := writePricing(t, "{models: [{model: mine, "+rateKeys+"}]}")
	for want, args := range map[string][]string{
		"List prices in US dollars per million tokens, as of UPDATED.":                                          {writePricing(t, "{models: []}")},
		"Prices in US dollars per million tokens: list prices as of UPDATED, with prices of the configuration.": {overlay},
	} {
		stdout, stderr, code := runPrices(t, args...)
		got, _, _ := strings.Cut(stdout, "\n")
		if got != strings.ReplaceAll(want, "UPDATED", pricing.Default().Updated) || code != 0 {
			t.Errorf("%s: code %d, got\n%s%s", want, code, got, stderr)
		}
	}
}

func TestPricesErrors(t *testing.T) {
	const remedy = ": list all with ccwatchd prices, or add it to pricing.models in the configuration"
	off := writePricing(t, "off")
	for args, want := range map[string]string{
		"claude-opus-4-9":            "no price for the model \"claude-opus-4-9\"" + remedy,
		"anthropic/Claude-Haiku-5.6": "no price for the model \"claude-haiku-5-6\"" + remedy,
		"Claude\x1bopus":             "no price for the model \"claude\\x1bopus\"" + remedy,
		off:                          strings.TrimPrefix(off, "--config.file=") + ": pricing is off in the configuration",
	} {
		stdout, stderr, code := runPrices(t, strings.Fields(args)...)
		if stderr != "ccwatchd: "+want+"\n" || stdout != "" || code != 1 {
			t.Errorf("%s: code %d\n%swant\nccwatchd: %s", args, code, stdout+stderr, want)
		}
	}
}

// The help of a command includes its long help, the list of commands does not.
func TestLongHelp(t *testing.T) {
	const long = "an estimate of what requests are worth"
	if stdout, _, _ := runPrices(t, "--help"); strings.Count(stdout, long) != 1 {
		t.Errorf("got %s", stdout)
	}
	var out bytes.Buffer
	if run([]string{"--help"}, func(string) string { return "" }, &out, &out); strings.Contains(out.String(), long) {
		t.Errorf("got %s", &out)
	}
}

// The prices in the document equal lines of the command.
func TestPricesDocument(t *testing.T) {
	_, rest, _ := strings.Cut(readPage(t, "pricing.md"), "```\nMODEL ")
	excerpt, _, _ := strings.Cut("MODEL "+rest, "```")
	list, stderr, code := runPrices(t)
	if lines := strings.Count(excerpt, "\n"); lines < 5 || code != 0 {
		t.Errorf("got exit status %d and %d lines in the document: %s", code, lines, stderr)
	}
	for line := range strings.Lines(excerpt) {
		if !strings.Contains("\n"+list, "\n"+line) {
			t.Errorf("not printed: %s", line)
		}
	}
}
