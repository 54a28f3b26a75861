package ledger

import (
	"slices"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// SourceLabels are the labels that a source of the configuration adds.
type SourceLabels = counters.SourceLabels

// Options are the parts of the configuration that affect counting.
type Options struct {
	// Limits are the numbers of values that labels may have from each source, by label
	// name.
	Limits map[string]int
	// MaxSeries is the number of series that a family may have from each source, see
	// [counters.Options].
	MaxSeries int
	// Buckets are the upper bounds of histograms, by family name.
	Buckets map[string][]float64
	// UnknownProject is the project of lines of a file before the first line that names a
	// directory.
	UnknownProject string
	// ActiveFor is how long after its last line a session counts as live, in
	// milliseconds.
	ActiveFor int64
	// Prices are the prices of messages. Without prices the cost of messages is neither
	// counted nor exposed.
	Prices *pricing.Table
	// PriceMultiplier returns the factor of the prices of a source, 0 for 1. It is nil if
	// no source has a factor.
	PriceMultiplier func(SourceLabels) pricing.Multiplier
	// MaxSessions is the maximum number of live sessions of a source with individual
	// gauges. Four times as many are kept, and at least 1,000.
	MaxSessions int
	// MaxKeys is the number of rows that belong to the files of a source, such as dedup
	// keys, that TrimKeys keeps. 0 is no limit.
	MaxKeys int
	// FineHistory is for how long the history has intervals of five minutes, in
	// milliseconds. Before that they take an hour. 0 records no history, and keeps the
	// recorded intervals.
	FineHistory int64
	// OnRequest is called for each request when it counts. Nil is nothing.
	OnRequest func(*CountedRequest)
}

// A Ledger holds the counters and the dedup keys.
type Ledger struct {
	*core
	options Options

	sessions *sessions
	messages *messages
	agents   *agents
	versions *versions

	preparers []preparer // in the order that they see a line
	parts     []part     // in the order that they see a line
	keepers   []keeper

	line line // the present one; here because the preparers make it escape
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
	reported := newReported(c)
	l.messages = newMessages(c, l.sessions, reported)
	ids, requests, tools := newShortIDs(c, l.messages), newRequests(c, l.messages), newTools(c, l.messages)
	l.agents, l.versions = newAgents(c), newVersions(c)
	prompts, compactions := newPrompts(c, l.sessions), newCompactions(c)
	turns := newTurns(c, prompts)
	l.sessions.compactions = compactions
	c.set.RankBy(c.labels.project, l.messages.families.tokens, l.sessions.families.lastActivity)
	limits, queue, hooks, facts := newLimits(c), newQueue(c), newHooks(c), newFacts(c)
	lastRequests := newLastRequests(c)

	l.preparers = []preparer{
		c.prepareTime,
		c.prepareProject,              // needs the time, for the limit of names
		ids.prepare,                   // needs the time
		lastRequests.prepare,          // needs the message
		prompts.prepareCopied,         // needs the time, and precedes prepareDialogue: the lines before had no dialogue
		c.prepareDialogue,             // needs the time
		l.messages.attributor.prepare, // needs the time and the agent
		c.prepareMode,
		reported.prepare,
	}
	// The order matters in two cases:
	//
	//   - sessions precedes messages, tools and prompts: they add to the session of the
	//     line, and sessions must know whether it was known, and had prompts, before.
	//   - messages, requests, tools and reported name models, in this order: it decides
	//     which of several new names gets the last place under the limit of the label.
	l.parts = []part{
		l.sessions, l.messages, requests, tools, prompts, turns, l.agents, compactions, reported, facts, limits, queue,
		hooks, l.versions,
	}
	l.keepers = []keeper{ids, lastRequests}
	for _, p := range l.parts {
		l.keepers = append(l.keepers, p)
	}
	l.Configure(o)
	return l
}

// Configure changes the options for subsequent batches.
func (l *Ledger) Configure(o Options) {
	l.options = o
	l.resetBudget()
	l.set.Configure(counters.Options{
		Limits: o.Limits, MaxSeries: o.MaxSeries, Buckets: o.Buckets, Priced: o.Prices != nil, FineHistory: o.FineHistory,
	})
	l.messages.latest = latestPrice{}
	l.messages.priceLate()
	l.addInitialSeries()
}

// addInitialSeries creates the series whose label values are all known in advance.
func (l *Ledger) addInitialSeries() {
	for _, p := range l.parts {
		p.addInitial()
	}
	f := &l.families
	initial := func(id counters.ID, values ...string) {
		for _, value := range values {
			l.set.AddInitial(id, value)
		}
	}
	initial(f.lineErrors, string(transcript.Glued), string(transcript.Torn), string(transcript.Garbage),
		string(transcript.NotObject), string(transcript.TooLong), string(transcript.UTF16))
	initial(f.unknowns, transcript.UnknownKinds...)
	initial(f.fileResets, ResetReasons...)
	initial(f.replacedTimes, TimeReasons...)
	l.set.AddInitial(f.readBytes)
}

// A Batch is consecutive lines of one file.
type Batch struct {
	File FileID
	Now  int64 // when they were read, in milliseconds since the epoch
	// Modified is when the file was modified, in the same unit; 0 if that is not known.
	Modified int64
	Bytes    uint64
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

// entry counts an entry: it prepares the line, then all parts count it.
func (l *Ledger) entry(b *Batch, f *fileState, e *transcript.Entry) {
	n := l.prepare(b, f, e)
	if n.replaced != "" && (e.Time != 0 || e.IsConversation()) {
		l.add(l.families.replacedTimes, 1, n.when, "", n.replaced)
	}
	l.add(l.families.lines, 1, n.when, "", e.Type)
	l.countUnknown(e.Unknown, n.when)
	if n.afterPause {
		for _, p := range l.parts {
			p.endAtPause(n)
		}
	}
	for _, p := range l.parts {
		p.countLine(n, e)
	}
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

// Unsettled returns the number of messages held.
func (l *Ledger) Unsettled() int { return l.messages.held.Len() }
