package main

import (
	"bytes"
	"path/filepath"
	"slices"
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

func TestPricesTable(t *testing.T) {
	stdout, stderr, code := runPrices(t)
	if code != 0 || stderr != "" {
		t.Fatalf("code %d, %s", code, stderr)
	}
	golden(t, filepath.Join("testdata", "prices.txt"), stdout)
}

func TestPricesList(t *testing.T) {
	overlay := writePricing(t, "{models: [{model: Gateway/My.Model, until: 2026-06-30, fast: 3, "+rateKeys+
		"}, {model: claude-opus-5, from: 2026-03-01, input: 0.00001, cache_write_5m: 1, cache_write_1h: 2, cache_read: 0, output: 100000, "+
		"long_prompt: {above: 1000, "+rateKeys+"}}]}")
	for args, want := range map[string]string{
		"claude-sonnet-5-5": `
MODEL              FROM        UNTIL       INPUT  5M WRITE  1H WRITE  CACHE READ  OUTPUT  NOTES
claude-sonnet-5-5  2026-09-28  2026-10-06   2.00      2.50      4.00        0.20   10.00
claude-sonnet-5-5  2026-10-07               2.00      2.50      4.00        0.10   10.00
`,
		"claude-sonnet-5-5 --date=2026-10-06": `
MODEL              FROM        UNTIL       INPUT  5M WRITE  1H WRITE  CACHE READ  OUTPUT  NOTES
claude-sonnet-5-5  2026-09-28  2026-10-06   2.00      2.50      4.00        0.20   10.00
`,
		"--date=2026-10-07 anthropic/claude-sonnet-5.5": `
MODEL              FROM        UNTIL  INPUT  5M WRITE  1H WRITE  CACHE READ  OUTPUT  NOTES
claude-sonnet-5-5  2026-10-07          2.00      2.50      4.00        0.10   10.00
`,
		"my-model " + overlay: `
MODEL     FROM  UNTIL       INPUT  5M WRITE  1H WRITE  CACHE READ  OUTPUT  NOTES
my-model        2026-06-30   1.00      1.25      2.00        0.10    5.00  fast mode: x 3, configuration
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
		table, _, _ = strings.Cut(table, "\nTokens of inference")
		if table != want || stderr != "" || code != 0 {
			t.Errorf("%s: code %d\n%s%s\nwant\n%s", args, code, stderr, table, want)
		}
	}
}

// The heading says whether prices are those of a configuration.
func TestPricesHeading(t *testing.T) {
	overlay := writePricing(t, "{models: [{model: mine, "+rateKeys+"}]}")
	for want, args := range map[string][]string{
		"List prices in US dollars per million tokens, as of UPDATED.":                                        {writePricing(t, "{models: []}")},
		"Prices in US dollars per million tokens: list prices as of UPDATED, and those of the configuration.": {overlay},
	} {
		stdout, stderr, code := runPrices(t, args...)
		got, _, _ := strings.Cut(stdout, "\n")
		if got != strings.ReplaceAll(want, "UPDATED", pricing.Default().Updated) || code != 0 {
			t.Errorf("%s: code %d, got\n%s%s", want, code, got, stderr)
		}
	}
}

// The numbers of models with a single price on a day, from which --date selects.
func TestPricesOfADay(t *testing.T) {
	stdout, _, _ := runPrices(t, "--date=2026-07-24")
	for _, line := range []string{"claude-opus-4-7                2026-07-24", "claude-fable-5-2   2026-11-09"} {
		if !strings.Contains(stdout, line) {
			t.Errorf("%q is missing:\n%s", line, stdout)
		}
	}
	if n := strings.Count(stdout, "\nclaude-"); n != len(modelIDs()) {
		t.Errorf("got %d prices, want one for each of %d models", n, len(modelIDs()))
	}
	if ids := modelIDs(); !slices.IsSorted(ids) || len(slices.Compact(ids)) != len(ids) {
		t.Errorf("got %q", ids)
	}
}

func TestPricesExplain(t *testing.T) {
	overlay := writePricing(t, "{models: [{model: mine, until: 2026-06-30, "+rateKeys+"}]}")
	for args, want := range map[string]string{
		"claude-opus-4-8 input=1200 cache_read=90k output=800 --date=2026-11-01 --fast --us web_search=2": `
model         claude-opus-4-8
price         built-in list price as of UPDATED, always in force
prompt        91,200 tokens (input, cache writes and cache reads)
fast mode     rates of tokens x 2
US inference  rates of tokens x 1.1

  input                      1,200   x 5.00 x 2 x 1.1 per million  = 0.013200000 USD
  cache_read                90,000   x 0.50 x 2 x 1.1 per million  = 0.099000000 USD
  output                       800  x 25.00 x 2 x 1.1 per million  = 0.044000000 USD
  web_search                     2                    x 0.01 each  = 0.020000000 USD
  total                                                              0.176200000 USD
  saved by cache reads                                               0.891000000 USD
`,
		"us.anthropic.claude-haiku-5-5-v1:0 --date 2026-10-07 cache_write_5m=1 cache_write_1h=100k": `
model         claude-haiku-5-5, the normalized form of us.anthropic.claude-haiku-5-5-v1:0
price         built-in list price as of UPDATED, in force from 2026-10-07
prompt        100,001 tokens (input, cache writes and cache reads), over 100,000: the higher rates, for all tokens of the request

  cache_write_5m                  1  x 0.625 per million  = 0.000000625 USD
  cache_write_1h            100,000   x 1.00 per million  = 0.100000000 USD
  total                                                     0.100000625 USD
  premium for cache writes                                  0.050000125 USD
`,
		"claude-haiku-5-5 --date 2026-10-06 input=0.1M": `
model         claude-haiku-5-5
price         built-in list price as of UPDATED, in force from 2026-10-07; the first price of a model also holds before
prompt        100,000 tokens (input, cache writes and cache reads), not over 100,000: the lower rates

  input                     100,000  x 0.10 per million  = 0.010000000 USD
  total                                                    0.010000000 USD
`,
		"claude-opus-4-7 --fast --date=2026-07-25 output=3": `
model         claude-opus-4-7
price         built-in list price as of UPDATED, in force from 2026-07-25
prompt        0 tokens (input, cache writes and cache reads)
fast mode     this price has no factor for it

  output                    3  x 25.00 per million  = 0.000075000 USD
  total                                               0.000075000 USD
`,
		"mine output=1M --date=2026-07-01 " + overlay: `
model         mine
price         from the configuration, in force until 2026-06-30; it also holds until there is another one
prompt        0 tokens (input, cache writes and cache reads)

  output                    1,000,000  x 5.00 per million  = 5.000000000 USD
  total                                                      5.000000000 USD
`,
	} {
		stdout, stderr, code := runPrices(t, strings.Fields(args)...)
		want = strings.ReplaceAll(want[1:], "UPDATED", pricing.Default().Updated) + "\nThis is an estimate by list price, and not the bill of a subscription.\n"
		if stdout != want || stderr != "" || code != 0 {
			t.Errorf("%s: code %d\n%s%s\nwant\n%s", args, code, stderr, stdout, want)
		}
	}
}

func TestPricesErrors(t *testing.T) {
	const number, add = ": expected a number up to 1000M, such as 1200, 90k or 1.5M; try --help", "; prices can be added with pricing.models in the configuration"
	off := writePricing(t, "off")
	for args, want := range map[string]string{
		"claude-opus-4-9":                          "no price for the model \"claude-opus-4-9\"; similar ids: claude-opus-4-1, claude-opus-4-5, claude-opus-4-6" + add,
		"anthropic/Claude-Haiku-5.6 a=1":           "\"a=1\": expected PART=NUMBER with one of input, cache_write_5m, cache_write_1h, cache_read, output, web_search; try --help",
		"anthropic/Claude-Haiku-5.6":               "no price for the model \"anthropic/Claude-Haiku-5.6\" (\"claude-haiku-5-6\"); similar ids: claude-haiku-5-5, claude-haiku-4-5, claude-fable-5-1" + add,
		"claude\x1bopus":                           "no price for the model \"claude\\x1bopus\"; similar ids: claude-3-opus, claude-opus-4, claude-opus-5" + add,
		"Claude\x1bopus":                           "no price for the model \"Claude\\x1bopus\" (\"claude\\x1bopus\"); similar ids: claude-3-opus, claude-opus-4, claude-opus-5" + add,
		"claude-opus-5 input":                      "\"input\"" + number,
		"claude-opus-5 input=":                     "\"input=\"" + number,
		"claude-opus-5 input=k":                    "\"input=k\"" + number,
		"claude-opus-5 input=-1":                   "\"input=-1\"" + number,
		"claude-opus-5 input=1.5":                  "\"input=1.5\"" + number,
		"claude-opus-5 input=1.k":                  "\"input=1.k\"" + number,
		"claude-opus-5 input=1.2345k":              "\"input=1.2345k\"" + number,
		"claude-opus-5 input=1001M":                "\"input=1001M\"" + number,
		"claude-opus-5 input=99999999999999999999": "\"input=99999999999999999999\"" + number,
		"claude-opus-5 output=1 output=2":          "\"output=2\": output is already given; try --help",
		"claude-opus-5 --date=today":               "--date: \"today\": expected a day, such as 2026-01-31; try --help",
		"--fast":                                   errNoRequest.Error(),
		"claude-opus-5 --us":                       errNoRequest.Error(),
		off:                                        strings.TrimPrefix(off, "--config.file=") + ": pricing is off in the configuration",
	} {
		stdout, stderr, code := runPrices(t, strings.Fields(args)...)
		wantCode := 1
		if strings.HasSuffix(want, "; try --help") {
			wantCode = 2
		}
		if stderr != "ccwatchd: "+want+"\n" || stdout != "" || code != wantCode {
			t.Errorf("%s: code %d\n%swant %d\nccwatchd: %s", args, code, stdout+stderr, wantCode, want)
		}
	}
}

func TestParseCount(t *testing.T) {
	for text, want := range map[string]uint64{
		"0": 0, "7": 7, "1200": 1200, "90k": 90_000, "1.5M": 1_500_000, "1.234567M": 1_234_567, "0.001k": 1, "1000M": 1e9, "1000000000": 1e9,
	} {
		if got, ok := parseCount(text); !ok || got != want {
			t.Errorf("%q: got %d, %v, want %d", text, got, ok, want)
		}
	}
}

// The help of a command has its long help, which is not in the list of commands.
func TestLongHelp(t *testing.T) {
	const example = "ccwatchd prices claude-opus-4-7 input=3k output=1k --date=2026-07-24 --fast --us"
	if stdout, _, _ := runPrices(t, "--help"); strings.Count(stdout, example) != 1 {
		t.Errorf("got %s", stdout)
	}
	var out bytes.Buffer
	if run([]string{"--help"}, func(string) string { return "" }, &out, &out); strings.Contains(out.String(), example) {
		t.Errorf("got %s", &out)
	}
}

// The examples in the documents are what the command prints, and the list of prices
// there is complete.
func TestPricingDocuments(t *testing.T) {
	var examples []string
	for block := range strings.SplitSeq(readPage(t, "prices.md")+readPage(t, "pricing.md"), "```") {
		line, want, _ := strings.Cut(strings.TrimPrefix(block, "\n"), "\n")
		args, ok := strings.CutPrefix(line, "$ ccwatchd prices")
		if !ok {
			continue
		}
		examples = append(examples, strings.TrimSpace(args))
		got, stderr, _ := runPrices(t, strings.Fields(args)...)
		if got = strings.Replace(got, pricing.Default().Updated, "2026-11-22", 1); got != want { // the date may be older
			t.Errorf("%s: got\n%s%s\nwant\n%s", args, stderr, got, want)
		}
	}
	if len(examples) != 2 || examples[0] != "" {
		t.Errorf("got the arguments %q, want those of all prices and of an example", examples)
	}
}
