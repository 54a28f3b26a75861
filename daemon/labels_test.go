package daemon

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/config"
	"github.com/ccwatchd/ccwatchd/test/testsize"
)

// linesWithNewLabels returns functions by label. A function makes lines with a new
// value of its label, without the fields common to all lines.
func linesWithNewLabels() map[string]func(i int) string {
	message := func(i int, model, stop, more string) string {
		return fmt.Sprintf(`"type":"assistant","message":{"id":"m%d","model":%q,"stop_reason":%q,"content":[],"usage":{"output_tokens":1%s}}`, i, model, stop, more)
	}
	call := func(i int, name string) string {
		return fmt.Sprintf(`"type":"assistant","message":{"content":[{"type":"tool_use","id":"t%d","name":%q}]}`, i, name)
	}
	return map[string]func(i int) string{
		"model":       func(i int) string { return message(i, fmt.Sprint("model ", i), "end_turn", "") },
		"stop_reason": func(i int) string { return message(i, "opus", fmt.Sprint("reason ", i), "") },
		"tool":        func(i int) string { return call(i, fmt.Sprint("Tool", i)) },
		"mcp_server":  func(i int) string { return call(i, fmt.Sprintf("mcp__server%d__do", i)) },
		"error": func(i int) string {
			return fmt.Sprintf(`"type":"assistant","isApiErrorMessage":true,"error":"error %d","message":{}`, i)
		},
		"status": func(i int) string {
			return fmt.Sprintf(`"type":"assistant","isApiErrorMessage":true,"error":"unknown","apiErrorStatus":%d,"message":{}`, i)
		},
		"trigger": func(i int) string {
			return fmt.Sprintf(`"type":"system","subtype":"compact_boundary","compactMetadata":{"trigger":"trigger %d"}`, i)
		},
		"agent_type": func(i int) string {
			return fmt.Sprintf(`"isSidechain":true,"attributionAgent":"agent %d",`, i) + message(i, "opus", "end_turn", "")
		},
		"skill": func(i int) string {
			return fmt.Sprintf(`"attributionSkill":"skill %d",`, i) + message(i, "opus", "end_turn", "")
		},
		"plugin": func(i int) string {
			return fmt.Sprintf(`"attributionPlugin":"plugin %d",`, i) + message(i, "opus", "end_turn", "")
		},
		// Closed sets of values
		"attribution, none of which is known": func(i int) string {
			return fmt.Sprintf(`"isSidechain":true,"attributionAgent":"a%[1]d","attributionSkill":"s%[1]d","attributionPlugin":"p%[1]d",`, i) +
				message(i, "opus", "end_turn", "")
		},
		"request attributes": func(i int) string {
			return fmt.Sprintf(`"version":"9.%[1]d","effort":"effort %[1]d","entrypoint":"program %[1]d",`, i) + message(i, "opus", "end_turn", "")
		},
		"permission mode": func(i int) string { return fmt.Sprintf(`"type":"permission-mode","permissionMode":"mode %d"`, i) },
		"hook event": func(i int) string {
			return fmt.Sprintf(`"type":"attachment","attachment":{"type":"hook_success","hookEvent":"event %d","durationMs":1}`, i)
		},
		"command, none of which is known": func(i int) string {
			return fmt.Sprintf(`"type":"user","message":{"content":"<command-name>/invented%d</command-name>"}`, i)
		},
		"service tier": func(i int) string {
			return message(i, "opus", "end_turn", fmt.Sprintf(`,"service_tier":"tier %d","speed":"speed %d","inference_geo":"%d"`, i, i, i))
		},
		"usage key": func(i int) string { return message(i, "opus", "end_turn", fmt.Sprintf(`,"key_%d":1`, i)) },
		"type":      func(i int) string { return fmt.Sprintf(`"type":"type %d"`, i) },
		"subtype":   func(i int) string { return fmt.Sprintf(`"type":"system","subtype":"subtype %d"`, i) },
		"operation": func(i int) string { return fmt.Sprintf(`"type":"queue-operation","operation":"operation %d"`, i) },
		"session":   func(i int) string { return fmt.Sprintf(`"type":"user","sessionId":"%d","message":{"content":"a"}`, i) },
	}
}

