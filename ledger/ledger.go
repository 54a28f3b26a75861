package ledger

import (
	"slices"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// SourceLabels are the labels that a source of the configuration adds.
type SourceLabels = counters.SourceLabels

// Options are the parts of the configuration on which counting depends.
type Options struct {
	// Limits are the numbers of values that labels may have, by label name.
	Limits map[string]int
	// MaxSeries is the number of series that a family may have from each source, see
	// [counters.Options].
	MaxSeries int
	// Buckets are the upper bounds of histograms, by family name.
	Buckets map[string][]float64
	// UnknownProject is the project of lines that do not name a directory, in
	// files of which no earlier line did.
	UnknownProject string
	// ActiveFor is how long after its last line a session counts as live, in
	// milliseconds.
	ActiveFor int64
	// Prices are what messages cost. Without them the cost of messages is neither counted
	// nor exposed.
	Prices *pricing.Table
	// MaxSessions is the maximum number of live sessions with individual gauges. Four
	// times as many are kept, and at least 1,000.
	MaxSessions int
	// FineHistory is for how long the history has intervals of five minutes, in
	// milliseconds. Before that they take an hour. 0 records no history, and keeps what
	// was recorded.
	FineHistory int64
}

// A Ledger holds the counters and the dedup keys.
type Ledger struct {
	*core
	options Options

	ids      *shortIDs
	sessions *sessions
	reported *reported
	messages *messages
	requests *requests
	tools    *tools
	turns    *turns
	agents   *agents
	versions *versions

	byLine []part // in the order in which they see a line
	byFile []part // in the order in which they see that a file is quiet, read again or forgotten

	context lineContext // of the present line; here because parts make it escape
}

// A FileID numbers a file for the ledger.
type FileID uint32

// New returns an empty ledger. Its initial series are created at the time birth, in
// milliseconds since the epoch.
func New(o Options, birth int64) *Ledger {
	l := &Ledger{options: o}
	l.core = newCore(&l.options, birth)
	c := l.core
	l.sessions = newSessions(c)
	l.reported = newReported(c)
	l.messages = newMessages(c, l.sessions, l.reported)
	l.ids = newShortIDs(c, l.messages)
	l.requests = newRequests(c, l.messages)
	l.tools = newTools(c, l.messages)
	l.turns = newTurns(c)
	l.agents = newAgents(c)
	l.versions = newVersions(c)
	prompts, compactions := newPrompts(c, l.sessions, l.messages), newCompactions(c)
	l.sessions.prompts, l.sessions.compactions = prompts, compactions
	limits, queue, hooks, facts := newLimits(c), newQueue(c), newHooks(c), newFacts(c)
	l.byLine = []part{
		l.ids, l.sessions, l.messages.attributor, l.versions, l.requests, l.messages, l.tools, prompts, l.turns, l.agents,
		compactions, l.reported, facts, limits, queue, hooks,
	}
	l.byFile = []part{l.ids, l.sessions, l.messages, l.tools, l.turns, l.requests, l.agents}
	l.Configure(o)
	return l
}

// Configure changes the options for subsequent batches.
func (l *Ledger) Configure(o Options) {
	l.options = o
	l.set.Configure(counters.Options{
		Limits: o.Limits, MaxSeries: o.MaxSeries, Buckets: o.Buckets, Priced: o.Prices != nil, FineHistory: o.FineHistory,
	})
	l.messages.latest = latestPrice{}
	l.messages.priceLate()
	l.addInitialSeries()
}

// addInitialSeries creates the series whose label values are all known in advance.
func (l *Ledger) addInitialSeries() {
	for _, p := range l.byLine {
		p.addInitial()
	}
	f := &l.families
	for _, p := range []transcript.Problem{
		transcript.Glued, transcript.Torn, transcript.Garbage, transcript.NotObject, transcript.TooLong,
	} {
		l.set.AddInitial(f.lineErrors, string(p))
	}
	for _, kind := range transcript.UnknownKinds {
		l.set.AddInitial(f.unknowns, kind)
	}
	for _, reason := range ResetReasons {
		l.set.AddInitial(f.fileResets, reason)
	}
	for _, reason := range TimeReasons {
		l.set.AddInitial(f.replacedTimes, reason)
	}
	l.set.AddInitial(f.readBytes)
}

// A Batch is consecutive lines of one file.
type Batch struct {
	File  FileID
	Now   int64 // when they were read, in milliseconds since the epoch
	Bytes uint64
	// Entries are the contents of the lines, with labels filled in and AssignKeys called.
	Entries []transcript.Entry
	// Problems has an element for each line that is not exactly one entry.
	Problems []transcript.Problem
}

// AddBatch counts a batch. Messages that its lines settle are only counted by the next
// Settle.
func (l *Ledger) AddBatch(b *Batch) {
	f, ok := l.files.Get(b.File)
	if !ok {
		return
	}
	l.set.Advance(b.Now)
	l.add(l.families.readBytes, b.Bytes, b.Now, "")
	for _, p := range b.Problems {
		l.add(l.families.lineErrors, 1, b.Now, "", string(p))
	}
	for i := range b.Entries {
		l.entry(b, &f, &b.Entries[i])
	}
	l.files.Put(b.File, f)
}

func (l *Ledger) entry(b *Batch, f *fileState, e *transcript.Entry) {
	attrs := l.attrsOf(f)
	lc := &l.context
	*lc = lineContext{
		event: event{id: b.File, session: e.Owner()}, file: f, kind: attrs.kind, now: b.Now,
		source: attrs.source, side: e.Sidechain || attrs.kind.IsAgent(),
	}
	var reason string
	lc.when, reason = timeOf(e.Time, b.Now)
	if reason != "" && (e.Time != 0 || e.IsConversation()) {
		l.add(l.families.replacedTimes, 1, lc.when, "", reason)
	}
	lc.priced = lc.when
	if updateLatest(lc, e) {
		for _, p := range l.byFile {
			p.endAtPause(lc)
		}
	}
	l.add(l.families.lines, 1, lc.when, "", e.Type)
	l.countUnknown(e.Unknown, lc.when)
	lc.project = l.projectOf(f, e, lc.when)
	for _, p := range l.byLine {
		p.countLine(lc, e)
	}
}

// projectOf returns the project of a line: its own, or that of an earlier line.
func (l *Ledger) projectOf(f *fileState, e *transcript.Entry, when int64) string {
	attrs := l.attrsOf(f)
	if e.HasProject && (!f.is(fileHasProject) || e.Project != attrs.project) {
		attrs.project = l.bounded(l.labels.project, e.Project, when)
		f.attrs = l.fileAttrs.ID(attrs)
		f.set(fileHasProject, true)
	}
	if !f.is(fileHasProject) {
		return l.opts.UnknownProject
	}
	return attrs.project
}

// countUnknown counts an entry once for each kind of unknown item in it.
func (l *Ledger) countUnknown(items []transcript.UnknownItem, when int64) {
	for i, item := range items {
		sameKind := func(u transcript.UnknownItem) bool { return u.Kind == item.Kind }
		if !slices.ContainsFunc(items[:i], sameKind) {
			l.add(l.families.unknowns, 1, when, "", item.Kind)
		}
	}
}

// DedupKeys returns the number of dedup keys of each kind.
func (l *Ledger) DedupKeys() map[string]int {
	n := map[string]int{
		"message": l.messages.held.Len() + l.messages.counted.Len(), "tool_call": l.tools.calls.Len() + l.tools.orphans.Len(),
		"reported": l.reported.totals.Len(), "session_usage": l.reported.usage.Len(),
		"session_totals": l.sessions.totals.Len(), "short_id": l.ids.known.Len(),
	}
	for _, k := range l.dedup {
		n[k.kind] = k.Len()
	}
	return n
}

// Unsettled returns the number of messages held.
func (l *Ledger) Unsettled() int { return l.messages.held.Len() }
