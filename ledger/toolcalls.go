package ledger

import (
	"encoding/binary"
	"math"

	"github.com/ccwatchd/ccwatchd/internal/compactmap"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A tool is what must be known of a tool call, so that the call and its result
// are counted once, and together.
type toolCall struct {
	time  int64  // of the call, 0 when not stated; only while it waits for its result
	labels  uint32 // the number of the call's toolName; likewise
	file  FileID
	state callState
}

// A toolState says which half of a call is known.
type callState uint8

const (
	completed   callState = iota // both
	resultOnly                  // the result, which was counted as that of an unknown tool
	callOnly                    // the call
)

// stateBits are how many bits of a coded tool's first number are its state.
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
	t.file, t.state = FileID(head>>stateBits), callState(head&(1<<stateBits-1)) //nolint:gosec // at most as much
	if t.state == callOnly {
		t.labels = uint32(d.Uint(math.MaxUint32)) //nolint:gosec // at most as much
		t.time = d.Int()
	}
	if t.state > callOnly {
		d.Invalid()
	}
	return t, d.Size()
}

// A toolName is the labels that a call gives to its result.
type toolLabels struct{ name, server string }

// An orphan is a result whose call was not seen yet. Claude Code writes some
// results a few lines before their calls, so an orphan waits until its file is
// quiet before it counts as that of an unknown tool.
type orphan struct {
	result     transcript.ToolResult
	time, when int64
	labels     uint32 // its number in Ledger.origins
	file       FileID
}

// use takes in a tool call; stated is its own time, 0 when there is none.
func (l *Ledger) use(lc *lineContext, u *transcript.ToolUse, stated int64) {
	key := hashOf(u.Key)
	known, before := l.lookupTool(key, lc.id)
	if before && known.state != resultOnly {
		l.duplicate("tool_call", lc.when)
		return
	}
	name := toolLabels{l.bounded(toolLabel, u.Name, lc.when), l.bounded(mcpServerLabel, u.MCPServer, lc.when)}
	l.add(toolCalls, 1, lc.when, lc.source, name.name, name.server, lc.project, lc.agent)
	if before {
		l.tools.Set(key, toolCall{file: known.file})
		return
	}
	if o, ok := l.orphans[key]; ok {
		delete(l.orphans, key)
		l.tools.Add(key, toolCall{file: o.file})
		l.countResult(&o.result, o.when, l.messageLabels.values[o.labels], name)
		l.duration(stated, o.time, o.when, l.messageLabels.values[o.labels].source, name)
		return
	}
	l.tools.Add(key, toolCall{time: stated, labels: l.toolLabels.id(name), file: lc.id, state: callOnly})
}

// result takes in a tool result; stated is its own time, 0 when there is none.
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
		l.orphans[key] = orphan{*r, stated, lc.when, l.messageLabels.id(lc.labels()), lc.id}
		l.orphansOf[lc.id] = append(l.orphansOf[lc.id], r.Key)
		return
	}
	name := l.toolLabels.values[known.labels]
	l.tools.Set(key, toolCall{file: lc.id})
	l.countResult(r, lc.when, lc.labels(), name)
	l.duration(known.time, stated, lc.when, lc.source, name)
}

// joinTool notes that a file has a call or its result, and returns what is
// known of it already.
func (l *Ledger) lookupTool(key hash64, f FileID) (known toolCall, ok bool) {
	if known, ok = l.tools.Get(key); ok {
		l.groups.join(known.file, f)
	}
	if len(l.orphans) > 0 {
		if o, waits := l.orphans[key]; waits {
			l.groups.join(o.file, f)
		}
	}
	return known, ok
}

const unknownTool = "unknown"

func (l *Ledger) countResult(r *transcript.ToolResult, when int64, o messageLabels, name toolLabels) {
	l.add(toolResultBytes, r.Bytes, when, o.source, name.name, name.server)
	if r.Error {
		l.add(toolErrors, 1, when, o.source, name.name, name.server, r.Reason, o.project, o.agent)
	}
}

// duration counts the time from a call to its result, if both state theirs.
func (l *Ledger) duration(call, result, when int64, source SourceLabels, name toolLabels) {
	if call != 0 && result != 0 {
		l.observe(toolDuration, uint64(max(0, result-call)), when, source, name.name, name.server)
	}
}

// adoptOrphans counts the file's results whose calls did not come.
func (l *Ledger) adoptOrphans(f FileID) {
	for _, k := range l.orphansOf[f] {
		key := hashOf(k)
		o, ok := l.orphans[key]
		if !ok {
			continue
		}
		delete(l.orphans, key)
		l.countResult(&o.result, o.when, l.messageLabels.values[o.labels], toolLabels{name: unknownTool})
		l.tools.Add(key, toolCall{file: f, state: resultOnly})
	}
	delete(l.orphansOf, f)
}
