package naive

import (
	"cmp"
	"fmt"
	"path"
)

// sessionsRule implements docs/design/requests.md#times for sessions, and when projects
// were active.
func sessionsRule() Rule {
	return Rule{[]string{
		"claude_session_duration_seconds", "claude_session_prompts", "claude_session_requests", "claude_last_activity_timestamp_seconds",
	}, func(tree *Tree, totals Totals) {
		countEndedSessions(tree, totals)
		findLastActivity(tree, totals)
	}}
}

// findLastActivity finds the time of the newest line of each project. Lines before the
// first with a directory count only if they are dialogue.
func findLastActivity(tree *Tree, totals Totals) {
	for _, f := range tree.Files {
		inDirectory := false
		for _, l := range f.Lines {
			inDirectory = inDirectory || l.Text("cwd") != ""
			if at := min(l.at, tree.Now); at > 0 && (inDirectory || l.isDialogue()) {
				totals.Raise(float64(at)/1000, "claude_last_activity_timestamp_seconds", "project", l.project)
			}
		}
	}
}

// An endedSession is the content of a session.
type endedSession struct {
	main              *File // that has its first dialogue in a main conversation
	last              int64
	prompts, requests int
}

// A sessionIndex has the sessions of a tree by id.
type sessionIndex map[string]*endedSession

func (all sessionIndex) session(id string) *endedSession {
	if all[id] == nil {
		all[id] = &endedSession{}
	}
	return all[id]
}

// countEndedSessions observes the sessions without a line in the day before the tree
// was read. Messages and prompts belong to the session that had them first.
func countEndedSessions(tree *Tree, totals Totals) {
	sessions, seen := make(sessionIndex), make(set)
	copies, forks := tree.copies()
	starts := tree.startsOf(copies)
	for l := range tree.lines() {
		id, hasID := l.Text("sessionId"), true
		if id == "" {
			id, hasID = fmt.Sprint("none ", l.file.Path, l.number), false
		}
		if sessions[id] == nil && !l.isDialogue() && !l.isPrompt() {
			continue
		}
		s := sessions.session(id)
		owner := cmp.Or(l.maker(), id)
		if l.isDialogue() && !l.side && hasID {
			s.main = cmp.Or(s.main, l.file)
		}
		if at := min(l.at, tree.Now); at > 0 {
			s.last = max(s.last, at)
		}
		if l.isPrompt() && l.prompt() != interruption && seen.firstOf(l.promptKeys()...) {
			sessions.session(owner).prompts++
		}
		if l.key != "" && seen.first("message", l.key) {
			sessions.session(owner).requests++
		}
	}
	for id, s := range sessions {
		start := cmp.Or(starts[id], &sessionStart{})
		if s.main != nil && s.last != 0 && tree.Now-s.last > 24*60*60*1000 && (start.copied == 0 || !forks[s.main]) {
			totals.Observe(float64(s.last-cmp.Or(start.at, start.copied, s.last))/1000, "claude_session_duration_seconds")
			totals.Observe(float64(s.prompts), "claude_session_prompts")
			totals.Observe(float64(s.requests), "claude_session_requests")
		}
	}
}

func (l *Line) isDialogue() bool { return l.Text("type") == "user" || l.Text("type") == "assistant" }

func (l *Line) isPrompt() bool { return l.prompt() != "" && !l.side }

// maker returns the session that made the request of a line, if it is another session.
func (l *Line) maker() string {
	if by := l.At("requestSessionId"); l.Text("sessionId") != "" && isText(by) && text(by) != l.Text("sessionId") {
		return text(by)
	}
	return ""
}

// isCopy reports whether a line states that it was copied from another session.
func (l *Line) isCopy() bool {
	from := l.At("forkedFrom", "sessionId")
	return l.maker() != "" || isText(from) && l.Text("sessionId") != "" && text(from) != l.Text("sessionId")
}

// A sessionStart has the time of a session's first own line, 0 if all its lines are
// copies, and the latest time of the copies before it.
type sessionStart struct{ at, copied int64 }

// add adds a line. All lines before a copy are copies, too.
func (s *sessionStart) add(at int64, copied bool) {
	switch {
	case copied && at >= s.at:
		s.at, s.copied = 0, max(s.copied, at)
	case !copied && s.at == 0 && at >= s.copied:
		s.at, s.copied = at, 0
	case !copied && at < s.at:
		s.at = at
	}
}

// startsOf returns when each session begins. After a prompt of its own, only a line
// that says so is a copy.
func (t *Tree) startsOf(copies map[*Line]bool) map[string]*sessionStart {
	starts, seen, prompted := make(map[string]*sessionStart), make(set), make(map[string]bool)
	for l := range t.lines() {
		id, at := l.Text("sessionId"), min(l.at, t.Now)
		if (l.isDialogue() || l.isPrompt()) && id != "" && at > 0 {
			s := cmp.Or(starts[id], &sessionStart{})
			starts[id] = s
			if !copies[l] || l.isCopy() || s.at == 0 || !prompted[id] {
				s.add(at, copies[l])
			}
		}
		if l.isPrompt() && l.prompt() != interruption && seen.firstOf(l.promptKeys()...) {
			prompted[cmp.Or(l.maker(), id)] = true
		}
	}
	return starts
}

// copies returns the prompts and lines of dialogue that are copies from another
// session: lines that say so, lines older than their file, prompts that another file
// had first, and all lines after them up to a prompt that is no copy. forks are the
// files whose own lines show that they are forks.
func (t *Tree) copies() (copies map[*Line]bool, forks map[*File]bool) {
	copies, forks = make(map[*Line]bool), make(map[*File]bool)
	holders := make(map[string]*File)
	for _, f := range t.Files {
		copying, queued, began, latest := false, false, false, int64(0)
		for _, l := range f.Lines {
			id, at := l.Text("sessionId"), min(l.at, t.Now)
			switch kind := l.prompt(); {
			case !l.isDialogue() && !l.isPrompt() || id == "" || at <= 0:
			case l.side:
			case l.isCopy() || at/1000 < latest && (copying || queued && !began):
				copying, forks[f] = true, true
			case kind != "" && kind != interruption:
				copying = f.isOf(id) && l.isFromAnother(holders, forks)
			case l.key != "" && forks[f]:
				copying = false
			}
			copies[l] = l.isCopy() || copying && !l.side && f.isOf(id)
			began = began || l.isDialogue()
			queued = queued || l.Text("type") == "queue-operation"
			latest = max(latest, at/1000)
			if l.isPrompt() {
				for _, key := range l.promptKeys() {
					holders[key] = cmp.Or(holders[key], f)
				}
			}
		}
	}
	return copies, forks
}

// isOf reports whether a file is named after a session.
func (f *File) isOf(session string) bool { return path.Base(f.Path) == session+".jsonl" }

// isFromAnother reports whether the file of another session, which is no fork itself,
// had a prompt first.
func (l *Line) isFromAnother(holders map[string]*File, forks map[*File]bool) bool {
	keys := l.promptKeys()
	holder := cmp.Or(holders[keys[0]], holders[keys[1]])
	return holder != nil && path.Base(holder.Path) != path.Base(l.file.Path) && !forks[holder]
}
