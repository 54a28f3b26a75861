package ledger

import (
	"cmp"
	"slices"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// sessions counts sessions, and knows which of them are live.
type sessions struct {
	basic
	families    sessionFamilies
	compactions *compactions
	seen        *dedupKeys
	ended       *dedupKeys                   // the sessions that were observed
	waiting     *table.Table[FileID, hash64] // sessions of forks that have only copies so far
	totals      *sourceTable[sessionTotals]
	remarks     *table.Table[hash64, sessionRemark]
	used        *table.Table[hash64, sessionInterval] // by intervalKey
	models      *sourced[sessionModel]                // of the latest requests of sessions
	names       map[hash64]string                     // ids of the newest sessions, fit for a label; never saved
	shrunk      int                                   // number of names when they were shrunk
}

type sessionFamilies struct {
	sessions, lastActivity, duration, prompts, requests counters.ID
}

func newSessions(c *core) *sessions {
	p := &sessions{
		basic: basic{c},
		families: sessionFamilies{
			sessions:     c.declare(claudeCounter("sessions_total", "Sessions with at least one line of dialogue.", "project")),
			lastActivity: c.declare(gauge(claudeCounter("last_activity_timestamp_seconds", "Unix time of the newest line.", "project"), milli)),
			duration: c.declare(histogram(caveat(claudeCounter("session_duration_seconds", "Time from the first prompt or answer of a session to its last line, including pauses."),
				"Observed once per session, after a day without a line; later lines are not observed. A fork begins after [its copies](design/requests.md#where-a-fork-starts)."), milli, 60, 600, 3600, 14400, 86400)),
			prompts: c.declare(histogram(caveat(claudeCounter("session_prompts", "Prompts in a session, without copies from another session."),
				"Observed once per session, after a day without a line; later lines are not observed."), 1, 1, 3, 10, 30, 100)),
			requests: c.declare(histogram(caveat(claudeCounter("session_requests", "API responses in a session and its sub-agents, without copies from another session."),
				"Observed once per session, after a day without a line; later lines are not observed."), 1, 5, 20, 100, 500, 2000)),
		},
		seen: c.keys("session", tableSessions), ended: c.keys("ended_session", tableEndedSessions),
		totals:  newSourceTable(c, tableSessionTotals, codeSessionTotals, func(t sessionTotals) FileID { return t.file }),
		remarks: owned(c, tableSessionRemarks, codeSessionRemark, func(r sessionRemark) FileID { return r.file }),
		used:    owned(c, tableSessionIntervals, codeSessionInterval, func(i sessionInterval) FileID { return i.file }),
		waiting: table.New(c.tables, tableWaitingSessions, table.UintKey[FileID](), func(c *table.Coder, session *hash64) { codeHash(c, 1, session) }),
		models:  newSourced(c.tables, tableSessionModels, codeSessionModel, func(m sessionModel) SourceLabels { return m.source }),
		names:   make(map[hash64]string),
	}
	p.totals.source = p.sourceOfSession
	c.countRows("session_totals", p.totals)
	return p
}

// countLine counts the session that a line belongs to, and records that it is live.
//
// Metadata before the first line that names a directory is no activity in any project:
// each session of -p begins with queue operations.
func (p *sessions) countLine(l *line, e *transcript.Entry) {
	if l.time != 0 && (l.file.has(fileHasProject) || e.IsConversation()) {
		p.add(p.families.lastActivity, uint64(max(0, l.when)), l.when, l.source, l.project)
	}
	p.noteSession(l, e)
	if e.Message != nil {
		p.noteRequest(l, e.Message)
	}
	p.noteWindow(l, e.Reported)
	if e.IsConversation() && !l.side && !e.Session.IsZero() {
		p.countSession(l, e)
	}
}

// attrsID returns the id of the attributes of a line.
func (c *core) attrsID(l *line) uint32 {
	if l.file.has(fileHasProject) {
		return l.file.attrs
	}
	return c.fileAttrs.ID(fileAttrs{project: l.project, source: l.source, kind: l.kind})
}

// A sessionModel is the model of the latest request of some sessions of a source.
type sessionModel struct {
	name   string
	source SourceLabels // empty before format 3
}

// maxSessionModels is the maximum number of models of the sessions of a source. Beyond
// it, a new model is as if its label were full: a line can name any model.
const maxSessionModels = 1000

// noteRequest records the model and the size of the context of a request of the main
// conversation, unless a line of the session is newer.
func (p *sessions) noteRequest(l *line, m *transcript.Message) {
	key, t, known := p.totals.find(l.sessionHash(), l.source)
	size := contextOf(&m.Usage)
	if !known || l.side || size == 0 || l.when < t.last {
		return
	}
	model := sessionModel{m.Model, l.source}
	if !p.models.fits(model, maxSessionModels) {
		model.name = counters.Other
	}
	if (t.model == 0 || p.models.Value(t.model-1).name != model.name) && p.remarks.Has(key) {
		p.remark(key, func(r *sessionRemark) { r.window = 0 })
	}
	t.model, t.context = p.models.ID(model)+1, size
	p.totals.Put(key, t)
}

// modelOf returns the label of the model of a session's latest request.
func (p *sessions) modelOf(t *sessionTotals) string {
	if t.model == 0 {
		return ""
	}
	return p.set.Peek(p.labels.model, p.fileAttrs.Value(t.attrs).source, p.models.Value(t.model-1).name)
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
	Window  uint64 // as its transcript states it, see ContextWindow; 0 if not stated
	Last    int64
}

// appendLive appends to all, which is empty, the newest sessions of each source that
// are live at the time now, the newest first, with their projects as exposed.
func (p *sessions) appendLive(all []Session, now int64) []Session {
	q := SessionQuery{Limit: p.opts.maxLive(), Since: now - p.opts.ActiveFor, running: true}
	for _, s := range p.newest(q) {
		t, _ := p.totals.Get(s.key)
		live := p.session(s.key, &t)
		live.Project = p.set.Exposed(p.labels.project, live.Source, live.Project)
		all = append(all, live)
	}
	return all
}

// sourceOfSession returns the source of a session.
func (p *sessions) sourceOfSession(t sessionTotals) SourceLabels {
	if p.files.Has(t.file) {
		return p.sourceOf(t.file)
	}
	return p.fileAttrs.Value(t.attrs).source
}

// session describes a session.
func (p *sessions) session(key hash64, t *sessionTotals) Session {
	attrs := p.fileAttrs.Value(t.attrs)
	r, _ := p.remarks.Get(key)
	return Session{p.names[key], cmp.Or(attrs.project, p.opts.UnknownProject), p.sourceOfSession(*t), p.modelOf(t), t.context, r.window, t.last}
}

// Active is the number of live sessions in a project, as it is exposed.
type Active struct {
	Project  string
	Source   SourceLabels
	Sessions int
}

// appendActive appends to all, which is empty, the number of sessions that are live
// at the time now. A project may be listed several times.
func (p *sessions) appendActive(all []Active, now int64) []Active {
	for _, attrs := range p.fileAttrs.Values() {
		all = append(all, Active{p.set.Exposed(p.labels.project, attrs.source, attrs.project), attrs.source, 0})
	}
	for key, t := range p.totals.All() {
		if p.isLive(key, t.last, now) {
			all[t.attrs].Sessions++
		}
	}
	return slices.DeleteFunc(all, func(a Active) bool { return a.Sessions == 0 })
}

func codeSessionModel(c *table.Coder, m *sessionModel) {
	table.String(c, 1, &m.name)
	table.String(c, 2, &m.source)
}

func (p *sessions) reindex() bool {
	clear(p.names)
	p.models.reindex()
	for _, t := range p.totals.All() {
		if int(t.attrs) >= p.fileAttrs.Len() || int(t.model) > p.models.Len() {
			return false
		}
	}
	return p.validIntervals()
}
