package naive

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"encoding/json"
)

// sessionsRule implements docs/latency.md for sessions.
func sessionsRule() Rule {
	return Rule{[]string{
		"claude_session_duration_seconds", "claude_session_prompts", "claude_session_requests",
	}, countEndedSessions}
}

// An endedSession is what a session contains.
type endedSession struct {
	isMain            bool // it has dialogue in a main conversation
	first, last       int64
	prompts, requests int
}

// countEndedSessions observes the sessions without a line in the day before the tree
// was read. Messages and prompts belong to the session that had them first.
func countEndedSessions(tree *Tree, totals *Totals) {
	sessions, seen := make(map[string]*endedSession), make(map[string]bool)
	isNew := func(keys ...string) bool {
		known := slices.ContainsFunc(keys, func(key string) bool { return seen[key] })
		for _, key := range keys {
			seen[key] = true
		}
		return !known
	}
	for _, f := range tree.Files {
		for i, e := range f.Entries {
			id := e.Text("sessionId")
			dialogue := e.Text("type") == "user" || e.Text("type") == "assistant"
			side := e.At("isSidechain") == true || isAgentFile(f)
			if id == "" {
				id = fmt.Sprint("none ", f.Path, i)
			}
			s := sessions[id]
			kind := promptOf(e)
			prompts := kind != "" && !side && isNew(promptKeys(f, i, kind)...)
			if s == nil && (dialogue || prompts) {
				s = &endedSession{}
				sessions[id] = s
			}
			if s == nil {
				continue
			}
			if e.Text("sessionId") != "" && (dialogue || s != nil) {
				s.note(e, tree.Now)
			}
			s.isMain = s.isMain || dialogue && !side && e.Text("sessionId") != ""
			if prompts {
				s.prompts++
			}
			if key := messageKey(f, i); key != "" && isNew("message "+key) {
				s.requests++
			}
		}
	}
	for _, s := range sessions {
		if s.isMain && s.last != 0 && tree.Now*1000-float64(s.last) > 24*60*60*1000 {
			totals.Observe(float64(s.last-s.first)/1000, "claude_session_duration_seconds")
			totals.Observe(float64(s.prompts), "claude_session_prompts")
			totals.Observe(float64(s.requests), "claude_session_requests")
		}
	}
}

// note records the time of a line.
func (s *endedSession) note(e Entry, now float64) {
	at := timeStated(e)
	if at < time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli() {
		return
	}
	at = min(at, int64(now*1000))
	if s.first == 0 || at < s.first {
		s.first = at
	}
	s.last = max(s.last, at)
}

// promptKeys returns what identifies a prompt: its uuid, and its time and content.
func promptKeys(f *File, i int, kind string) []string {
	e := f.Entries[i]
	content := e.At("message", "content")
	group := "prompt "
	switch kind {
	case "queued":
		content, group = trimText(queuedText(e)), "queued "
	case "system":
		content = trimText(e.Text("content"))
	}
	text, _ := json.Marshal(content) //nolint:errchkjson // it was decoded from JSON
	return []string{group + "uuid " + entryID(f, i), group + "text " + e.Text("timestamp") + " " + string(text)}
}

// promptOf returns how a prompt was sent: as an entry of the type user or system, or
// queued. It is empty if the entry is no prompt.
func promptOf(e Entry) string {
	switch e.Text("type") {
	case "user":
		if isUserPrompt(e) {
			return "user"
		}
	case "system":
		if e.Text("subtype") == "local_command" && strings.HasPrefix(trimText(e.Text("content")), "<command-name") {
			return "system"
		}
	case "attachment":
		if e.Text("attachment", "type") == "queued_command" && e.Text("attachment", "commandMode") == "prompt" &&
			e.At("attachment", "isMeta") != true && isFromPerson(e.At("attachment", "origin")) && !isFromMachine(trimText(queuedText(e))) {
			return "queued"
		}
	}
	return ""
}

func isUserPrompt(e Entry) bool {
	if isInterruption(e) || e.At("isMeta") == true || e.At("isCompactSummary") == true || e.At("isVisibleInTranscriptOnly") == true ||
		e.At("turnCompanion") == true || e.Text("promptSource") == "system" || !isFromPerson(e.At("origin")) {
		return false
	}
	hasMedia := false
	text := ""
	for _, b := range blocksOf(e) {
		typ := b.Text("type")
		hasMedia = hasMedia || typ == "image" || typ == "document"
		if strings.HasSuffix(typ, "tool_result") {
			return false
		}
		if t := trimText(b.Text("text")); typ == "text" && text == "" && !hasPrefixOf(t, "<ide_opened_file", "<ide_selection", "<system-reminder") {
			text = t
		}
	}
	return text != "" && !isFromMachine(text) || text == "" && hasMedia
}

func isFromPerson(origin any) bool {
	kind := member(origin, "kind")
	return kind == nil || kind == "human"
}

// isFromMachine reports whether Claude Code or a plugin wrote a text.
func isFromMachine(text string) bool {
	return hasPrefixOf(text,
		"<local-command-stdout", "<local-command-stderr", "<local-command-caveat", "<bash-stdout", "<bash-stderr", "<task-notification",
		"<teammate-message", "<observed_from_primary_session", "<system-reminder", "<fork-boilerplate", "<cross-session-message",
		"<user-prompt-submit-hook", "<user-memory-input",
		"Caveat: The messages below were generated by the user while running local commands",
		"This session is being continued from a previous conversation")
}

func hasPrefixOf(text string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(text, p) })
}

// queuedText returns the text of a prompt typed while Claude worked.
func queuedText(e Entry) string {
	if text := e.Text("attachment", "prompt"); text != "" {
		return text
	}
	var parts []string
	for _, b := range e.Objects("attachment", "prompt") {
		if b.Text("type") == "text" {
			parts = append(parts, b.Text("text"))
		}
	}
	return strings.Join(parts, " ")
}

// blocksOf returns the content blocks of a message. A string is a block of text.
func blocksOf(e Entry) (blocks []Entry) {
	content := e.At("message", "content")
	if text, ok := content.(string); ok {
		content = []any{text}
	}
	list, _ := content.([]any)
	for _, item := range list {
		switch b := item.(type) {
		case string:
			blocks = append(blocks, Entry{"type": "text", "text": b})
		case map[string]any:
			blocks = append(blocks, b)
		}
	}
	return blocks
}

func trimText(s string) string {
	return strings.TrimLeftFunc(s, func(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f })
}
