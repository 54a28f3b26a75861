package corpus

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
)

// Expected holds the totals of a corpus that the reference program knows, by the rules
// of docs/counting.md, and a few more. They are counted when something is written for
// the first time, and not by reading. Package naive finds everything else by reading.
type Expected struct {
	Files   int   // transcripts, including those of sub-agents and empty ones
	Lines   int   // of the transcripts
	Bytes   int64 // of the transcripts
	totals  map[series]int64
	entries map[series]int64  // by kind and subtype; each is a line, too
	usages  map[series]*usage // totals for which the labels still lack the type

	highest map[reportKey]int64 // of the values in cost-state lines
	queued  map[queueKey]bool   // queue operations that were counted
}

// A series is named as the reference names it; see test/reference.
type series struct{ metric, labels string }

// A reportKey identifies a value of which only the highest counts.
type reportKey struct{ session, model, field string }

func newExpected() *Expected {
	return &Expected{
		totals: make(map[series]int64), entries: make(map[series]int64), usages: make(map[series]*usage), highest: make(map[reportKey]int64), queued: make(map[queueKey]bool),
	}
}

// WriteTSV writes the totals in the format of the reference: metric, labels and value,
// sorted. It lists metrics without labels even if they are 0, so that they are
// compared.
func (e Expected) WriteTSV(w io.Writer) error {
	always, totals := []string{"sessions", "reported_sessions"}, e.all()
	lines := make([]string, 0, len(totals))
	for _, metric := range always {
		lines = append(lines, fmt.Sprintf("%s\t\t%d\n", metric, totals[series{metric, ""}]))
	}
	escape := strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)
	for s, n := range totals {
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
	e.entries[series{m.kind, m.subtype}]++
	if m.unknown != "" {
		e.add("unknown_format", "kind="+m.unknown, 1)
	}
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
	e.add("messages", "model="+m.model, sign)
	if !m.final() {
		e.add("messages_without_stop_reason", "model="+m.model, sign)
	}
	e.addUsage("tokens", "model="+m.model, &m.usage, sign)
	for _, it := range m.iterations {
		e.addUsage("iteration_tokens", "iteration="+it.kind+",model="+cmp.Or(it.model, m.model), &it.usage, sign)
	}
}

// reportedSeen counts the tokens of a message of a session with cost-state lines,
// including those of iterations.
func (e *Expected) reportedSeen(m *message, sign int) {
	e.addUsage("reported_seen_tokens", "", &m.usage, sign)
	for _, it := range m.iterations {
		if it.counted() {
			e.addUsage("reported_seen_tokens", "", &it.usage, sign)
		}
	}
}

func (e *Expected) addUsage(metric, labels string, u *usage, sign int) {
	key := series{metric, labels}
	if e.usages[key] == nil {
		e.usages[key] = &usage{}
	}
	e.usages[key].add(u, sign)
}

// all returns all totals.
func (e *Expected) all() map[series]int64 {
	all := maps.Clone(e.totals)
	for kind, n := range e.entries {
		all[series{"entries", "subtype=" + kind.labels + ",type=" + kind.metric}] = n
		all[series{"lines", "state=ok"}] += n
	}
	for s, u := range e.usages {
		for i, name := range tokenTypes()[s.metric] {
			all[series{s.metric, strings.TrimPrefix(s.labels+",type="+name, ",")}] = int64(u[i])
		}
		if s.metric == "tokens" {
			all[series{"cache_creation_ttl", s.labels + ",ttl=5m"}] = int64(u[written5m])
			all[series{"cache_creation_ttl", s.labels + ",ttl=1h"}] = int64(u[written1h])
			all[series{"cache_creation_ttl", s.labels + ",ttl=unspecified"}] = int64(u[written] - u[written5m] - u[written1h])
			all[series{"thinking_tokens", s.labels}] = int64(u[thinking])
			all[series{"server_tool_requests", "kind=web_search_requests"}] += int64(u[searches])
			all[series{"server_tool_requests", "kind=web_fetch_requests"}] += int64(u[fetches])
		}
	}
	return all
}

// tokenTypes returns the names of the first counts of a usage, by metric.
func tokenTypes() map[string][]string {
	return map[string][]string{
		"tokens":               {"input", "output", "cache_read", "cache_creation"},
		"iteration_tokens":     {"input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"},
		"reported_seen_tokens": {"input", "output", "cache_read", "cache_write", "thinking"},
	}
}

// call counts a tool call, which has no result yet.
func (e *Expected) call(tool string) {
	e.add("tool_calls", "name="+tool, 1)
	e.add("tool_calls_unanswered", "name="+tool, 1)
}

// result counts the result of a call. The class is empty if the call succeeded.
func (e *Expected) result(tool, class string, milliseconds int64) {
	e.add("tool_calls_unanswered", "name="+tool, -1)
	e.add("tool_latency_count", "name="+tool, 1)
	e.add("tool_latency_ms", "name="+tool, int(max(0, milliseconds)))
	e.add("tool_results", "name="+tool, 1)
	if class != "" {
		e.add("tool_errors", "name="+tool, 1)
		e.add("tool_errors_class", "class="+class, 1)
	}
}

// reported counts a value of a cost-state line by what it adds to the highest so far.
// Costs are in 10^-9 dollars; fractions of a token are dropped.
func (e *Expected) reported(session, model, field string, value float64) {
	key := reportKey{session, model, field}
	n := int64(value)
	if field == "costUSD" {
		n = int64(math.RoundToEven(value * 1e9))
	}
	if more := n - e.highest[key]; more > 0 {
		e.highest[key] = n
		e.add("reported", "field="+field+",model="+model, int(more))
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
