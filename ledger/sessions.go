package ledger

import (
	"cmp"
	"slices"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/state/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// sessions counts sessions, and knows which of them are live.
type sessions struct {
	basic
	families sessionFamilies
	seen     *dedupKeys
	ended    *dedupKeys // the sessions that were observed
	totals   *table.Compact[sessionTotals]
	live
	names map[hash64]string // ids of the newest sessions, fit for a label; never saved
}

type sessionFamilies struct {
	sessions, lastActivity, duration, prompts, requests counters.ID
}

func newSessions(c *core) *sessions {
	p := &sessions{
		basic: basic{c},
		families: sessionFamilies{
			sessions: c.declare(seen("sessions_total", "Sessions with at least one line of dialogue.", "project")), lastActivity: c.declare(gauge(seen("last_activity_timestamp_seconds", "Time of the newest line, in seconds since the epoch.", "project"), milli)),
			duration: c.declare(histogram(caveat(seen("session_duration_seconds", "Time from the first to the last line of a session, including pauses."), "Derived from the times of lines. "+sessionEnded), milli, 60, 600, 3600, 14400, 86400)), prompts: c.declare(histogram(caveat(seen("session_prompts", "Prompts in a session, without those copied from another session."), sessionEnded), 1, 1, 3, 10, 30, 100)),
			requests: c.declare(histogram(caveat(seen("session_requests", "API responses in a session and its sub-agents, without those copied from another session."), sessionEnded), 1, 5, 20, 100, 500, 2000)),
		},
		seen: c.keys("session", tableSessions), ended: c.keys("ended_session", tableEndedSessions),
		live: newLive(c), names: make(map[hash64]string),
	}
	p.totals = compactOf(c, tableSessionTotals, func(t sessionTotals) bool {
		return int(t.attrs) < c.fileAttrs.Len() && int(t.labels) <= c.labelSets.Len()
	}, func(t sessionTotals) FileID { return t.file })
	return p
}

// line counts the session that a line belongs to, and records that it is live.
func (p *sessions) line(lc *lineContext, e *transcript.Entry) {
	if e.Time >= minTime {
		p.add(p.families.lastActivity, uint64(max(0, lc.when)), lc.when, lc.source, lc.project)
		p.noteActivity(lc, e)
	}
	p.noteSession(lc, e)
	if e.SessionID != "" {
		p.name(lc.sessionHash(), e.SessionID)
	}
	f := lc.file
	if !e.IsConversation() {
		lc.agent = f.agent(lc.kind, e.Sidechain)
		return
	}
	f.set(fileDialogue, true)
	f.begin(lc.when)
	if f.session == (shortHash{}) {
		f.session = shortHash(e.Session[:])
	}
	if !lc.side && !e.Session.IsZero() && p.first(p.seen, e.Session, lc.id) {
		p.add(p.families.sessions, 1, lc.when, lc.source, lc.project)
		lc.newSession = true
	}
	if e.Type == "user" && !f.is(filePrompted) && lc.kind.IsAgent() {
		f.set(filePrompted, true)
		f.set(fileWarmup, e.Warmup)
		lc.begins = true
	}
	lc.agent = f.agent(lc.kind, e.Sidechain)
}

// noteActivity records a line of a session, if the session can still be live.
func (p *sessions) noteActivity(lc *lineContext, e *transcript.Entry) {
	if e.Session.IsZero() || lc.now-lc.when > p.opts.ActiveFor {
		return
	}
	key := hashOf(e.Session)
	p.note(key, activity{lc.when, p.attrsID(lc)})
	p.keepDetails(key, p.opts.maxDetails())
}

// attrsID returns the id of the attributes of a line.
func (c *core) attrsID(lc *lineContext) uint32 {
	if lc.file.is(fileHasProject) {
		return lc.file.attrs
	}
	return c.fileAttrs.ID(fileAttrs{project: lc.project, source: lc.source, kind: lc.kind})
}

// setContextSize records the size of the context that the main conversation last sent.
func (p *sessions) setContextSize(lc *lineContext, m *transcript.Message) {
	key, size := hashOf(lc.session), contextOf(&m.Usage)
	if p.details.Has(key) && !lc.side && size > 0 {
		p.details.Put(key, liveSession{m.Model, size})
	}
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

// appendLive appends to all, which is empty, the sessions that are live at the time
// now and of which details are kept, the newest first.
func (p *sessions) appendLive(all []Session, now int64) []Session {
	for key, s := range p.details.All() {
		a, _ := p.active.Get(key)
		if !p.isLive(a.last, now) {
			continue
		}
		attrs := p.fileAttrs.Value(a.attrs)
		all = append(all, Session{p.names[key], attrs.project, attrs.source, p.set.Peek(p.labels.model, s.model), s.context, a.last})
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

// appendActive appends to all, which is empty, the number of sessions that are live
// at the time now. A project may be listed several times.
func (p *sessions) appendActive(all []Active, now int64) []Active {
	for _, attrs := range p.fileAttrs.Values() {
		all = append(all, Active{Project: attrs.project, Source: attrs.source})
	}
	for _, a := range p.active.All() {
		if p.isLive(a.last, now) {
			all[a.attrs].Sessions++
		}
	}
	return slices.DeleteFunc(all, func(a Active) bool { return a.Sessions == 0 })
}

func (p *sessions) index() bool {
	clear(p.names)
	return p.live.index(p.fileAttrs.Len())
}
