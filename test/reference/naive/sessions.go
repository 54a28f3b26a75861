package naive

import (
	"cmp"
	"fmt"
)

// sessionsRule implements docs/design/requests.md#times for sessions.
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
func countEndedSessions(tree *Tree, totals Totals) {
	sessions, seen := make(map[string]*endedSession), make(set)
	for l := range tree.lines() {
		id, hasID := l.Text("sessionId"), true
		if id == "" {
			id, hasID = fmt.Sprint("none ", l.file.Path, l.number), false
		}
		dialogue := l.Text("type") == "user" || l.Text("type") == "assistant"
		kind := l.prompt()
		isPrompt := kind != "" && !l.side
		s := sessions[id]
		if s == nil && !dialogue && !isPrompt {
			continue
		}
		if s == nil {
			s = &endedSession{}
			sessions[id] = s
		}
		s.isMain = s.isMain || dialogue && !l.side && hasID
		if at := min(l.at, tree.Now); at > 0 {
			if (dialogue || isPrompt) && (s.first == 0 || at < s.first) {
				s.first = at
			}
			s.last = max(s.last, at)
		}
		if isPrompt && kind != interruption && seen.firstOf(l.promptKeys()...) {
			s.prompts++
		}
		if l.key != "" && seen.first("message", l.key) {
			s.requests++
		}
	}
	for _, s := range sessions {
		if s.isMain && s.last != 0 && tree.Now-s.last > 24*60*60*1000 {
			totals.Observe(float64(s.last-cmp.Or(s.first, s.last))/1000, "claude_session_duration_seconds")
			totals.Observe(float64(s.prompts), "claude_session_prompts")
			totals.Observe(float64(s.requests), "claude_session_requests")
		}
	}
}
