package daemon

import (
	"fmt"
	"strings"
	"testing"
)

// invented are lines that try to have as many values of a label as there are lines,
// by the label. Each is a line of a session, without what all lines have.
func invented() map[string]func(i int) string {
	message := func(i int, model, stop, more string) string {
		return fmt.Sprintf(`"type":"assistant","message":{"id":"m%d","model":%q,"stop_reason":%q,"content":[],"usage":{"output_tokens":1%s}}`, i, model, stop, more)
	}
	call := func(i int, name string) string {
		return fmt.Sprintf(`"type":"assistant","message":{"content":[{"type":"tool_use","id":"t%d","name":%q}]}`, i, name)
	}
	return map[string]func(i int) string{
		"model":       func(i int) string { return message(i, fmt.Sprint("model ", i), "end_turn", "") },
		"stop_reason": func(i int) string { return message(i, "opus", fmt.Sprint("reason ", i), "") },
		"project": func(i int) string {
			return fmt.Sprintf(`"type":"user","cwd":"/home/project %d","message":{"content":"a"}`, i)
		},
		"tool":       func(i int) string { return call(i, fmt.Sprint("Tool", i)) },
		"mcp_server": func(i int) string { return call(i, fmt.Sprintf("mcp__server%d__do", i)) },
		"error": func(i int) string {
			return fmt.Sprintf(`"type":"assistant","isApiErrorMessage":true,"error":"error %d","message":{}`, i)
		},
		"status": func(i int) string {
			return fmt.Sprintf(`"type":"assistant","isApiErrorMessage":true,"error":"unknown","apiErrorStatus":%d,"message":{}`, i)
		},
		"trigger": func(i int) string {
			return fmt.Sprintf(`"type":"system","subtype":"compact_boundary","compactMetadata":{"trigger":"trigger %d"}`, i)
		},
		// These have closed sets of values.
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

// However many values lines invent, there are no more series than the caps allow, in
// little memory. What is beyond them counts as other, and how much that is, is told.
func TestInventedLabels(t *testing.T) {
	const many, limit = 10_000, 20
	for what, line := range invented() {
		t.Run(strings.ReplaceAll(what, " ", "_"), func(t *testing.T) {
			w := newHostileWorld(t)
			w.settings.Ledger.Limits = map[string]int{}
			for _, label := range []string{"model", "project", "tool", "mcp_server", "command", "status", "stop_reason", "error", "trigger"} {
				w.settings.Ledger.Limits[label] = limit
			}
			want := w.harmless()
			w.start()
			w.exactly(want)
			before := w.series()
			text := session(many, func(i int) string {
				return fmt.Sprintf(`{"uuid":"%s%d","timestamp":"2026-03-01T10:00:00.000Z",%s}`, what, i, line(i))
			})
			// A cap is for the values of all lines, so what there is already keeps its own.
			w.keeps(many*200, func() { // of each line a key or two is remembered, for good
				w.write("p/hostile.jsonl", text)
				want[readBytes] = uint64(len(text) + len(said("harmless", 2)))
				w.exactly(want)
			})
			if more := w.series() - before; more > 12*limit {
				t.Errorf("there are %d series more", more)
			}
			shown := w.exposed()
			const overflow = "ccwatchd_label_overflow_total"
			told, _ := shown.Sum(overflow, "label", what)
			all, _ := shown.Sum(overflow)
			beyond := 0.
			if _, open := w.settings.Ledger.Limits[what]; open {
				beyond = many - limit
			}
			// Some of the values were there before.
			if told < beyond || told > beyond+limit || what != "mcp_server" && all != told {
				t.Errorf("got %v overflows of %s and %v of all labels, want %v", told, what, all, beyond)
			}
			w.restart()
			w.exactly(want)
		})
	}
}

// series is how many series a scrape shows of what was counted.
func (w *world) series() (n int) {
	w.Helper()
	w.totals()
	snap, _ := snapshot(w.d)
	for _, f := range snap.Families {
		n += len(f.Samples)
	}
	return n
}

// Whatever text is the value of a label, it is shown clean.
func TestHostileStrings(t *testing.T) {
	const long = 1 << 20
	w := newHostileWorld(t)
	want := w.harmless()
	shown := []struct{ written, as string }{
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
		{`\u2028line\u0085`, "\u2028line\u0085"},
		{"# HELP x", "# HELP x"},
	}
	w.keeps(8<<20, func() {
		w.write("p/hostile.jsonl", session(len(shown), func(i int) string {
			v := shown[i].written
			return strings.NewReplacer("ID", fmt.Sprint(i), "VALUE", v).Replace(`{"type":"assistant","uuid":"uID","sessionId":"VALUE","cwd":"/home/VALUE","message":{"id":"mID","model":"VALUE","stop_reason":"VALUE",` +
				`"content":[{"type":"tool_use","id":"tID","name":"VALUE"}],"usage":{"output_tokens":1}}}` + "\n" +
				`{"type":"assistant","uuid":"eID","isApiErrorMessage":true,"error":"VALUE","apiErrorStatus":"VALUE","message":{}}`)
		}))
		w.start()
		w.exactly(want)
	})
	samples := w.exposed()
	for _, s := range shown {
		for family, labels := range map[string][]string{
			"claude_requests_total":   {"model", s.as, "stop_reason", s.as},
			"claude_tool_calls_total": {"tool", s.as},
			"claude_api_errors_total": {"error", s.as, "status", s.as},
		} {
			if got, _ := samples.Sum(family, labels...); got != 1 {
				t.Errorf("%s: %v of %.40q, want 1", family, got, labels)
			}
		}
	}
	w.restart()
	w.exactly(want)
}
