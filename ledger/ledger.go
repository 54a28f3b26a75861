package ledger

import (
	"slices"

	"github.com/ccwatchd/ccwatchd/internal/compactmap"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// Options are the parts of the configuration on which counting depends.
type Options struct {
	// Limits are the numbers of values that labels may have, by label name.
	Limits map[string]int
	// MaxSeries is the number of series that a family may have from each source. Each
	// label has its limit, but the combinations of what lines invent for several of
	// them would still be millions. 0 means 10,000.
	MaxSeries int
	// Buckets are the upper bounds of histograms, by family name.
	Buckets map[string][]float64
	// UnknownProject is the project of lines that do not name a directory, in
	// files none of whose earlier lines did.
	UnknownProject string
	// ActiveFor is how long after its last line a session counts as live, in
	// milliseconds.
	ActiveFor int64
	// MaxSessions is how many live sessions may be shown one by one. Four times as many
	// are kept, and at least 1,000.
	MaxSessions int
}

// A Ledger holds everything counted so far, and the keys by which it is known.
type Ledger struct {
	opts   Options
	birth  int64   // when the first ledger was made: the created time of what stood at zero then
	tables []table // by familyID
	labels [labelCount]labelValues
	files  map[FileID]fileState
	fileAttrs interner[fileAttrs]
	groups fileGroups
	copies agentCopies

	held    compactmap.Table[heldMessage] // messages that are not counted yet
	fullRecords   map[hash64]transcript.Message // records of some of them
	outcomes interner[outcome]
	ready   []transcript.Key            // of held: overtaken or final, to be counted by Settle
	openBeforeReset    map[FileID][]transcript.Key // of held: messages that were being written before a Reset
	counted compactmap.Map[countedMessage]
	messageLabels interner[messageLabels]

	tools     compactmap.Map[toolCall]
	toolLabels interner[toolLabels]
	orphans   map[hash64]orphan
	orphansOf   map[FileID][]transcript.Key // of orphans, by file

	seen [seenCount]compactmap.Map[FileID] // what is counted by its key alone

	reported compactmap.Map[reportedUsage] // what "cost-state" lines state, by session and model
	usage    compactmap.Map[sessionUsage]  // tokens counted, by session

	zeroFirst zeroFirst // of the series of all tables

	live live

	unknown unknown // what a newer version has saved
}

// A FileID numbers a file for the ledger.
type FileID uint32

// New returns an empty ledger. What stands at zero from the start was created
// at the time birth, in milliseconds since the epoch.
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
		live: live{details: make(map[hash64]*liveSession)}, zeroFirst: zeroFirst{call: 1},
	}
	for i, f := range all {
		l.tables[i] = table{Family: f, series: make(map[string]*series), sources: make(map[SourceLabels]int)}
	}
	for i := range l.labels {
		l.labels[i].values = make(map[string]struct{})
	}
	l.Configure(o)
	l.initZeroSeries()
	return l
}

// Configure puts other options in force, for what is read from now on.
func (l *Ledger) Configure(o Options) {
	l.opts = o
	l.applyLimits()
	for i := range l.tables {
		t := &l.tables[i]
		bounds := o.Buckets[t.Name]
		if t.Type != Histogram || slices.Equal(bounds, t.Buckets) {
			continue
		}
		for _, s := range t.series {
			s.counts = rebucket(t.Buckets, s.counts, bounds)
		}
		t.Buckets = slices.Clone(bounds)
	}
}

// standAtZero makes the series whose labels are all known beforehand.
func (l *Ledger) initZeroSeries() {
	for _, class := range transcript.ErrorClasses {
		l.add(apiErrors, 0, l.birth, "", l.bounded(errorLabel, class, l.birth), "")
	}
	for _, p := range []transcript.Problem{transcript.Glued, transcript.Torn, transcript.Garbage, transcript.NotObject, transcript.TooLong} {
		l.add(lineErrors, 0, l.birth, "", string(p))
	}
	for _, kind := range transcript.UnknownKinds {
		l.add(unknowns, 0, l.birth, "", kind)
	}
	for _, reason := range []string{Truncated, Replaced} {
		l.add(fileResets, 0, l.birth, "", reason)
	}
	l.add(readBytes, 0, l.birth, "")
}