// The number of series and the memory are limited for any number of label values.
// Values over the limit count as other, and their number is exposed.
func TestLabelLimits(t *testing.T) {
	testsize.SkipRace(t, "reads many lines")
	const limit = 20
	many := testsize.Of(10_000, 3_000)
	for label, line := range linesWithNewLabels() {
		t.Run(label, func(t *testing.T) {
			h := newUntrustedHarness(t)
			h.settings.Ledger.Limits = map[string]int{}
			for _, label := range []string{
				"model", "tool", "mcp_server", "command", "status", "stop_reason", "error", "trigger", "agent_type", "skill", "plugin",
			} {
				h.settings.Ledger.Limits[label] = limit
			}
			if _, limited := h.settings.Ledger.Limits[label]; limited {
				h.settings.Labeller = &config.Labels{Projects: config.Projects{Naming: config.ByName}, Commands: []string{"*"}}
			}
			want := h.writeKnownSession()
			h.start()
			h.waitForSeries(want)
			before := h.seriesCount()
			text := lines(many, func(i int) string {
				return fmt.Sprintf(`{"uuid":"%s%d","timestamp":"2026-03-01T10:00:00.000Z",%s}`, label, i, line(i))
			})
			// Known values keep their series.
			h.checkHeapGrowth(3<<19+100*many, func() { // buffers of a large batch, and a key or two for each line
				h.Write(fileA, text)
				want[readBytes] = uint64(len(text) + len(replies("known", knownReplies)))
				h.waitForSeries(want)
			})
			if more := h.seriesCount() - before; more > 12*limit {
				t.Errorf("got %d more series, want at most %d", more, 12*limit)
			}
			const overflow = "ccwatchd_label_overflow_total"
			samples := h.samples()
			got, total := sum(samples, overflow, "label", label), sum(samples, overflow)
			least := 0.
			if _, limited := h.settings.Ledger.Limits[label]; limited {
				least = float64(many - limit) // some values may be known
			}
			if got < least || got > least+limit || label != "mcp_server" && total != got {
				t.Errorf("got an overflow of %v for %s and %v in all, want %v", got, label, total, least)
			}
			h.restart()
			h.waitForSeries(want)
		})
	}
}

// seriesCount returns the number of series of the ledger.
func (h *harness) seriesCount() (n int) {
	h.Helper()
	h.totals()
	snap, _ := snapshot(h.d)
	for _, f := range snap.Families {
		n += len(f.Samples)
	}
	return n
}

// The values of labels are made valid, and are at most 128 bytes long.
func TestLabelValuesAreSanitized(t *testing.T) {
	testsize.SkipRace(t, "reads long lines")
	long := testsize.Of(1<<20, 1<<17)
	h := newUntrustedHarness(t)
	want := h.writeKnownSession()
	values := []struct{ written, want string }{
		{strings.Repeat("x", long), strings.Repeat("x", 128)},
		{strings.Repeat("é", long), strings.Repeat("é", 64)},
		{"x" + strings.Repeat("é", long), "x" + strings.Repeat("é", 63)},
		{strings.Repeat(`\u0000`, long) + "end", "end"},
		{strings.Repeat(`\ud800`, long/6), strings.Repeat("\ufffd", 42)},
		{`a\u0000b\nc\rd\te\u007f`, "abcde"},
		{"\u202eright to left\u202c", "\u202eright to left\u202c"},
		{"\u200f\u2066isolate\u2069", "\u200f\u2066isolate\u2069"},
		{"\ufffd", "\ufffd"},
		{"bad \xff\xc0 bytes", "bad \ufffd\ufffd bytes"},
		{`quote \" back \\ brace } {a=\"b\"} 1`, `quote " back \ brace } {a="b"} 1`},
		{`\u2028line\u0085\u009b31m`, "\u2028line31m"},
		{"# HELP x", "# HELP x"},
	}
	h.checkHeapGrowth(8<<20, func() {
		h.Write(fileA, lines(len(values), func(i int) string {
			return strings.NewReplacer("ID", fmt.Sprint(i), "VALUE", values[i].written).Replace(
				`{"type":"assistant","uuid":"uID","sessionId":"VALUE","cwd":"/home/VALUE","message":{"id":"mID","model":"VALUE","stop_reason":"VALUE",` +
					`"content":[{"type":"tool_use","id":"tID","name":"VALUE"}],"usage":{"output_tokens":1}}}` + "\n" +
					`{"type":"assistant","uuid":"eID","isApiErrorMessage":true,"error":"VALUE","apiErrorStatus":"VALUE","message":{}}`)
		}))
		h.start()
		h.waitForSeries(want)
	})
	samples := h.samples()
	for _, v := range values {
		for family, labels := range map[string][]string{
			"claude_requests_total":   {"model", v.want, "stop_reason", v.want},
			"claude_tool_calls_total": {"tool", v.want},
			"claude_api_errors_total": {"error", v.want, "status", v.want},
		} {
			checkEqual(t, fmt.Sprintf("%s of %.40q", family, labels), sum(samples, family, labels...), 1)
		}
	}
	h.restart()
	h.waitForSeries(want)
}
