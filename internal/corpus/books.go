package corpus

import "cmp"

// books are kept while a corpus is written. Whoever writes a thing for the
// first time enters it; copies are entered as lines and entries only.
type books struct {
	Truth
	highest map[reportKey]int64 // of the values that cost-state lines report
	queued  map[queueKey]bool   // queue operations that were entered
}

func newBooks() *books {
	b := &books{
		Truth:   Truth{totals: make(map[series]int64)},
		highest: make(map[reportKey]int64), queued: make(map[queueKey]bool),
	}
	for _, metric := range alwaysListed {
		b.add(metric, "", 0)
	}
	return b
}

func (b *books) add(metric, labels string, n int) { b.totals[series{metric, labels}] += int64(n) }

// entry enters a JSON object on a line of its own.
func (b *books) entry(m *mark) {
	b.add("entries", "subtype="+m.subtype+",type="+m.kind, 1)
	if m.unknown != "" {
		b.add("unknown_format", "kind="+m.unknown, 1)
	}
	b.line("ok")
}

// line enters a line by what can be said of its end and its content.
func (b *books) line(state string) { b.add("lines", "state="+state, 1) }

// broken enters a line that is not exactly one object.
func (b *books) broken(class string) {
	b.line("malformed")
	b.add("malformed_lines", "class="+class, 1)
}

func (b *books) session()             { b.add("sessions", "", 1) }
func (b *books) subagent(kind string) { b.add("subagents", "kind="+kind, 1) }
func (b *books) prompt(kind string)   { b.add("human_turns", "kind="+kind, 1) }
func (b *books) command(name string)  { b.add("commands", "command="+name, 1) }
func (b *books) retry(status string)  { b.add("api_retries", "status="+status, 1) }

func (b *books) apiError(class, status string) {
	b.add("api_errors", "class="+class+",status="+status, 1)
}

func (b *books) interruption(scope string) { b.add("interrupts", "scope="+scope, 1) }

func (b *books) compaction(scope, trigger string) {
	b.add("compactions", "scope="+scope+",trigger="+trigger, 1)
}

func (b *books) microcompaction() { b.add("microcompactions", "trigger=auto", 1) }

func (b *books) turn(milliseconds int) {
	b.add("turn_durations_count", "", 1)
	b.add("turn_durations_ms", "", milliseconds)
}

// message enters an API message by the one of its records that counts; final
// says whether that has a stop reason. With sign -1 it is taken back.
func (b *books) message(model string, u *usage, final bool, sign int) {
	label := "model=" + model
	b.add("messages", label, sign)
	if !final {
		b.add("messages_without_stop_reason", label, sign)
	}
	b.add("tokens", label+",type=input", sign*u.input)
	b.add("tokens", label+",type=output", sign*u.output)
	b.add("tokens", label+",type=cache_read", sign*u.read)
	b.add("tokens", label+",type=cache_creation", sign*(u.written5m+u.written1h+u.written))
	b.add("cache_creation_ttl", label+",ttl=5m", sign*u.written5m)
	b.add("cache_creation_ttl", label+",ttl=1h", sign*u.written1h)
	b.add("cache_creation_ttl", label+",ttl=unspecified", sign*u.written)
	b.add("thinking_tokens", label, sign*u.thinking)
	b.add("server_tool_requests", "kind=web_search_requests", sign*u.searches)
	b.add("server_tool_requests", "kind=web_fetch_requests", sign*u.fetches)
	for _, it := range u.iterations {
		label := "iteration=" + it.kind + ",model=" + cmp.Or(it.model, model) + ",type="
		b.add("iteration_tokens", label+"input_tokens", sign*it.input)
		b.add("iteration_tokens", label+"output_tokens", sign*it.output)
		b.add("iteration_tokens", label+"cache_read_input_tokens", sign*it.read)
		b.add("iteration_tokens", label+"cache_creation_input_tokens", sign*it.written)
	}
}

// call enters a tool call, which has no result yet.
func (b *books) call(tool string) {
	b.add("tool_calls", "name="+tool, 1)
	b.add("tool_calls_unanswered", "name="+tool, 1)
}

// result enters the result of a call that came so many milliseconds before.
// class is empty unless it is an error.
func (b *books) result(tool, class string, milliseconds int) {
	b.add("tool_calls_unanswered", "name="+tool, -1)
	b.add("tool_latency_count", "name="+tool, 1)
	b.add("tool_latency_ms", "name="+tool, max(0, milliseconds))
	b.answer(tool, class)
}

// orphan enters a result whose call is nowhere.
func (b *books) orphan() {
	b.add("tool_results_orphan", "", 1)
	b.answer("unknown", "")
}

func (b *books) answer(tool, class string) {
	b.add("tool_results", "name="+tool, 1)
	if class != "" {
		b.add("tool_errors", "name="+tool, 1)
		b.add("tool_errors_class", "class="+class, 1)
	}
}

func (b *books) linesChanged(added, removed int) {
	b.add("code_lines", "op=added", added)
	b.add("code_lines", "op=removed", removed)
}