// A Batch is some consecutive lines of one file.
type Batch struct {
	File  FileID
	Now   int64 // when they were read, in milliseconds since the epoch
	Bytes uint64
	// Entries are what they say, with labels filled in and Identify called.
	Entries []transcript.Entry
	// Problems are those of the lines that are not one entry, one a line.
	Problems []transcript.Problem
}

// Read takes in what some lines say. Messages that these lines settle are not
// counted before Settle.
func (l *Ledger) AddBatch(b *Batch) {
	l.zeroFirst.next()
	f, ok := l.files[b.File]
	if !ok {
		return
	}
	l.live.expire(b.Now - l.opts.ActiveFor)
	l.add(readBytes, b.Bytes, b.Now, "")
	for _, p := range b.Problems {
		l.add(lineErrors, 1, b.Now, "", string(p))
	}
	for i := range b.Entries {
		l.entry(b, &f, &b.Entries[i])
	}
	l.files[b.File] = f
}

// A line is the context in which one entry is counted.
type lineContext struct {
	file    *fileState
	id      FileID
	kind    transcript.FileKind
	when    int64 // the entry's own time, at most that of reading it
	now     int64 // when it was read
	source  SourceLabels
	session transcript.Key
	project string
	agent   string
	side    bool // the line is not of a main conversation
}

// noSession is the digest of no session. Keys have others, see digestOf.
const noSession hash64 = 0

func (lc *lineContext) sessionHash() hash64 {
	if lc.session.IsZero() {
		return noSession
	}
	return hashOf(lc.session)
}

func (l *Ledger) entry(b *Batch, f *fileState, e *transcript.Entry) {
	of := l.fileAttrs.values[f.attrs]
	lc := lineContext{
		file: f, id: b.File, kind: of.kind, when: e.Time, now: b.Now,
		source: of.source, session: e.Session, side: e.Sidechain || of.kind.IsAgent(),
	}
	if lc.when == 0 || lc.when > b.Now {
		lc.when = b.Now
	}
	l.add(lines, 1, lc.when, "", e.Type)
	l.unknownItems(e.Unknown, lc.when)
	lc.project = l.projectOf(f, e, lc.when)
	l.session(&lc, e)
	lc.agent = f.agent(lc.kind, e.Sidechain)
	l.message(&lc, e.Message)
	for i := range e.Uses {
		l.use(&lc, &e.Uses[i], e.Time)
	}
	for i := range e.Results {
		l.result(&lc, &e.Results[i], e.Time)
	}
	l.prompt(&lc, e)
	l.events(&lc, e)
	for i := range e.Reported {
		l.report(&lc, &e.Reported[i])
	}
}

func (l *Ledger) projectOf(f *fileState, e *transcript.Entry, when int64) string {
	at := l.fileAttrs.values[f.attrs]
	if e.HasProject && (!f.is(fileHasProject) || e.Project != at.project) {
		at.project = l.bounded(projectLabel, e.Project, when)
		f.attrs = l.fileAttrs.id(at)
		f.set(fileHasProject, true)
	}
	if !f.is(fileHasProject) {
		return l.opts.UnknownProject
	}
	return at.project
}

// unknownItems counts the kinds of what is unknown in an entry, each once.
func (l *Ledger) unknownItems(items []transcript.UnknownItem, when int64) {
	for i, item := range items {
		sameKind := func(u transcript.UnknownItem) bool { return u.Kind == item.Kind }
		if !slices.ContainsFunc(items[:i], sameKind) {
			l.add(unknowns, 1, when, "", item.Kind)
		}
	}
}

// duplicate counts something that repeats what was counted before.
func (l *Ledger) duplicate(what string, when int64) {
	l.add(duplicates, 1, when, "", what)
}

// once notes key as seen in at's file, and reports whether that was the first
// time; otherwise it counts a duplicate.
func (l *Ledger) once(kind int, key transcript.Key, lc *lineContext) bool {
	if l.first(kind, key, lc.id) {
		return true
	}
	l.duplicate(seenNames[kind], lc.when)
	return false
}

// DedupKeys returns how many keys of each kind are remembered.
func (l *Ledger) DedupKeys() map[string]int {
	n := map[string]int{
		"message": l.held.Len() + l.counted.Len(), "tool_call": l.tools.Len() + len(l.orphans),
		"reported": l.reported.Len(), "session_usage": l.usage.Len(),
	}
	for i, name := range seenNames {
		n[name] = l.seen[i].Len()
	}
	return n
}

// Unsettled returns the number of messages held back.
func (l *Ledger) Unsettled() int { return l.held.Len() }
