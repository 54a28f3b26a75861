package ledger

import (
	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// Claude Code's own totals of a session ("cost-state" lines) are cumulative and
// continue when the session is resumed. So the positive differences to the highest
// values of each session and model are counted, and a copied line adds nothing.
//
// A session forked by --fork-session begins with the totals of its parent. So a session
// with copies of another session's requests is left out from the line on that shows it:
// in its transcript the copies come first.

// Indexes of reported totals, the tokens first. They are persisted: they determine the
// numbers of fields.
const (
	reportedInput      = 0
	reportedOutput     = 1
	reportedThinking   = 2
	reportedCacheRead  = 3
	reportedCacheWrite = 4
	reportedSearches   = 5
	reportedNanoUSD    = 6

	reportedTokenTypes = reportedCacheWrite + 1
	reportedCount      = reportedNanoUSD + 1
)

// reportedTypeNames are the values of the type label.
var reportedTypeNames = [reportedTokenTypes]string{
	reportedInput: "input", reportedOutput: "output", reportedThinking: "thinking",
	reportedCacheRead: "cache_read", reportedCacheWrite: "cache_write",
}

func reportedFields(r *transcript.ReportedUsage) [reportedCount]*uint64 {
	return [...]*uint64{
		reportedInput: &r.Input, reportedOutput: &r.Output, reportedThinking: &r.Thinking,
		reportedCacheRead: &r.CacheRead, reportedCacheWrite: &r.CacheWrite,
		reportedSearches: &r.WebSearches, reportedNanoUSD: &r.NanoUSD,
	}
}

// A reportedUsage is the highest totals stated for a session and a model.
type reportedUsage struct {
	file   FileID // that stated them first
	totals [reportedCount]uint64
}

// reported counts the totals that Claude Code states, and the tokens that were counted
// for the same sessions.
type reported struct {
	basic
	families reportedFamilies
	totals   *sourceTable[reportedUsage] // by session and model
	usage    *sourceTable[sessionUsage]  // tokens counted, by session
}

type reportedFamilies struct{ tokens, cost, webSearches, sessions, seenTokens counters.ID }

func newReported(c *core) *reported {
	p := &reported{
		basic: basic{c},
		families: reportedFamilies{
			tokens: c.declare(caveat(claudeCounter("reported_tokens_total", "Tokens that Claude Code reported in cost-state lines, including sub-agents.", "model", "type"),
				"Written when Claude Code exits. Without sessions that have copies of another session's requests; forks by 2.1.287 to 2.1.325 count their parent's totals again.")),
			cost:        c.declare(dollars(claudeCounter("reported_cost_usd_total", "Cost in US dollars that Claude Code estimated in cost-state lines, not the bill of a subscription.", "model"))),
			webSearches: c.declare(claudeCounter("reported_web_searches_total", "Web searches that Claude Code reported in cost-state lines.", "model")),
			sessions: c.declare(caveat(claudeCounter("reported_sessions_total", "Sessions with a cost-state line."),
				"Without forks, as in `claude_reported_tokens_total`.")),
			seenTokens: c.declare(caveat(claudeCounter("reported_seen_tokens_total", "Tokens counted from the transcripts of sessions with a cost-state line, including sub-agents.", "type"),
				"Of the sessions in `claude_reported_sessions_total`. Divided by `claude_reported_tokens_total`: the share in transcripts.")),
		},
		totals: newSourceTable(c, tableReported, codeReported, func(r reportedUsage) FileID { return r.file }),
		usage:  newSourceTable(c, tableSessionUsage, codeSessionUsage, func(s sessionUsage) FileID { return s.file }),
	}
	c.countRows("reported", p.totals)
	c.countRows("session_usage", p.usage)
	return p
}

// prepare sets whether the totals that a line states are left out.
func (p *reported) prepare(l *line, e *transcript.Entry) {
	if e.Reported != nil {
		_, s, _ := p.usage.find(hashOf(e.Session), l.source)
		l.leftOut = s.forked || !e.RequestSession.IsZero()
	}
}

// countLine counts the totals that a line states.
func (p *reported) countLine(l *line, e *transcript.Entry) {
	if !e.RequestSession.IsZero() {
		p.leaveOut(l, hashOf(e.Session))
	}
	if l.leftOut {
		return
	}
	for i := range e.Reported {
		p.report(l, &e.Reported[i])
	}
}

// report counts by how much the totals of one model of a session have grown. The first
// time it also creates the series of those that are zero, except for web searches.
func (p *reported) report(l *line, r *transcript.ReportedUsage) {
	key, known, again := p.totals.find(hashOf(r.Key), l.source)
	if again {
		p.groups.join(known.file, l.id)
	} else {
		known.file = l.id
	}
	model := p.bounded(p.labels.model, l.source, r.Model, l.when)
	for i, n := range reportedFields(r) {
		more := *n - min(*n, known.totals[i])
		known.totals[i] += more
		switch {
		case more == 0 && (again || i == reportedSearches):
		case i == reportedSearches:
			p.add(p.families.webSearches, more, l.when, l.source, model)
		case i == reportedNanoUSD:
			p.add(p.families.cost, more, l.when, l.source, model)
		default:
			p.add(p.families.tokens, more, l.when, l.source, model, reportedTypeNames[i])
		}
	}
	p.totals.Put(key, known)
	p.reportSession(l)
}

// A sessionUsage is the tokens counted from the transcripts of a session.
type sessionUsage struct {
	file     FileID // one of its transcripts
	reported bool   // some line states the session's totals
	forked   bool   // it has copies of another session's requests
	tokens   [reportedTokenTypes]uint64
}

// leaveOut records that a session has copies of another session's requests.
func (p *reported) leaveOut(l *line, session hash64) {
	key, s, known := p.usage.find(session, l.source)
	if s.forked {
		return
	}
	if !known {
		s.file = l.id
	}
	s.forked = true
	p.usage.Put(key, s)
	p.groups.join(s.file, l.id)
}

// reportSession counts a session when its totals are stated for the first time, and
// with it all tokens of its transcripts so far.
func (p *reported) reportSession(l *line) {
	key, s, known := p.usage.find(hashOf(l.session), l.source)
	if s.reported {
		return
	}
	if !known {
		s.file = l.id
	}
	s.reported = true
	p.usage.Put(key, s)
	p.groups.join(s.file, l.id)
	p.add(p.families.sessions, 1, l.when, l.source)
	p.addSeen(s.tokens, l.when, l.source)
}

// addUsage adds counted tokens to the usage of their session.
func (p *reported) addUsage(at *event, source SourceLabels, u transcript.Usage) {
	session := at.sessionHash()
	if session == noSession {
		return
	}
	key, s, known := p.usage.find(session, at.source)
	if !known {
		s.file = at.id
	}
	p.groups.join(s.file, at.id) // a session is remembered while one of its transcripts exists
	more := [reportedTokenTypes]uint64{
		reportedInput: u.Input, reportedOutput: u.Output, reportedThinking: u.Thinking,
		reportedCacheRead: u.CacheRead, reportedCacheWrite: u.CacheWrite5m + u.CacheWrite1h,
	}
	for i, n := range more {
		s.tokens[i] = counters.SaturatingAdd(s.tokens[i], n)
	}
	p.usage.Put(key, s)
	if s.reported && !s.forked {
		p.addSeen(more, at.when, source)
	}
}

// addSeen adds to the tokens of sessions whose totals are stated.
func (p *reported) addSeen(tokens [reportedTokenTypes]uint64, when int64, source SourceLabels) {
	for i, n := range tokens {
		p.add(p.families.seenTokens, n, when, source, reportedTypeNames[i])
	}
}

func codeReported(c *table.Coder, r *reportedUsage) {
	table.Uint(c, 1, &r.file)
	for i := range r.totals {
		table.Uint(c, table.Number(2+i), &r.totals[i])
	}
}

func codeSessionUsage(c *table.Coder, s *sessionUsage) {
	table.Uint(c, 1, &s.file)
	table.Bool(c, 2, &s.reported)
	for i := range s.tokens {
		table.Uint(c, table.Number(3+i), &s.tokens[i]) // fields 3 to 7
	}
	table.Bool(c, 8, &s.forked)
}
