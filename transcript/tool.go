package transcript

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// uses reads the calls among the blocks.
func (p *Parser) uses(to *Buffer) []ToolUse {
	before := len(to.uses)
	for i := range p.blocks {
		b := &p.blocks[i]
		if isCall(b.typ) {
			keep(&to.uses, p.use(b))
		}
	}
	return since(to.uses, before)
}

func isCall(typ rawValue) bool {
	return typ.is("tool_use") || typ.is("server_tool_use") || typ.is("mcp_tool_use")
}

// use reads a call. Models invent names, so any string is one.
func (p *Parser) use(b *rawBlock) ToolUse {
	use := ToolUse{Name: "unknown"}
	if b.id.isString() {
		use.Key = keyOfBytes("tool", p.text(b.id))
	}
	if b.name.isString() {
		use.Name = p.label(b.name)
	}
	use.MCPServer = mcpServer(use.Name)
	return use
}

// mcpServer returns S of a name mcp__S__T, else "".
func mcpServer(name string) string {
	rest, ok := strings.CutPrefix(name, "mcp__")
	if !ok {
		return ""
	}
	server, _, ok := strings.Cut(rest, "__")
	if !ok {
		return ""
	}
	return server
}

// isClientResult is the type of the results that Claude Code sends, which
// stand in user entries; isAnyResult also takes those of tools that ran at the
// server (web_search_tool_result and its like), which the assistant's entries hold.
func isClientResult(typ rawValue) bool { return typ.is("tool_result") }

func isAnyResult(typ rawValue) bool { return typ.endsWith("tool_result") }

// results reads the results among the blocks. The entry has the patch that an
// edit made, once for the line.
func (p *Parser) results(isResult func(typ rawValue) bool, to *Buffer) []ToolResult {
	before := len(to.results)
	for i := range p.blocks {
		b := &p.blocks[i]
		if b.useID.isString() && isResult(b.typ) {
			keep(&to.results, p.toolResult(b))
		}
	}
	out := since(to.results, before)
	if len(out) == 0 {
		return nil
	}
	added, removed := p.linesChanged(&p.raw.result)
	for i := range out {
		out[i].Added, out[i].Removed = added, removed
	}
	return out
}

func (p *Parser) toolResult(b *rawBlock) ToolResult {
	r := ToolResult{
		Key:   keyOfBytes("tool", p.text(b.useID)),
		Error: b.isError.isTrue(),
		Bytes: uint64(b.size), //nolint:gosec // not negative
	}
	if r.Error {
		r.Reason = errorReason(p.contentText(b.value))
	}
	return r
}

// contentText returns the text of a result, by which errors are told apart.
// Content of an odd type is its own text, but nothing that a model gets to see.
func (p *Parser) contentText(v rawValue) []byte {
	switch {
	case v.isString():
		return p.text(v)
	case v.isNull():
		return nil
	case !v.isArray():
		return v
	}
	p.room = p.room[:0]
	between := ""
	for part := range v.elements() {
		var f [1]rawValue
		if part.pick([]string{"text"}, f[:]); f[0].isString() {
			p.room = append(p.room, between...)
			p.room = appendText(p.room, f[0][1:len(f[0])-1])
			between = " "
		}
	}
	return p.room
}

// errorReason tells why a tool failed. Nothing but the text says it.
func errorReason(text []byte) string {
	switch {
	case beginsWith(text, "The user doesn't want", "User chose", "User rejected"):
		return "user_rejected"
	case beginsWith(text, "[Request interrupted"):
		return "interrupted"
	case containsAny(text, "Sibling tool call errored", "parallel tool call"):
		return "sibling_cancelled"
	case beginsWith(text, "Exit code"):
		return "exit_code"
	case containsAny(firstChars(text, 120), "ermission"), containsAny(firstChars(text, 160), "requires approval"):
		return "permission"
	case containsAny(text, "InputValidationError", "No such tool available"):
		return "validation"
	case beginsWith(text, "<tool_use_error>"):
		return "tool_use_error"
	}
	return "other"
}

// linesChanged counts the lines of a structured patch. A file that was created
// has an empty patch: all its lines are added.
func (p *Parser) linesChanged(e *editResult) (added, removed uint64) {
	added, removed = e.added, e.removed
	if e.patched && e.typ.is("create") && len(e.content) > len(`""`) && e.content.isString() {
		added = countLines(p.text(e.content))
	}
	return added, removed
}

// countLines counts the lines of a text, the last one with or without its end.
// Every separator of lines that Unicode knows ends one, and so do the control
// characters that separate files, groups and records.
func countLines(text []byte) uint64 {
	var lines uint64
	var open bool
	var before rune
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		switch r {
		case '\n', '\v', '\f', '\r', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
			if r != '\n' || before != '\r' {
				lines++
			}
			open = false
		default:
			open = true
		}
		before = r
	}
	if open {
		lines++
	}
	return lines
}

// firstChars returns the first n characters of s.
func firstChars(s []byte, n int) []byte {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		_, size := utf8.DecodeRune(s[i:])
		i += size
	}
	return s[:i]
}

func beginsWith(s []byte, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool {
		return len(s) >= len(p) && string(s[:len(p)]) == p
	})
}

func containsAny(s []byte, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return bytes.Contains(s, []byte(p)) })
}
