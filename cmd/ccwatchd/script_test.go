package main

import (
	"fmt"

	"github.com/ccwatchd/ccwatchd/internal/transcripttest"
)

// tools are names of tools that the scripts call.
var tools = []string{"Bash", "Read", "Edit", "Write", "Grep", "Glob", "Task", "mcp__github__search"}

// A script returns the lines of one transcript as a test writes them.
type script struct{ transcripttest.Session }

func newScript(cwd, id string) *script { return &script{transcripttest.Session{CWD: cwd, ID: id}} }

// uuid returns a UUID for a number.
func uuid(n int) string { return fmt.Sprintf("%08x-0000-4000-8000-%012x", n, n) }

// line returns a line with a message.
func (s *script) line(kind, message string) string {
	return s.Line(kind, `,"message":%s`, message).Take()
}

// prompt returns a line with a prompt.
func (s *script) prompt(text string) string { return s.Prompt(text).Take() }

// text returns a line of an unfinished message.
func (s *script) text(id string, output int) string { return s.message(id, "", output) }

// call returns the last line of a message, which calls a tool.
func (s *script) call(id, tool string) string {
	return s.message(id, "tool_use", 120, transcripttest.Call{ID: "toolu_" + id, Name: tool})
}

func (s *script) message(id, stop string, output int, calls ...transcripttest.Call) string {
	return s.Reply(transcripttest.Reply{
		ID: "msg_" + id, Model: "claude-opus-4-6", Stop: stop, In: 3, Out: output, Read: 50_000, Write5: 1000, Calls: calls,
	}).Take()
}

// result returns a line with the result of a tool.
func (s *script) result(id, text string) string { return s.Result("toolu_"+id, text, false).Take() }
