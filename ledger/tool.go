package ledger

import (
	"encoding/binary"
	"math"

	"github.com/ccwatchd/ccwatchd/internal/compactmap"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A tool is what must be known of a tool call, so that the call and its result
// are counted once, and together.
type tool struct {
	time  int64  // of the call, 0 when not stated; only while it waits for its result
	name  uint32 // the number of the call's toolName; likewise
	file  FileID
	state toolState
}

// A toolState says which half of a call is known.
type toolState uint8

const (
	paired   toolState = iota // both
	answered                  // the result, which was counted as that of an unknown tool
	called                    // the call
)

// stateBits are how many bits of a coded tool's first number are its state.
const stateBits = 2

// Layout implements [compactmap.Value], as do the other methods.
func (tool) Layout() uint32 { return 1 }

func (tool) Varints(first byte) int {
	if toolState(first&(1<<stateBits-1)) == called {
		return 3
	}
	return 1
}

func (t tool) Append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(t.file)<<stateBits|uint64(t.state))
	if t.state == called {
		b = binary.AppendUvarint(b, uint64(t.name))
		b = binary.AppendVarint(b, t.time)
	}
	return b
}

func (tool) Decode(b []byte) (t tool, size int) {
	d := compactmap.NewDecoder(b)
	head := d.Uint(math.MaxUint32<<stateBits | uint64(called))
	t.file, t.state = FileID(head>>stateBits), toolState(head&(1<<stateBits-1)) //nolint:gosec // at most as much
	if t.state == called {
		t.name = uint32(d.Uint(math.MaxUint32)) //nolint:gosec // at most as much
		t.time = d.Int()
	}
	if t.state > called {
		d.Invalid()
	}
	return t, d.Size()
}

// A toolName is the labels that a call gives to its result.
type toolName struct{ name, server string }

// An orphan is a result whose call was not seen yet. Claude Code writes some
// results a few lines before their calls, so an orphan waits until its file is
// quiet before it counts as that of an unknown tool.
type orphan struct {
	result     transcript.ToolResult
	time, when int64
	origin     uint32 // its number in Ledger.origins
	file       FileID
}

// use takes in a tool call; stated is its own time, 0 when there is none.
func (l *Ledger) use(at *line, u *transcript.ToolUse, stated int64) {
	key := digestOf(u.Key)
	known, before := l.joinTool(key, at.id)
	if before && known.state != answered {
		l.duplicate("tool_call", at.when)
		return
	}
	name := toolName{l.bounded(toolLabel, u.Name, at.when), l.bounded(mcpServerLabel, u.MCPServer, at.when)}
	l.add(toolCalls, 1, at.when, at.source, name.name, name.server, at.project, at.agent)
	if before {
		l.tools.Set(key, tool{file: known.file})
		return
	}
	if o, ok := l.orphans[key]; ok {
		delete(l.orphans, key)
		l.tools.Add(key, tool{file: o.file})
		l.countResult(&o.result, o.when, l.origins.all[o.origin], name)
		l.duration(stated, o.time, o.when, l.origins.all[o.origin].source, name)
		return
	}
	l.tools.Add(key, tool{time: stated, name: l.toolNames.of(name), file: at.id, state: called})
}

// result takes in a tool result; stated is its own time, 0 when there is none.
func (l *Ledger) result(at *line, r *transcript.ToolResult, stated int64) {
	key := digestOf(r.Key)
	known, before := l.joinTool(key, at.id)
	if _, waits := l.orphans[key]; waits || before && known.state != called {
		l.duplicate("tool_result", at.when)
		return
	}
	if r.Added+r.Removed > 0 {
		l.add(linesChanged, r.Added, at.when, at.source, "added", at.project)
		l.add(linesChanged, r.Removed, at.when, at.source, "removed", at.project)
	}
	if !before {
		l.orphans[key] = orphan{*r, stated, at.when, l.origins.of(at.origin()), at.id}
		l.waiting[at.id] = append(l.waiting[at.id], r.Key)
		return
	}
	name := l.toolNames.all[known.name]
	l.tools.Set(key, tool{file: at.id})
	l.countResult(r, at.when, at.origin(), name)
	l.duration(known.time, stated, at.when, at.source, name)
}

// joinTool notes that a file has a call or its result, and returns what is
// known of it already.
func (l *Ledger) joinTool(key digest, f FileID) (known tool, ok bool) {
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

func (l *Ledger) countResult(r *transcript.ToolResult, when int64, o origin, name toolName) {
	l.add(toolResultBytes, r.Bytes, when, o.source, name.name, name.server)
	if r.Error {
		l.add(toolErrors, 1, when, o.source, name.name, name.server, r.Reason, o.project, o.agent)
	}
}

// duration counts the time from a call to its result, if both state theirs.
func (l *Ledger) duration(call, result, when int64, source SourceLabels, name toolName) {
	if call != 0 && result != 0 {
		l.observe(toolDuration, uint64(max(0, result-call)), when, source, name.name, name.server)
	}
}

// adoptOrphans counts the file's results whose calls did not come.
func (l *Ledger) adoptOrphans(f FileID) {
	for _, k := range l.waiting[f] {
		key := digestOf(k)
		o, ok := l.orphans[key]
		if !ok {
			continue
		}
		delete(l.orphans, key)
		l.countResult(&o.result, o.when, l.origins.all[o.origin], toolName{name: unknownTool})
		l.tools.Add(key, tool{file: f, state: answered})
	}
	delete(l.waiting, f)
}
