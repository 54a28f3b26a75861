package transcript

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// uses reads the tool calls among the blocks.
func (p *Parser) uses(to *Buffer) []ToolUse {
	before := len(to.uses)
	for i := range p.blocks {
		b := &p.blocks[i]
		if isCall(b.typ) {
			push(&to.uses, p.use(b, to))
		}
	}
	return tail(to.uses, before)
}

func isCall(typ rawValue) bool {
	return typ.is("tool_use") || typ.is("server_tool_use") || typ.is("mcp_tool_use")
}

// use reads a tool call. Models invent names, so any string is accepted.
func (p *Parser) use(b *rawBlock, to *Buffer) ToolUse {
	use := ToolUse{Name: "unknown"}
	if b.id.isString() {
		use.Key, use.ID = p.toolID(b.id)
	}
	if b.name.isString() {
		use.Name = p.label(b.name)
	}
	use.MCPServer = mcpServer(use.Name)
	p.file(use.Name, b, to)
	if use.IsSkill() {
		use.SkillName = p.skillName(b)
	}
	return use
}

// mcpServer returns S of a name mcp__S__T, else "".
func mcpServer(name string) string {
	rest, isMCP := strings.CutPrefix(name, "mcp__")
	server, _, hasTool := strings.Cut(rest, "__")
	if !isMCP || !hasTool {
		return ""
	}
	return server
}

// isClientResult reports whether a block is a result that Claude Code sends in a user
// entry.
func isClientResult(typ rawValue) bool { return typ.is("tool_result") }

// isAnyResult also accepts results of tools that ran on the server, such as
// web_search_tool_result, which are in assistant entries.
func isAnyResult(typ rawValue) bool { return typ.endsWith("tool_result") }

// results reads the tool results among the blocks. The patch of an edit is a member of
// the entry, so all results of the line get its changed lines. Its web searches count
// once.
func (p *Parser) results(isResult func(typ rawValue) bool, to *Buffer) []ToolResult {
	before := len(to.results)
	for i := range p.blocks {
		b := &p.blocks[i]
		if b.useID.isString() && isResult(b.typ) {
			push(&to.results, p.toolResult(b))
		}
	}
	results := tail(to.results, before)
	if len(results) == 0 {
		return nil
	}
	added, removed := p.linesChanged()
	for i := range results {
		results[i].Added, results[i].Removed = added, removed
	}
	results[0].Searches = p.raw.work.searches.countOrZero()
	return results
}

func (p *Parser) toolResult(b *rawBlock) ToolResult {
	key, short := p.toolID(b.useID)
	r := ToolResult{
		Key: key, ID: short,
		Error:      b.isError.isTrue(),
		Bytes:      uint64(b.size),
		Permission: permission(p.raw.decision),
	}
	if r.Error {
		r.Reason = p.errorReason(b, r.Permission)
	}
	return r
}

// contentText returns the text of a result, for reasonInText. Content of an unexpected
// type is returned as written.
func (p *Parser) contentText(v rawValue) []byte {
	switch {
	case v.isString():
		return p.text(v)
	case v.isNull():
		return nil
	case !v.isArray():
		return v
	}
	p.buf = p.buf[:0]
	separator := ""
	for part := range v.elements() {
		if text := part.member("text"); text.isString() {
			p.buf = append(p.buf, separator...)
			p.buf = appendText(p.buf, text[1:len(text)-1])
			separator = " "
		}
	}
	return p.buf
}

// userRefused begins the result of a call that the user refused, or interrupted.
const userRefused = "The user doesn't want"

// reasonInText derives why a tool failed from the text of its result.
func reasonInText(text []byte) string {
	switch {
	case hasAnyPrefix(text, userRefused, "User chose", "User rejected"):
		return "user_rejected"
	case hasAnyPrefix(text, "[Request interrupted"):
		return "interrupted"
	case containsAny(text, "Sibling tool call errored", "parallel tool call"):
		return "sibling_cancelled"
	case hasAnyPrefix(text, "Exit code"):
		return "exit_code"
	case containsAny(firstChars(text, 120), "ermission"), containsAny(firstChars(text, 160), "requires approval"):
		return "permission"
	case containsAny(text, "InputValidationError", "No such tool available"):
		return "validation"
	case hasAnyPrefix(text, "<tool_use_error>"):
		return "tool_use_error"
	}
	return "other"
}

// linesChanged counts the lines that an edit added and removed, by its structured
// patch. The patch of a created file is empty: all lines of the file are added.
func (p *Parser) linesChanged() (added, removed uint64) {
	w := &p.raw.work
	if w.patched && w.typ.is("create") && w.content.isString() && len(w.content) > len(`""`) {
		return countLines(w.content[1 : len(w.content)-1]), w.removed
	}
	return w.added, w.removed
}

func firstChars(s []byte, n int) []byte {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		_, size := utf8.DecodeRune(s[i:])
		i += size
	}
	return s[:i]
}

func hasAnyPrefix(s []byte, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return bytes.HasPrefix(s, []byte(p)) })
}

func containsAny(s []byte, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return bytes.Contains(s, []byte(p)) })
}
