package ledger

import "github.com/ccwatchd/ccwatchd/transcript"

// A call is a tool call of which only one half is known: the call itself, or a
// result that was counted without it.
type call struct {
	time      int64 // of the call, 0 when not stated
	name      string
	mcpServer string
	file      FileID
	answered  bool // its result was counted as that of an unknown tool
}

// An orphan is a result whose call was not seen yet. Claude Code writes some
// results a few lines before their calls, so an orphan waits until its file is
// quiet before it counts as that of an unknown tool.
type orphan struct {
	result         transcript.ToolResult
	time, when     int64
	project, agent string
	source         Source
	file           FileID
}

const unknownTool = "unknown"

// use takes in a tool call; stated is its own time, 0 when there is none.
func (l *Ledger) use(at *line, u *transcript.ToolUse, stated int64) {
	l.joinTool(u.Key, at.file.ID)
	c, half := l.calls[u.Key]
	_, done := l.paired[u.Key]
	if done || half && !c.answered {
		l.duplicate("tool_call", at.when)
		return
	}
	name := l.bounded("tool", u.Name, at.when)
	server := l.bounded("mcp_server", u.MCPServer, at.when)
	l.add(toolCalls, 1, at.when, at.source, name, server, at.project, at.agent)
	if half {
		delete(l.calls, u.Key)
		l.paired[u.Key] = c.file
		return
	}
	c = call{time: stated, name: name, mcpServer: server, file: at.file.ID}
	if o := l.orphans[u.Key]; o != nil {
		delete(l.orphans, u.Key)
		l.pair(u.Key, &c, o)
		return
	}
	l.calls[u.Key] = c
}

// result takes in a tool result; stated is its own time, 0 when there is none.
func (l *Ledger) result(at *line, r *transcript.ToolResult, stated int64) {
	l.joinTool(r.Key, at.file.ID)
	c, half := l.calls[r.Key]
	_, done := l.paired[r.Key]
	_, waits := l.orphans[r.Key]
	if done || waits || half && c.answered {
		l.duplicate("tool_result", at.when)
		return
	}
	if r.Added+r.Removed > 0 {
		l.add(linesChanged, r.Added, at.when, at.source, "added", at.project)
		l.add(linesChanged, r.Removed, at.when, at.source, "removed", at.project)
	}
	o := &orphan{
		result: *r, time: stated, when: at.when,
		project: at.project, agent: at.agent, source: at.source, file: at.file.ID,
	}
	if half {
		delete(l.calls, r.Key)
		l.pair(r.Key, &c, o)
		return
	}
	l.orphans[r.Key] = o
	at.file.orphans = append(at.file.orphans, r.Key)
}

// joinTool notes that a file has a call, or its result, that is known already.
func (l *Ledger) joinTool(key transcript.Key, f FileID) {
	if c, ok := l.calls[key]; ok {
		l.kin.join(c.file, f)
	}
	if o := l.orphans[key]; o != nil {
		l.kin.join(o.file, f)
	}
	if first, ok := l.paired[key]; ok {
		l.kin.join(first, f)
	}
}

// pair counts the result of a known call.
func (l *Ledger) pair(key transcript.Key, c *call, o *orphan) {
	l.paired[key] = o.file
	l.countResult(o, c.name, c.mcpServer)
	if c.time != 0 && o.time != 0 {
		l.observe(toolDuration, uint64(max(0, o.time-c.time)), o.when, o.source, c.name, c.mcpServer)
	}
}

func (l *Ledger) countResult(o *orphan, tool, server string) {
	l.add(toolResultBytes, o.result.Bytes, o.when, o.source, tool, server)
	if o.result.Error {
		l.add(toolErrors, 1, o.when, o.source, tool, server, o.result.Reason, o.project, o.agent)
	}
}

// adoptOrphans counts the file's results whose calls did not come.
func (l *Ledger) adoptOrphans(f *file) {
	for _, key := range f.orphans {
		o := l.orphans[key]
		if o == nil {
			continue
		}
		delete(l.orphans, key)
		l.countResult(o, unknownTool, "")
		l.calls[key] = call{answered: true, file: f.ID}
	}
	f.orphans = nil
}
