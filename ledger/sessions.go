package ledger

import (
	"cmp"
	"slices"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// session counts the session and the sub-agent that a line belongs to, and records that
// they are live.
func (l *Ledger) session(lc *lineContext, e *transcript.Entry) {
	if e.Time >= minTime {
		l.raise(lastActivity, uint64(max(0, lc.when)), lc.when, lc.source, lc.project)
		l.noteActivity(lc, e)
	}
	l.noteSession(lc, e)
	if e.SessionID != "" {
		l.name(lc.sessionHash(), e.SessionID)
	}
	if !e.IsConversation() {
		return
	}
	f := lc.file
	f.set(fileDialogue, true)
	f.begin(lc.when)
	if f.session == (shortHash{}) {
		f.session = shortHash(e.Session[:])
	}
	if !lc.side && !e.Session.IsZero() && l.first(seenSession, e.Session, lc.id) {
		l.add(sessions, 1, lc.when, lc.source, lc.project)
		for _, trigger := range []string{"auto", "manual"} {
			l.add(compactions, 0, lc.when, lc.source, l.bounded(triggerLabel, trigger, lc.when), lc.project, "main")
		}
	}
	if e.Type == "user" && !f.is(filePrompted) && lc.kind.IsAgent() {
		f.set(filePrompted, true)
		f.set(fileWarmup, e.Warmup)
		l.countSubagent(lc.id, f, lc.now, false)
	}
}

// noteActivity records a line of a session, if the session can still be live.
func (l *Ledger) noteActivity(lc *lineContext, e *transcript.Entry) {
	if e.Session.IsZero() || lc.now-lc.when > l.opts.ActiveFor {
		return
	}
	key := hashOf(e.Session)
	l.live.note(key, activity{lc.when, l.attrsOf(lc)})
	l.live.detail(key, l.opts.maxDetails())
}

// attrsOf returns the id of the attributes of a line.
func (l *Ledger) attrsOf(lc *lineContext) uint32 {
	if lc.file.is(fileHasProject) {
		return lc.file.attrs
	}
	return l.fileAttrs.id(fileAttrs{project: lc.project, source: lc.source, kind: lc.kind})
}

// setContextSize records the size of the context that the main conversation last sent.
func (l *Ledger) setContextSize(lc *lineContext, m *transcript.Message) {
	s := l.live.details[hashOf(lc.session)]
	size := contextOf(&m.Usage)
	if s == nil || lc.side || size == 0 {
		return
	}
	s.model, s.context = m.Model, size
}

// contextOf returns the size of the context that a request sent, in tokens.
func contextOf(u *transcript.Usage) uint64 {
	return u.Input + u.CacheRead + u.CacheWrite5m + u.CacheWrite1h
}

// A Session is a session at one moment.
type Session struct {
	ID      string // fit for a label; empty if it is not known
	Project string
	Source  SourceLabels
	Model   string
	Context uint64
	Last    int64
}

// liveSessions appends to all, which is empty, the sessions that are live at the time
// now and of which details are kept, the newest first.
func (l *Ledger) liveSessions(all []Session, now int64) []Session {
	for key, s := range l.live.details {
		a := l.live.active.Get(key)
		if !l.isLive(a.last, now) {
			continue
		}
		attrs := &l.fileAttrs.values[a.attrs]
		all = append(all, Session{l.names[key], attrs.project, attrs.source, l.peek(modelLabel, s.model), s.context, a.last})
	}
	slices.SortFunc(all, func(a, b Session) int {
		return cmp.Or(cmp.Compare(b.Last, a.Last), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// Active is the number of live sessions in a project.
type Active struct {
	Project  string
	Source   SourceLabels
	Sessions int
}

// activeSessions appends to all, which is empty, the number of sessions that are live
// at the time now. A project may be listed several times.
func (l *Ledger) activeSessions(all []Active, now int64) []Active {
	for _, attrs := range l.fileAttrs.values {
		all = append(all, Active{Project: attrs.project, Source: attrs.source})
	}
	for _, a := range l.live.active.All() {
		if l.isLive(a.last, now) {
			all[a.attrs].Sessions++
		}
	}
	return slices.DeleteFunc(all, func(a Active) bool { return a.Sessions == 0 })
}
