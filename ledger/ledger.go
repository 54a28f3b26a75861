package ledger

import (
	"slices"

	"github.com/ccwatchd/ccwatchd/internal/compactmap"
	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// Options are the parts of the configuration on which counting depends.
type Options struct {
	// Limits are the numbers of values that labels may have, by label name.
	Limits map[string]int
	// MaxSeries is the number of series that a family may have from each source. Each
	// label has its limit, but the combinations of several made-up labels could still
	// be millions. 0 means 10,000.
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
	opts      Options
	birth     int64   // when the first ledger was made: the created time of its initial series
	tables    []table // by familyID
	labels    [labelCount]labelValues
	files     map[FileID]fileState
	fileAttrs interner[fileAttrs]
	groups    fileGroups
	copies    agentCopies

	held            compactmap.Store[heldMessage] // messages that are not counted yet
	fullRecords     map[hash64]transcript.Message // of some of them
	outcomes        interner[outcome]
	ready           []transcript.Key            // held messages that Settle counts: superseded or final
	openBeforeReset map[FileID][]transcript.Key // held messages that were being written before a Reset
	counted         compactmap.Map[countedMessage]
	messageLabels   interner[messageLabels]
	prices          interner[pricing.Price] // of counted messages
	charges         map[hash64]charge       // of some of them
	latestPrice     latestPrice

	tools      compactmap.Map[toolCall]
	toolLabels interner[toolLabels]
	orphans    map[hash64]orphan
	orphansOf  map[FileID][]transcript.Key // by file

	turns   map[FileID]*openTurn // of the files that have one
	timings map[conversation]*requestTiming
	causes  map[conversation]int64 // newest times of lines that can cause the next request

	sideRequests map[FileID]lastRequest // of side chains in the transcripts of sessions

	runs map[FileID]*openRun // of transcripts of sub-agents, likewise

	attributions interner[attribution] // of messages

	seen [seenCount]compactmap.Map[FileID] // keys of everything else

	reported compactmap.Map[reportedUsage] // totals in "cost-state" lines, by session and model
	usage    compactmap.Map[sessionUsage]  // tokens counted, by session
	totals   compactmap.Map[sessionTotals] // by session

	zeroFirst zeroFirst // of the series of all tables
	fineFrom  uint32    // the first interval of five minutes in the history

	live  live
	names map[hash64]string // ids of the newest sessions, fit for a label; never saved

	versions versions // of Claude Code

	unknown unknownFields
}

// A FileID numbers a file for the ledger.
type FileID uint32

// New returns an empty ledger. Its initial series are created at the time birth, in
// milliseconds since the epoch.
func New(o Options, birth int64) *Ledger {
	all := families()
	return newLedger(all[:], o, birth)
}

func newLedger(all []Family, o Options, birth int64) *Ledger {
	l := &Ledger{
		tables: make([]table, len(all)),
		birth:  birth, files: make(map[FileID]fileState), groups: newFileGroups(), copies: newAgentCopies(),
		fullRecords: make(map[hash64]transcript.Message), openBeforeReset: make(map[FileID][]transcript.Key),
		orphans: make(map[hash64]orphan), orphansOf: make(map[FileID][]transcript.Key),
		charges: make(map[hash64]charge), turns: make(map[FileID]*openTurn), runs: make(map[FileID]*openRun),
		live: live{details: make(map[hash64]*liveSession)}, zeroFirst: zeroFirst{call: 1},
		names: make(map[hash64]string), sideRequests: make(map[FileID]lastRequest), versions: newVersions(),
		timings: make(map[conversation]*requestTiming),
		causes:  make(map[conversation]int64),
	}
	for i, f := range all {
		l.tables[i] = table{Family: f, series: make(map[string]*series), perSource: make(map[SourceLabels]int)}
	}
	for i := range l.labels {
		l.labels[i].values = make(map[string]struct{})
	}
	l.Configure(o)
	l.addInitialSeries()
	return l
}

// Configure changes the options for subsequent batches.
func (l *Ledger) Configure(o Options) {
	l.opts, l.latestPrice = o, latestPrice{}
	l.applyLimits()
	for i := range l.tables {
		t := &l.tables[i]
		bounds := o.Buckets[t.Name]
		if t.Type != Histogram || slices.Equal(bounds, t.Buckets) {
			continue
		}
		for _, s := range t.series {
			s.Counts = rebucket(t.Buckets, s.Counts, bounds)
		}
		t.Buckets = slices.Clone(bounds)
	}
}

// addInitialSeries creates the series whose label values are all known in advance.
func (l *Ledger) addInitialSeries() {
	for _, class := range transcript.ErrorClasses {
		l.add(apiErrors, 0, l.birth, "", l.bounded(errorLabel, class, l.birth), "")
	}
	for _, window := range []string{"five_hour", "seven_day"} { // of every subscription
		l.add(limitHits, 0, l.birth, "", window)
	}
	for _, p := range []transcript.Problem{
		transcript.Glued, transcript.Torn, transcript.Garbage, transcript.NotObject, transcript.TooLong,
	} {
		l.add(lineErrors, 0, l.birth, "", string(p))
	}
	for _, kind := range transcript.UnknownKinds {
		l.add(unknowns, 0, l.birth, "", kind)
	}
	for _, reason := range ResetReasons {
		l.add(fileResets, 0, l.birth, "", reason)
	}
	for _, reason := range TimeReasons {
		l.add(replacedTimes, 0, l.birth, "", reason)
	}
	l.add(readBytes, 0, l.birth, "")
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
	l.zeroFirst.next()
	f, ok := l.files[b.File]
	if !ok {
		return
	}
	l.live.expire(b.Now - l.opts.ActiveFor)
	l.advanceHistory(b.Now)
	l.add(readBytes, b.Bytes, b.Now, "")
	for _, p := range b.Problems {
		l.add(lineErrors, 1, b.Now, "", string(p))
	}
	for i := range b.Entries {
		l.entry(b, &f, &b.Entries[i])
	}
	l.files[b.File] = f
	l.compact() // a catch-up settles only at its end
}

// A lineContext is the context in which one entry is counted.
type lineContext struct {
	file    *fileState
	id      FileID
	kind    transcript.FileKind
	when    int64 // see timeOf
	priced  int64 // the time at whose prices its messages are priced
	now     int64 // when it was read
	source  SourceLabels
	session transcript.Key
	project string
	agent   string
	side    bool        // the line is not of a main conversation
	miss    missContext // of a message that begins with the line

	agentType   string        // of a sub-agent's line
	statedType  string        // the same if the line states it
	attribution attributionID // of the line's message
}

// noSession is the hash of lines without a session. hashOf never returns it.
const noSession hash64 = 0

func (lc *lineContext) sessionHash() hash64 {
	if lc.session.IsZero() {
		return noSession
	}
	return hashOf(lc.session)
}

func (l *Ledger) entry(b *Batch, f *fileState, e *transcript.Entry) {
	attrs := l.fileAttrs.values[f.attrs]
	lc := lineContext{
		file: f, id: b.File, kind: attrs.kind, now: b.Now,
		source: attrs.source, session: e.Session, side: e.Sidechain || attrs.kind.IsAgent(),
	}
	var reason string
	lc.when, reason = timeOf(e.Time, b.Now)
	if reason != "" && (e.Time != 0 || e.IsConversation()) {
		l.add(replacedTimes, 1, lc.when, "", reason)
	}
	lc.priced = lc.when
	l.endAtPause(&lc, e)
	l.add(lines, 1, lc.when, "", e.Type)
	l.countUnknown(e.Unknown, lc.when)
	lc.project = l.projectOf(f, e, lc.when)
	l.session(&lc, e)
	lc.agent = f.agent(lc.kind, e.Sidechain)
	l.attribute(&lc, e)
	l.circumstance(&lc, e)
	l.timeRequest(&lc, e)
	l.followRequests(&lc, e)
	l.message(&lc, e.Message)
	for i := range e.Uses {
		l.use(&lc, &e.Uses[i], e.Time)
	}
	for i := range e.Results {
		l.result(&lc, &e.Results[i], e.Time)
	}
	l.prompt(&lc, e)
	l.turn(&lc, e)
	l.run(&lc, e)
	l.events(&lc, e)
	for i := range e.Reported {
		l.report(&lc, &e.Reported[i])
	}
}

// projectOf returns the project of a line: its own, or that of an earlier line.
func (l *Ledger) projectOf(f *fileState, e *transcript.Entry, when int64) string {
	attrs := l.fileAttrs.values[f.attrs]
	if e.HasProject && (!f.is(fileHasProject) || e.Project != attrs.project) {
		attrs.project = l.bounded(projectLabel, e.Project, when)
		f.attrs = l.fileAttrs.id(attrs)
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
			l.add(unknowns, 1, when, "", item.Kind)
		}
	}
}

// duplicate counts a repetition.
func (l *Ledger) duplicate(kind string, when int64) {
	l.add(duplicates, 1, when, "", kind)
}

// DedupKeys returns the number of dedup keys of each kind.
func (l *Ledger) DedupKeys() map[string]int {
	n := map[string]int{
		"message": l.held.Len() + l.counted.Len(), "tool_call": l.tools.Len() + len(l.orphans),
		"reported": l.reported.Len(), "session_usage": l.usage.Len(),
		"session_totals": l.totals.Len(),
	}
	for i, name := range seenNames {
		n[name] = l.seen[i].Len()
	}
	return n
}

// Unsettled returns the number of messages held.
func (l *Ledger) Unsettled() int { return l.held.Len() }
