package transcript

import (
	"strings"
)

func toolUses(blocks []object) []ToolUse {
	var out []ToolUse
	for _, b := range blocks {
		switch b.str("type") {
		case "tool_use", "server_tool_use", "mcp_tool_use":
			out = append(out, toolUse(b))
		}
	}
	return out
}

// toolUse reads a call. Models invent names, so any string is one.
func toolUse(block object) ToolUse {
	var use ToolUse
	if id, ok := parseString(block["id"]); ok {
		use.Key = KeyOf("tool", id)
	}
	name, ok := parseString(block["name"])
	if !ok {
		name = "unknown"
	}
	use.Name = Clean(name)
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
func isClientResult(blockType string) bool { return blockType == "tool_result" }

func isAnyResult(blockType string) bool { return strings.HasSuffix(blockType, "tool_result") }

// toolResults reads the results among the blocks. The entry o has the patch
// that an edit made, once for the line.
func toolResults(blocks []object, isResult func(blockType string) bool, o object) []ToolResult {
	var out []ToolResult
	for _, b := range blocks {
		if id, ok := parseString(b["tool_use_id"]); ok && isResult(b.str("type")) {
			out = append(out, toolResult(id, b))
		}
	}
	if len(out) == 0 {
		return nil
	}
	added, removed := linesChanged(o.object("toolUseResult"))
	for i := range out {
		out[i].Added, out[i].Removed = added, removed
	}
	return out
}

func toolResult(id string, block object) ToolResult {
	text, size := resultText(block)
	r := ToolResult{Key: KeyOf("tool", id), Error: block.isTrue("is_error"), Bytes: size}
	if r.Error {
		r.Reason = errorReason(text)
	}
	return r
}

// resultText returns the text of a result, by which errors are told apart, and
// the result's size. Content of an odd type is its own text, but nothing that
// a model gets to see.
func resultText(block object) (text string, size uint64) {
	content := block["content"]
	if s, ok := parseString(content); ok {
		return s, uint64(len(s))
	}
	if isNull(content) {
		return "", 0
	}
	if content[0] != '[' {
		return string(content), 0
	}
	var texts []string
	for _, part := range block.objects("content") {
		if s, ok := parseString(part["text"]); ok {
			texts = append(texts, s)
			size += uint64(len(s))
		}
		size += uint64(len(part.object("source").str("data")))
	}
	return strings.Join(texts, " "), size
}

// errorReason tells why a tool failed. Nothing but the text says it.
func errorReason(text string) string {
	switch {
	case hasAnyPrefix(text, "The user doesn't want", "User chose", "User rejected"):
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

// linesChanged counts the lines of a structured patch. A file that was created
// has an empty patch: all its lines are added.
func linesChanged(result object) (added, removed uint64) {
	if parseList(result["structuredPatch"]) == nil {
		return 0, 0
	}
	for _, hunk := range result.objects("structuredPatch") {
		for _, raw := range parseList(hunk["lines"]) {
			switch line, _ := parseString(raw); {
			case strings.HasPrefix(line, "+"):
				added++
			case strings.HasPrefix(line, "-"):
				removed++
			}
		}
	}
	if content := result.str("content"); content != "" && result.is("type", "create") {
		added = countLines(content)
	}
	return added, removed
}

// countLines counts the lines of a text, the last one with or without its end.
// Every separator of lines that Unicode knows ends one, and so do the control
// characters that separate files, groups and records.
func countLines(text string) uint64 {
	var lines uint64
	var open bool
	var before rune
	for _, r := range text {
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
func firstChars(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

func containsAny(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}
