package corpus

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Expected holds the totals of a corpus by the rules of docs/counting.md. They are
// counted when something is written for the first time, and not by reading.
type Expected struct {
	Files  int   // transcripts, including those of sub-agents and empty ones
	Lines  int   // of the transcripts
	Bytes  int64 // of the transcripts
	totals map[series]int64

	highest map[reportKey]int64 // of the values in cost-state lines
	queued  map[queueKey]bool   // queue operations that were counted
}

// A series is named as the reference names it; see internal/reference.
type series struct{ metric, labels string }

// A reportKey identifies a value of which only the highest counts.
type reportKey struct{ session, model, field string }

func newExpected() *Expected {
	return &Expected{
		totals: make(map[series]int64), highest: make(map[reportKey]int64), queued: make(map[queueKey]bool),
	}
}

// WriteTSV writes the totals in the format of the reference: metric, labels and value,
// sorted. It lists metrics without labels even if they are 0, so that they are compared.
func (e Expected) WriteTSV(w io.Writer) error {
	always := []string{"sessions", "reported_sessions"}
	lines := make([]string, 0, len(e.totals))
	for _, metric := range always {
		lines = append(lines, fmt.Sprintf("%s\t\t%d\n", metric, e.totals[series{metric, ""}]))
	}
	escape := strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)
	for s, n := range e.totals {
		if (n != 0 || s.metric == "tokens") && !slices.Contains(always, s.metric) {
			lines = append(lines, fmt.Sprintf("%s\t%s\t%d\n", s.metric, escape.Replace(s.labels), n))
		}
	}
	slices.Sort(lines)
	if _, err := io.WriteString(w, strings.Join(lines, "")); err != nil {
		return fmt.Errorf("write the expected totals: %w", err)
	}
	return nil
}

func (e *Expected) add(metric, labels string, n int) { e.totals[series{metric, labels}] += int64(n) }

// entry counts a JSON object on a line of its own.
func (e *Expected) entry(m *record) {
	e.add("entries", "subtype="+m.subtype+",type="+m.kind, 1)
	e.add("lines", "state=ok", 1)
	if m.unknown != "" {
		e.add("unknown_format", "kind="+m.unknown, 1)
	}
}

// malformed counts a line that is not exactly one object.
func (e *Expected) malformed(class string) {
	e.add("lines", "state=malformed", 1)
	e.add("malformed_lines", "class="+class, 1)
}

// file counts a complete transcript.
func (e *Expected) file(t *transcript) {
	kind := "main"
	if t.agent != "" {
		kind = "agent"
	}
	e.add("files", "kind="+kind, 1)
	if len(t.b) == 0 {
		e.add("files_empty", "", 1)
	}
	e.Files++
	e.Bytes += int64(len(t.b))
	e.Lines += bytes.Count(t.b, []byte("\n"))
}

// prompt counts a prompt, and the slash command in it.
func (e *Expected) prompt(kind, command string) {
	e.add("human_turns", "kind="+kind, 1)
	if command != "" {
		e.add("commands", "command="+command, 1)
	}
}

// message counts a message by the one of its records that counts, or takes it back if
// sign is -1.
func (e *Expected) message(m *message, sign int) {
	u, model := &m.usage, "model="+m.model
	e.add("messages", model, sign)
	if !m.final() {
		e.add("messages_without_stop_reason", model, sign)
	}
	e.tokens("tokens", model+",type=", [...]string{"input", "output", "cache_read", "cache_creation"}, u.tokens, sign)
	e.add("cache_creation_ttl", model+",ttl=5m", sign*u.written5m)
	e.add("cache_creation_ttl", model+",ttl=1h", sign*u.written1h)
	e.add("cache_creation_ttl", model+",ttl=unspecified", sign*(u.written-u.written5m-u.written1h))
	e.add("thinking_tokens", model, sign*u.thinking)
	e.add("server_tool_requests", "kind=web_search_requests", sign*u.searches)
	e.add("server_tool_requests", "kind=web_fetch_requests", sign*u.fetches)
	for _, it := range u.iterations {
		labels := "iteration=" + it.kind + ",model=" + cmp.Or(it.model, m.model) + ",type="
		e.tokens("iteration_tokens", labels, [...]string{
			"input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens",
		}, it.tokens, sign)
	}
}

func (e *Expected) tokens(metric, labels string, types [4]string, n tokens, sign int) {
	for i, n := range [...]int{n.input, n.output, n.read, n.written} {
		e.add(metric, labels+types[i], sign*n)
	}
}

// call counts a tool call, which has no result yet.
func (e *Expected) call(tool string) {
	e.add("tool_calls", "name="+tool, 1)
	e.add("tool_calls_unanswered", "name="+tool, 1)
}

// result counts the result of a call. The class is empty if the call succeeded.
func (e *Expected) result(tool, class string, milliseconds int) {
	e.add("tool_calls_unanswered", "name="+tool, -1)
	e.add("tool_latency_count", "name="+tool, 1)
	e.add("tool_latency_ms", "name="+tool, max(0, milliseconds))
	e.add("tool_results", "name="+tool, 1)
	if class != "" {
		e.add("tool_errors", "name="+tool, 1)
		e.add("tool_errors_class", "class="+class, 1)
	}
}

// reported counts a value of a cost-state line by what it adds to the highest so far.
// Costs are in 10^-9 dollars; fractions of a token are dropped.
func (e *Expected) reported(session, model string, field reportedField) {
	key := reportKey{session, model, field.name}
	n := int64(field.value)
	if field.name == "costUSD" {
		n = int64(math.RoundToEven(field.value * 1e9))
	}
	if more := n - e.highest[key]; more > 0 {
		e.highest[key] = n
		e.add("reported", "field="+field.name+",model="+model, int(more))
	}
}

// reportedSession counts a session with a cost-state line, once.
func (e *Expected) reportedSession(id string) {
	key := reportKey{session: id}
	if e.highest[key] == 0 {
		e.highest[key] = 1
		e.add("reported_sessions", "", 1)
	}
}

// reportedSeen counts the tokens of a message of a session with cost-state lines,
// including those of iterations.
func (e *Expected) reportedSeen(u *usage, sign int) {
	all := u.tokens
	for _, it := range u.iterations {
		if it.counted() {
			all.add(it.tokens, 1)
		}
	}
	e.tokens("reported_seen_tokens", "type=", [...]string{"input", "output", "cache_read", "cache_write"}, all, sign)
	e.add("reported_seen_tokens", "type=thinking", sign*u.thinking)
}
