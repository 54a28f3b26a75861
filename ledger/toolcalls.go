package ledger

import (
	"encoding/binary"
	"math"

	"github.com/ccwatchd/ccwatchd/internal/compactmap"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A toolCall is the data of a tool call that is needed to count the call and its result
// once, and together.
type toolCall struct {
	time   int64  // of the call, 0 if not stated; only in state callOnly
	labels uint32 // id in Ledger.toolLabels; likewise
	file   FileID
	state  callState
}

// A callState says whether the call, its result or both were counted.
type callState uint8

const (
	completed  callState = iota
	resultOnly           // counted as the result of an unknown tool
	callOnly
)

// stateBits is the number of bits that the state takes in an encoded toolCall.
const stateBits = 2

// Layout implements [compactmap.Value], as do the other methods.
func (toolCall) Layout() uint32 { return 1 }

func (toolCall) Varints(first byte) int {
	if callState(first&(1<<stateBits-1)) == callOnly {
		return 3
	}
	return 1
}

func (t toolCall) Append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(t.file)<<stateBits|uint64(t.state))
	if t.state == callOnly {
		b = binary.AppendUvarint(b, uint64(t.labels))
		b = binary.AppendVarint(b, t.time)
	}
	return b
}

func (toolCall) Decode(b []byte) (t toolCall, size int) {
	d := compactmap.NewDecoder(b)
	head := d.Uint(math.MaxUint32<<stateBits | uint64(callOnly))
	t.file, t.state = FileID(head>>stateBits), callState(head&(1<<stateBits-1)) //nolint:gosec // limited
	if t.state == callOnly {
		t.labels = uint32(d.Uint(math.MaxUint32)) //nolint:gosec // limited
		t.time = d.Int()
	}
	if t.state > callOnly {
		d.Invalid()
	}
	return t, d.Size()
}

// toolLabels are the labels that a call gives to its result.
type toolLabels struct{ tool, mcpServer string }

// An orphan is a result whose call was not seen yet. Claude Code writes some
// results a few lines before their calls, so an orphan waits until its file is
// quiet before it counts as the result of an unknown tool.
type orphan struct {
	result     transcript.ToolResult
	time, when int64
	labels     uint32 // id in Ledger.messageLabels
	file       FileID
	session    hash64 // or noSession
}

// context returns the context of the result's line, as far as the result needs it.
func (o *orphan) context() *lineContext {
	return &lineContext{id: o.file, when: o.when, session: keyOf(o.session)}
}

// use processes a tool call; stated is its own time, 0 if there is none.
func (l *Ledger) use(lc *lineContext, u *transcript.ToolUse, stated int64) {
	key := hashOf(u.Key)
	known, before := l.lookupTool(key, lc.id)
	if before && known.state != resultOnly {
		l.duplicate("tool_call", lc.when)
		return
	}
	labels := toolLabels{l.bounded(toolLabel, u.Name, lc.when), l.bounded(mcpServerLabel, u.MCPServer, lc.when)}
	l.add(toolCalls, 1, lc.when, lc.source, labels.tool, labels.mcpServer, lc.project, lc.agent)
	l.credit(lc, sessionCounts{sessionToolCalls: 1})
	l.countAttributedCall(lc, u)
	if before {
		l.tools.Set(key, toolCall{file: known.file})
		return
	}
	if o, ok := l.orphans[key]; ok {
		delete(l.orphans, key)
		l.tools.Add(key, toolCall{file: o.file})
		l.countResult(o.context(), &o.result, l.messageLabels.values[o.labels], labels)
		l.duration(stated, o.time, o.when, l.messageLabels.values[o.labels].source, labels)
		return
	}
	l.tools.Add(key, toolCall{time: stated, labels: l.toolLabels.id(labels), file: lc.id, state: callOnly})
}

// result processes a tool result; stated is its own time, 0 if there is none.
func (l *Ledger) result(lc *lineContext, r *transcript.ToolResult, stated int64) {
	key := hashOf(r.Key)
	known, before := l.lookupTool(key, lc.id)
	if _, waits := l.orphans[key]; waits || before && known.state != callOnly {
		l.duplicate("tool_result", lc.when)
		return
	}
	if r.Added+r.Removed > 0 {
		l.add(linesChanged, r.Added, lc.when, lc.source, "added", lc.project)
		l.add(linesChanged, r.Removed, lc.when, lc.source, "removed", lc.project)
	}
	if !before {
		l.orphans[key] = orphan{*r, stated, lc.when, l.messageLabels.id(lc.labels()), lc.id, lc.sessionHash()}
		l.orphansOf[lc.id] = append(l.orphansOf[lc.id], r.Key)
		return
	}
	labels := l.toolLabels.values[known.labels]
	l.tools.Set(key, toolCall{file: lc.id})
	l.countResult(lc, r, lc.labels(), labels)
	l.duration(known.time, stated, lc.when, lc.source, labels)
}

// lookupTool returns a known call, and joins f with the file that has the call or its
// result.
func (l *Ledger) lookupTool(key hash64, f FileID) (known toolCall, ok bool) {
	if known, ok = l.tools.Get(key); ok {
		l.groups.join(known.file, f)
	}
	if o, waits := l.orphans[key]; waits {
		l.groups.join(o.file, f)
	}
	return known, ok
}

const unknownTool = "unknown"

func (l *Ledger) countResult(lc *lineContext, r *transcript.ToolResult, line messageLabels, call toolLabels) {
	l.add(toolResultBytes, r.Bytes, lc.when, line.source, call.tool, call.mcpServer)
	if r.Error {
		l.add(toolErrors, 1, lc.when, line.source, call.tool, call.mcpServer, r.Reason, line.project, line.agent)
		l.credit(lc, sessionCounts{sessionToolErrors: 1})
	}
}

// duration counts the time from a call to its result, if both state theirs.
func (l *Ledger) duration(call, result, when int64, source SourceLabels, labels toolLabels) {
	if call != 0 && result != 0 {
		l.observe(toolDuration, uint64(max(0, result-call)), when, source, labels.tool, labels.mcpServer)
	}
}

// adoptOrphans counts the file's results whose calls did not appear.
func (l *Ledger) adoptOrphans(f FileID) {
	for _, k := range l.orphansOf[f] {
		key := hashOf(k)
		o, ok := l.orphans[key]
		if !ok {
			continue
		}
		delete(l.orphans, key)
		l.countResult(o.context(), &o.result, l.messageLabels.values[o.labels], toolLabels{tool: unknownTool})
		l.add(resultsWithoutCall, 1, o.when, l.messageLabels.values[o.labels].source)
		l.tools.Add(key, toolCall{file: f, state: resultOnly})
	}
	delete(l.orphansOf, f)
}
