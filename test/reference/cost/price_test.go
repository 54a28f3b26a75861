package cost

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// now is after all dates in the price list.
var now = time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)

// Times of requests.
const (
	spring = "2026-03-01T10:00:00.000Z"
	autumn = "2026-11-15T10:00:00.000Z"
)

// all is a usage with ten tokens of every kind.
const all = `"input_tokens":10,"output_tokens":10,"cache_read_input_tokens":10,"cache_creation_input_tokens":20,` +
	`"cache_creation":{"ephemeral_5m_input_tokens":10,"ephemeral_1h_input_tokens":10}`

// These requests are priced by hand, in 10^-9 dollars.
func TestPrices(t *testing.T) {
	for _, test := range []struct {
		name, model, at, usage string
		want                   string
	}{
		// Every row, at its own time.
		{"fable 5.2", "claude-fable-5-2", autumn, all, "input 80000 5m 100000 1h 160000 read 2000 output 400000 saved 78000 premium 100000"},
		{"fable 5.1", "claude-fable-5-1", autumn, all, "input 100000 5m 125000 1h 200000 read 2500 output 500000 saved 97500 premium 125000"},
		{"mythos 5.1", "claude-mythos-5-1", autumn, all, "input 100000 5m 125000 1h 200000 read 2500 output 500000 saved 97500 premium 125000"},
		{"fable 5", "claude-fable-5", autumn, all, "input 100000 5m 125000 1h 200000 read 10000 output 500000 saved 90000 premium 125000"},
		{"mythos 5", "claude-mythos-5", autumn, all, "input 100000 5m 125000 1h 200000 read 10000 output 500000 saved 90000 premium 125000"},
		{"opus 5.5", "claude-opus-5-5", autumn, all, "input 40000 5m 50000 1h 80000 read 2000 output 200000 saved 38000 premium 50000"},
		{"opus 5", "claude-opus-5", autumn, all, "input 50000 5m 62500 1h 100000 read 5000 output 250000 saved 45000 premium 62500"},
		{"opus 4.8", "claude-opus-4-8", autumn, all, "input 50000 5m 62500 1h 100000 read 5000 output 250000 saved 45000 premium 62500"},
		{"opus 4.7", "claude-opus-4-7", autumn, all, "input 50000 5m 62500 1h 100000 read 5000 output 250000 saved 45000 premium 62500"},
		{"opus 4.6", "claude-opus-4-6", spring, all, "input 50000 5m 62500 1h 100000 read 5000 output 250000 saved 45000 premium 62500"},
		{"opus 4.5", "claude-opus-4-5", spring, all, "input 50000 5m 62500 1h 100000 read 5000 output 250000 saved 45000 premium 62500"},
		{"opus 4.1", "claude-opus-4-1", spring, all, "input 150000 5m 187500 1h 300000 read 15000 output 750000 saved 135000 premium 187500"},
		{"opus 4", "claude-opus-4", spring, all, "input 150000 5m 187500 1h 300000 read 15000 output 750000 saved 135000 premium 187500"},
		{"opus 3", "claude-3-opus", spring, all, "input 150000 5m 187500 1h 300000 read 15000 output 750000 saved 135000 premium 187500"},
		{"sonnet 5.5", "claude-sonnet-5-5", autumn, all, "input 20000 5m 25000 1h 40000 read 1000 output 100000 saved 19000 premium 25000"},
		{"sonnet 5", "claude-sonnet-5", autumn, all, "input 20000 5m 25000 1h 40000 read 2000 output 100000 saved 18000 premium 25000"},
		{"sonnet 4.6", "claude-sonnet-4-6", spring, all, "input 30000 5m 37500 1h 60000 read 3000 output 150000 saved 27000 premium 37500"},
		{"sonnet 4.5", "claude-sonnet-4-5", spring, all, "input 30000 5m 37500 1h 60000 read 3000 output 150000 saved 27000 premium 37500"},
		{"sonnet 4", "claude-sonnet-4", spring, all, "input 30000 5m 37500 1h 60000 read 3000 output 150000 saved 27000 premium 37500"},
		{"sonnet 3.7", "claude-3-7-sonnet", spring, all, "input 30000 5m 37500 1h 60000 read 3000 output 150000 saved 27000 premium 37500"},
		{"sonnet 3.5", "claude-3-5-sonnet", spring, all, "input 30000 5m 37500 1h 60000 read 3000 output 150000 saved 27000 premium 37500"},
		{"haiku 5.5", "claude-haiku-5-5", autumn, all, "input 1000 5m 1250 1h 2000 read 100 output 5000 saved 900 premium 1250"},
		{"haiku 4.5", "claude-haiku-4-5", spring, all, "input 10000 5m 12500 1h 20000 read 1000 output 50000 saved 9000 premium 12500"},
		{"haiku 3.5", "claude-3-5-haiku", spring, all, "input 8000 5m 10000 1h 16000 read 800 output 40000 saved 7200 premium 10000"},
		{"haiku 3", "claude-3-haiku", spring, all, "input 2500 5m 3000 1h 5000 read 300 output 12500 saved 2200 premium 3000"},

		// Tiers go by the whole request.
		{"99,999 tokens", "claude-haiku-5-5", autumn, `"input_tokens":99999,"output_tokens":1000`, "input 9999900 output 500000"},
		{"100,000 tokens of all kinds", "claude-haiku-5-5", autumn,
			`"input_tokens":40000,"cache_read_input_tokens":30000,"cache_creation_input_tokens":30000,"cache_creation":{"ephemeral_5m_input_tokens":20000,"ephemeral_1h_input_tokens":10000},"output_tokens":1000`,
			"input 4000000 5m 2500000 1h 2000000 read 300000 output 500000 saved 2700000 premium 1500000"},
		{"100,001 tokens", "claude-haiku-5-5", autumn, `"input_tokens":100001,"output_tokens":1000`, "input 50000500 output 2500000"},
		{"100,001 tokens with cache reads", "claude-haiku-5-5", autumn, `"input_tokens":1,"cache_read_input_tokens":100000,"output_tokens":10`, "input 500 read 5000000 output 25000 saved 45000000"},
		{"100,001 tokens with cache writes", "claude-haiku-5-5", autumn, `"cache_creation":{"ephemeral_5m_input_tokens":50001,"ephemeral_1h_input_tokens":50000}`, "5m 31250625 1h 50000000 premium 31250125"},
		{"output is not in the prompt", "claude-haiku-5-5", autumn, `"input_tokens":100000,"output_tokens":50000`, "input 10000000 output 25000000"},
		{"200,000 tokens", "claude-sonnet-4-5", spring, `"input_tokens":200000,"output_tokens":1`, "input 600000000 output 15000"},
		{"200,001 tokens", "claude-sonnet-4-5", spring, `"input_tokens":200001,"output_tokens":1`, "input 1200006000 output 22500"},
		{"200,001 tokens with cache reads", "claude-sonnet-4", spring, `"input_tokens":1,"cache_read_input_tokens":200000`, "input 6000 read 120000000 saved 1080000000"},
		{"200,001 tokens with cache writes", "claude-sonnet-4", spring, `"cache_creation":{"ephemeral_5m_input_tokens":100000,"ephemeral_1h_input_tokens":100001}`, "5m 750000000 1h 1200012000 premium 750006000"},
		{"no tier, Sonnet 4.6", "claude-sonnet-4-6", spring, `"input_tokens":300000`, "input 900000000"},
		{"no tier, Opus 4.6", "claude-opus-4-6", spring, `"input_tokens":900000`, "input 4500000000"},

		// Days, in UTC.
		{"Sonnet 5.5 before its day", "claude-sonnet-5-5", spring, `"cache_read_input_tokens":10`, "read 2000 saved 18000"},
		{"Sonnet 5.5 on the last day", "claude-sonnet-5-5", "2026-10-06T23:59:59.999Z", `"cache_read_input_tokens":10`, "read 2000 saved 18000"},
		{"Sonnet 5.5 on the next day", "claude-sonnet-5-5", "2026-10-07T00:00:00.000Z", `"cache_read_input_tokens":10`, "read 1000 saved 19000"},
		{"Sonnet 5.5 on the next day elsewhere", "claude-sonnet-5-5", "2026-10-07T01:59:59.999+02:00", `"cache_read_input_tokens":10`, "read 2000 saved 18000"},
		{"Haiku 5.5 before its day", "claude-haiku-5-5", spring, `"input_tokens":10`, "input 1000"},
		{"long Haiku 5.5 before its day", "claude-haiku-5-5", "2026-10-06T23:59:59.999Z", `"input_tokens":100001`, "input 50000500"},
		{"Fable 5.1 before its day", "claude-fable-5-1", spring, `"cache_read_input_tokens":10`, "read 2500 saved 97500"},
		{"no time", "claude-sonnet-5-5", "", `"cache_read_input_tokens":10`, "read 1000 saved 19000"},
		{"no valid time", "claude-sonnet-5-5", "yesterday", `"cache_read_input_tokens":10`, "read 1000 saved 19000"},

		// Speed and place.
		{"fast Opus 5", "claude-opus-5", autumn, all + `,"speed":"fast"`, "input 100000 5m 125000 1h 200000 read 10000 output 500000 saved 90000 premium 125000"},
		{"fast Opus 4.8", "claude-opus-4-8", autumn, `"output_tokens":10,"speed":"fast"`, "output 500000"},
		{"fast Opus 4.7 on the last day", "claude-opus-4-7", "2026-07-24T23:59:59.999Z", `"output_tokens":10,"speed":"fast"`, "output 1500000"},
		{"fast Opus 4.7 on the next day", "claude-opus-4-7", "2026-07-25T00:00:00.000Z", `"output_tokens":10,"speed":"fast"`, "output 250000"},
		{"fast Opus 4.6", "claude-opus-4-6", autumn, `"output_tokens":10,"speed":"fast"`, "output 1500000"},
		{"fast Opus 5.5 has no price", "claude-opus-5-5", autumn, `"output_tokens":10,"speed":"fast"`, "output 200000"},
		{"fast Opus 4.5 has no price", "claude-opus-4-5", autumn, `"output_tokens":10,"speed":"fast"`, "output 250000"},
		{"standard speed", "claude-opus-5", autumn, `"output_tokens":10,"speed":"standard"`, "output 250000"},
		{"US", "claude-opus-5", autumn, all + `,"inference_geo":"us"`, "input 55000 5m 68750 1h 110000 read 5500 output 275000 saved 49500 premium 68750"},
		{"global", "claude-opus-5", autumn, `"output_tokens":10,"inference_geo":"global"`, "output 250000"},
		{"no geography", "claude-opus-5", autumn, `"output_tokens":10,"inference_geo":null,"speed":null`, "output 250000"},
		{"fast in the US", "claude-opus-4-6", autumn, `"output_tokens":10,"speed":"fast","inference_geo":"us"`, "output 1650000"},
		{"long in the US", "claude-haiku-5-5", autumn, `"input_tokens":100001,"inference_geo":"us"`, "input 55000550"},
		{"web searches have one price", "claude-opus-4-6", autumn, `"input_tokens":1,"server_tool_use":{"web_search_requests":3,"web_fetch_requests":9},"speed":"fast","inference_geo":"us"`, "input 33000 search 30000000"},

		// Halves are rounded up.
		{"137.5", "claude-haiku-5-5", autumn, `"cache_creation_input_tokens":1,"inference_geo":"us"`, "5m 138 premium 28"},
		{"275", "claude-haiku-5-5", autumn, `"cache_creation_input_tokens":2,"inference_geo":"us"`, "5m 275 premium 55"},
		{"412.5", "claude-haiku-5-5", autumn, `"cache_creation_input_tokens":3,"inference_geo":"us"`, "5m 413 premium 83"},
		{"68750687.5", "claude-haiku-5-5", autumn, `"cache_creation_input_tokens":100001,"inference_geo":"us"`, "5m 68750688 premium 13750138"},

		// Spellings, and models that are not in the list.
		{"dotted", "claude-opus-4.6", spring, `"output_tokens":1`, "output 25000"},
		{"spaced", "Claude Haiku 4.5", spring, `"output_tokens":1`, "output 5000"},
		{"Bedrock", "us.anthropic.claude-opus-4-5-20251101-v1:0", spring, `"output_tokens":1`, "output 25000"},
		{"Vertex", "claude-sonnet-4-5@20250929", spring, `"input_tokens":200001`, "input 1200006000"},
		{"gateway", "openrouter/anthropic/claude-3.5-haiku", spring, `"output_tokens":1`, "output 4000"},
		{"long context", "claude-sonnet-4-20250514[1m]", spring, `"output_tokens":1`, "output 15000"},
		{"the next model", "claude-opus-4-9", autumn, all, "unpriced 50"},
		{"another vendor", "glm-5.1", autumn, all + `,"server_tool_use":{"web_search_requests":3}`, "unpriced 50"},
		{"124 bytes", strings.Repeat("x", 108) + "/claude-opus-4-6", spring, `"output_tokens":1`, "output 25000"},
		{"125 bytes", strings.Repeat("x", 109) + "/claude-opus-4-6", spring, `"output_tokens":1`, "unpriced 1"},
		{"empty", "", autumn, `"input_tokens":5`, "unpriced 5"},

		// Values as transcripts have them.
		{"writes without a lifetime", "claude-opus-4-6", spring, `"cache_creation_input_tokens":10`, "5m 62500 premium 12500"},
		{"partly without a lifetime", "claude-opus-4-6", spring, `"cache_creation_input_tokens":10,"cache_creation":{"ephemeral_1h_input_tokens":4}`, "5m 37500 1h 40000 premium 27500"},
		{"without a total", "claude-opus-4-6", spring, `"cache_creation_input_tokens":0,"cache_creation":{"ephemeral_1h_input_tokens":4}`, "1h 40000 premium 20000"},
		{"fractions and nonsense", "claude-opus-4-6", spring, `"input_tokens":1.9,"output_tokens":-5,"cache_read_input_tokens":"7","cache_creation_input_tokens":true`, "input 5000"},
		{"large numbers", "claude-opus-4-6", spring, `"input_tokens":9007199254740993,"output_tokens":1e3`, "input 45035996273704965000 output 25000000"},
	} {
		t.Run(test.name, func(t *testing.T) {
			line := fmt.Sprintf(`{"type":"assistant","timestamp":%q,"message":{"id":"m","model":%q,"usage":{%s}}}`, test.at, test.model, test.usage)
			totals := readTree(t, tree{"s.jsonl": line})
			want := test.want
			if test.model == "" {
				test.model = "unknown"
			}
			if got := describe(totals[test.model]); got != want || len(totals) != 1 {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// Iterations are requests of their own.
func TestIterations(t *testing.T) {
	message := func(usage, iterations string) string {
		return `{"type":"assistant","timestamp":"2026-10-07T00:00:00Z","message":{"id":"m","model":"claude-opus-5","usage":{` + usage + `,"iterations":[` + iterations + `]}}}`
	}
	for _, test := range []struct {
		name, line string
		want       []string
	}{
		{"an advisor", message(`"input_tokens":1`, `{"type":"message","input_tokens":1},{"type":"advisor_message","model":"claude-sonnet-5-5","cache_read_input_tokens":10}`),
			[]string{"claude-opus-5: input 5000", "claude-sonnet-5-5: read 1000 saved 19000"}},
		{"several", message(`"input_tokens":1`, `{"type":"advisor_message","input_tokens":10},{"type":"advisor_message","input_tokens":10}`),
			[]string{"claude-opus-5: input 105000"}},
		{"a compaction", message(`"input_tokens":1`, `{"type":"compaction","model":null,"output_tokens":10,"cache_creation":{"ephemeral_1h_input_tokens":10}}`),
			[]string{"claude-opus-5: input 5000 1h 100000 output 250000 premium 50000"}},
		{"an unknown model", message(`"input_tokens":1`, `{"type":"advisor_message","model":"oracle","input_tokens":3,"output_tokens":4,"cache_read_input_tokens":5,"cache_creation_input_tokens":6}`),
			[]string{"claude-opus-5: input 5000", "oracle: unpriced 18"}},
		{"of an unknown model", strings.Replace(message(`"input_tokens":2`, `{"type":"advisor_message","model":"claude-opus-5","input_tokens":3}`), "claude-opus-5", "new", 1),
			[]string{"claude-opus-5: input 15000", "new: unpriced 2"}},
		{"the prompts are separate", message(`"input_tokens":100001`, `{"type":"advisor_message","model":"claude-haiku-5-5","input_tokens":100000},{"type":"advisor_message","model":"claude-haiku-5-5","input_tokens":100001}`),
			[]string{"claude-haiku-5-5: input 60000500", "claude-opus-5: input 500005000"}},
		{"each is rounded", message(`"input_tokens":1,"inference_geo":"us"`, `{"type":"advisor_message","model":"claude-haiku-5-5","cache_creation_input_tokens":1},{"type":"compaction","model":"claude-haiku-5-5","cache_creation_input_tokens":1}`),
			[]string{"claude-haiku-5-5: 5m 276 premium 56", "claude-opus-5: input 5500"}},
		{"they inherit speed and geography", message(`"input_tokens":1,"speed":"fast","inference_geo":"us"`, `{"type":"advisor_message","model":"claude-opus-4-6","input_tokens":1}`),
			[]string{"claude-opus-4-6: input 33000", "claude-opus-5: input 11000"}},
		{"or state their own", message(`"input_tokens":1,"speed":"fast"`, `{"type":"advisor_message","model":"claude-opus-4-6","input_tokens":1,"speed":"standard","inference_geo":"us"}`),
			[]string{"claude-opus-4-6: input 5500", "claude-opus-5: input 10000"}},
		{"or are fast alone", message(`"input_tokens":1,"inference_geo":"us"`, `{"type":"advisor_message","model":"claude-opus-4-6","input_tokens":1,"speed":"fast","inference_geo":"global"}`),
			[]string{"claude-opus-4-6: input 30000", "claude-opus-5: input 5500"}},
		{"null is no statement", message(`"input_tokens":1,"speed":"fast","inference_geo":"us"`, `{"type":"advisor_message","model":"claude-opus-4-6","input_tokens":1,"speed":null,"inference_geo":null}`),
			[]string{"claude-opus-4-6: input 33000", "claude-opus-5: input 11000"}},
		{"an empty text is one", message(`"input_tokens":1,"speed":"fast","inference_geo":"us"`, `{"type":"advisor_message","model":"claude-opus-4-6","input_tokens":1,"speed":"","inference_geo":""}`),
			[]string{"claude-opus-4-6: input 5000", "claude-opus-5: input 11000"}},
		{"web searches", message(`"input_tokens":1`, `{"type":"advisor_message","server_tool_use":{"web_search_requests":1}}`),
			[]string{"claude-opus-5: input 5000 search 10000000"}},
		{"other types are part of the message or not counted", message(`"input_tokens":1`, `{"type":"fallback_message","model":"claude-opus-4","input_tokens":9},{"type":"message","model":"claude-opus-4","input_tokens":9},{"model":"claude-opus-4","input_tokens":9},7,"advisor_message"`),
			[]string{"claude-opus-5: input 5000"}},
	} {
		t.Run(test.name, func(t *testing.T) { checkTree(t, tree{"s.jsonl": test.line}, test.want...) })
	}
}

// describe lists the amounts that are not zero.
func describe(total *Total) string {
	if total == nil {
		return "nothing"
	}
	c := total.Components
	var parts []string
	for _, part := range []struct {
		name string
		n    fmt.Stringer
	}{
		{"input", c["input"]}, {"5m", c["cache_write_5m"]}, {"1h", c["cache_write_1h"]}, {"read", c["cache_read"]}, {"output", c["output"]},
		{"search", c["web_search"]}, {"saved", total.CacheSavings}, {"premium", total.CacheWritePremium}, {"unpriced", total.UnpricedTokens},
	} {
		if n := part.n.String(); n != "0" {
			parts = append(parts, part.name+" "+n)
		}
	}
	return strings.Join(parts, " ")
}

// checkTree compares the totals of a tree, by model.
func checkTree(t *testing.T, files tree, want ...string) {
	t.Helper()
	var got []string
	for model, total := range readTree(t, files) {
		got = append(got, model+": "+describe(total))
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
