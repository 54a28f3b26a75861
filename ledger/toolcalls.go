package ledger

import (
	"cmp"
	"slices"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// tools counts tool calls and their results.
type tools struct {
	basic
	messages   *messages
	searches   *searches
	families   toolFamilies
	calls      *table.Table[hash64, toolCall]
	toolLabels *table.Interner[toolLabels]
	orphans    *table.Table[hash64, orphan]
	orphansOf  map[FileID][]hash64 // by file; follows from orphans
}

type toolFamilies struct {
	calls, errors, decisions, duration, resultBytes, withoutCall, linesChanged counters.ID
}

func newTools(c *core, m *messages) *tools {
	p := &tools{
		basic: basic{c}, messages: m, searches: newSearches(c, m), orphansOf: make(map[FileID][]hash64),
		families: toolFamilies{
			calls:  c.declare(claudeCounter("tool_calls_total", "Tool calls, each id counted once.", "tool", "mcp_server", "project", "agent")),
			errors: c.declare(claudeCounter("tool_errors_total", "Tool results marked as errors, by reason.", "tool", "mcp_server", "reason", "project", "agent")),
			decisions: c.declare(caveat(claudeCounter("permission_decisions_total", "Permission decisions that tool results state, by who or what decided.", "decision", "source", "project"),
				"Since 2.1.295. Refusals by the user mostly do not state one.")),
			duration: c.declare(histogram(caveat(claudeCounter("tool_duration_seconds", "Time from a tool call to its result, including the time spent waiting for a permission or an answer.", "tool", "mcp_server"),
				"Of background work, such as agents in today's versions, only to its launch: `claude_subagent_duration_seconds` has the time of agents."), milli, 0.1, 0.5, 2.5, 10, 60, 600)),
			resultBytes: c.declare(claudeCounter("tool_result_bytes_total", "Bytes that tools added to the context: text, and encoded images and documents.", "tool", "mcp_server")),
			withoutCall: c.declare(claudeCounter("tool_results_without_call_total", "Tool results whose call was not found when their file had been quiet for ten minutes.")),
			linesChanged: c.declare(caveat(claudeCounter("lines_changed_total", "Lines added and removed by edit tools.", "change", "project"),
				"Most results of sub-agents lack them.")),
		},
		toolLabels: table.NewInterner(c.tables, tableToolLabels, codeToolLabels),
		orphans:    table.New(c.tables, tableOrphans, table.HashKey[hash64](), codeOrphan),
	}
	p.calls = owned(c, tableTools, codeToolCall, func(t toolCall) FileID { return t.file })
	c.countRows("tool_call", p.calls, p.orphans)
	countOwned(c, p.orphans, func(_ hash64, o orphan) FileID { return o.file })
	return p
}

// A toolCall is the data of a tool call that is needed to count the call and its result
// once, and together.
type toolCall struct {
	time   int64  // of the call, 0 if not stated; only in state callOnly
	labels uint32 // id in tools.toolLabels; only in state callOnly
	file   FileID
	state  callState
}

// A callState says whether the call, its result or both were counted.
type callState uint8

// The states of calls. Their numbers are persisted.
const (
	completed  callState = 0
	resultOnly callState = 1 // counted as the result of an unknown tool
	callOnly   callState = 2
)

func codeToolCall(c *table.Coder, t *toolCall) {
	table.Uint(c, 1, &t.file)
	table.Uint(c, 2, &t.state)
	table.Uint(c, 3, &t.labels)
	table.Int(c, 4, &t.time)
}

// toolLabels are the labels that a call gives to its result.
type toolLabels struct{ tool, mcpServer string }

func (p *tools) countLine(l *line, e *transcript.Entry) {
	for i := range e.Uses {
		p.addCall(l, e, i)
		p.answer(l, e, i)
	}
	for i := range e.Results {
		p.addResult(l, e, i)
	}
}

// addCall processes a tool call of an entry.
func (p *tools) addCall(l *line, e *transcript.Entry, i int) {
	u, key := &e.Uses[i], hashOf(l.uses[i])
	known, before := p.lookupTool(key, l.id)
	if before && known.state != resultOnly {
		p.duplicate("tool_call", l.when)
		return
	}
	labels := toolLabels{p.bounded(p.labels.tool, l.source, u.Name, l.when), p.bounded(p.labels.mcpServer, l.source, u.MCPServer, l.when)}
	p.add(p.families.calls, 1, l.when, l.source, labels.tool, labels.mcpServer, l.project, l.agent)
	p.messages.sessions.credit(&l.event, sessionCounts{sessionToolCalls: 1})
	p.messages.attributor.countCall(l, u)
	if before {
		p.calls.Put(key, toolCall{file: known.file})
		return
	}
	p.calls.Put(key, toolCall{time: l.time, labels: p.toolLabels.ID(labels), file: l.id, state: callOnly})
	p.searches.addCall(l, key, u.Name, e.Message)
}

// answer gives a call without a result the result that was seen before it.
func (p *tools) answer(l *line, e *transcript.Entry, i int) {
	key, early := hashOf(l.uses[i]), hashOf(l.uses[i])
	if id := e.Uses[i].ID; !id.IsZero() {
		early = hashOf(keyBeforeCall(l.id, id))
	}
	call, _ := p.calls.Get(key)
	if call.state != callOnly {
		return
	}
	if o, waits := p.orphans.Get(early); waits {
		p.dropOrphan(early, &o)
		labels := p.toolLabels.Value(call.labels)
		p.countResult(p.orphanEvent(&o), &o.result, p.labelSets.Value(o.labels), labels)
		p.searches.answer(key, *p.orphanEvent(&o), o.result.Searches)
		p.observeDuration(call.time, o.time, o.when, p.labelSets.Value(o.labels).source, labels)
	} else if r, counted := p.calls.Get(early); !counted || r.state != resultOnly {
		return
	} else {
		p.searches.answer(key, l.event, 0) // the result was counted without its call
	}
	// A short id keeps the key of the result, too: its file may be read again.
	p.calls.Put(early, toolCall{file: l.id})
	p.calls.Put(key, toolCall{file: call.file})
}

// addResult processes a tool result of an entry.
func (p *tools) addResult(l *line, e *transcript.Entry, i int) {
	r, key := &e.Results[i], hashOf(l.results[i])
	known, before := p.lookupTool(key, l.id)
	if p.orphans.Has(key) || before && known.state != callOnly {
		p.duplicate("tool_result", l.when)
		return
	}
	if d := r.Permission; d.Decision != "" {
		p.add(p.families.decisions, 1, l.when, l.source, d.Decision, d.Source, l.project)
	}
	if r.Added+r.Removed > 0 {
		p.add(p.families.linesChanged, r.Added, l.when, l.source, "added", l.project)
		p.add(p.families.linesChanged, r.Removed, l.when, l.source, "removed", l.project)
	}
	if !before {
		o := orphan{*r, l.time, l.when, p.labelSets.ID(l.labels()), l.id, l.sessionHash(), 0}
		o.result.Key = l.results[i]
		p.addOrphan(key, o)
		return
	}
	labels := p.toolLabels.Value(known.labels)
	p.calls.Put(key, toolCall{file: known.file})
	p.countResult(&l.event, r, l.labels(), labels)
	p.searches.answer(key, l.event, r.Searches)
	p.observeDuration(known.time, l.time, l.when, l.source, labels)
}

// lookupTool returns a known call, and joins f with the file that has the call or its
// result.
func (p *tools) lookupTool(key hash64, f FileID) (known toolCall, ok bool) {
	if known, ok = p.calls.Get(key); ok {
		p.groups.join(known.file, f)
	}
	if o, waits := p.orphans.Get(key); waits {
		p.groups.join(o.file, f)
	}
	return known, ok
}

const unknownTool = "unknown"

func (p *tools) countResult(at *event, r *transcript.ToolResult, line messageLabels, call toolLabels) {
	p.add(p.families.resultBytes, r.Bytes, at.when, line.source, call.tool, call.mcpServer)
	if r.Error {
		p.add(p.families.errors, 1, at.when, line.source, call.tool, call.mcpServer, r.Reason, line.project, line.agent)
		p.messages.sessions.credit(at, sessionCounts{sessionToolErrors: 1})
	}
}

// observeDuration observes the time from a call to its result, if both times are
// stated.
func (p *tools) observeDuration(call, result, when int64, source SourceLabels, labels toolLabels) {
	if call != 0 && result != 0 {
		p.add(p.families.duration, uint64(max(0, result-call)), when, source, labels.tool, labels.mcpServer)
	}
}

// finalize counts the file's results whose calls did not appear.
func (p *tools) finalize(id FileID, _ *fileState, _ int64) {
	for _, key := range p.orphansOf[id] {
		o, _ := p.orphans.Get(key)
		p.orphans.Delete(key)
		labels := p.labelSets.Value(o.labels)
		p.countResult(p.orphanEvent(&o), &o.result, labels, toolLabels{tool: unknownTool})
		p.add(p.families.withoutCall, 1, o.when, labels.source)
		p.calls.Put(key, toolCall{file: id, state: resultOnly})
	}
	delete(p.orphansOf, id)
}

func (p *tools) hasPending(id FileID, _ *fileState) bool { return len(p.orphansOf[id]) > 0 }

// reindex rebuilds the lists of orphans by file.
func (p *tools) reindex() bool {
	for _, t := range p.calls.All() {
		if int(t.labels) >= p.toolLabels.Len() && t.state == callOnly || t.state > callOnly {
			return false
		}
	}
	if !p.searches.isValid() {
		return false
	}
	clear(p.orphansOf)
	order := make(map[hash64]uint32)
	for key, o := range p.orphans.All() {
		if int(o.labels) >= p.labelSets.Len() {
			return false
		}
		p.orphansOf[o.file] = append(p.orphansOf[o.file], key)
		order[key] = o.order
	}
	for _, keys := range p.orphansOf {
		slices.SortFunc(keys, func(a, b hash64) int { return cmp.Compare(order[a], order[b]) })
	}
	return true
}

func codeToolLabels(c *table.Coder, t *toolLabels) {
	table.String(c, 1, &t.tool)
	table.String(c, 2, &t.mcpServer)
}
