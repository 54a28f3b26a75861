package ledger

import (
	"slices"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// Options are the parts of the configuration on which counting depends.
type Options struct {
	// Limits are the numbers of values that labels may have, by label name.
	Limits map[string]int
	// Buckets are the upper bounds of histograms, by family name.
	Buckets map[string][]float64
	// UnknownProject is the project of lines that do not name a directory, in
	// files none of whose earlier lines did.
	UnknownProject string
	// ActiveFor is how long after its last line a session counts as live, in
	// milliseconds.
	ActiveFor int64
}

// A Ledger holds everything counted so far, and the keys by which it is known.
type Ledger struct {
	opts   Options
	birth  int64 // when the first ledger was made: the created time of what stood at zero then
	tables [familyCount]table
	values map[string]map[string]struct{} // of bounded labels, by label name
	files  map[FileID]*file
	kin    kin

	held          map[transcript.Key]*heldMessage // not counted yet
	ready         []transcript.Key                // of held: overtaken or final, to be counted by Settle
	counted       map[transcript.Key]message
	origins       []origin // by number
	originNumbers map[origin]originNumber

	calls   map[transcript.Key]call // seen in part
	paired  keys                    // calls with their results
	orphans map[transcript.Key]*orphan

	seen [seenCount]keys // what is counted by its key alone

	live  map[transcript.Key]*liveSession
	names map[transcript.Key]string // session ids of live sessions; never saved
}

// A FileID numbers a file for the ledger.
type FileID uint32

// The kinds of keys in Ledger.seen.
const (
	seenPrompt = iota // uuids of prompts and interruptions
	seenQueued        // uuids of prompts typed while Claude works
	seenText          // time and text of both
	seenCompaction
	seenAPIError
	seenRetry
	seenTurn
	seenQueueOperation
	seenSession
	seenSubagent
	seenCount
)

// seenNames are the names under which the kinds of keys are told.
var seenNames = [seenCount]string{
	"prompt", "queued_prompt", "prompt_text", "compaction", "api_error", "api_retry",
	"turn", "queue_operation", "session", "subagent",
}

// New returns an empty ledger. What stands at zero from the start was created
// at the time birth, in milliseconds since the epoch.
func New(o Options, birth int64) *Ledger {
	l := &Ledger{
		birth: birth, values: make(map[string]map[string]struct{}), files: make(map[FileID]*file), kin: make(kin),
		held: make(map[transcript.Key]*heldMessage), counted: make(map[transcript.Key]message),
		originNumbers: make(map[origin]originNumber),
		calls:         make(map[transcript.Key]call), paired: make(keys), orphans: make(map[transcript.Key]*orphan),
		live: make(map[transcript.Key]*liveSession), names: make(map[transcript.Key]string),
	}
	for i := range l.seen {
		l.seen[i] = make(keys)
	}
	for i, f := range families() {
		l.tables[i] = table{Family: f, series: make(map[string]*series)}
	}
	l.Configure(o)
	l.standAtZero()
	return l
}

// Configure puts other options in force, for what is read from now on.
func (l *Ledger) Configure(o Options) {
	l.opts = o
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
func (l *Ledger) standAtZero() {
	for _, class := range transcript.ErrorClasses {
		l.add(apiErrors, 0, l.birth, "", l.bounded("error", class, l.birth), "")
	}
	for _, p := range []transcript.Problem{transcript.Glued, transcript.Torn, transcript.Garbage, transcript.NotObject, transcript.TooLong} {
		l.add(lineErrors, 0, l.birth, "", string(p))
	}
	for _, what := range transcript.UnknownWhats {
		l.add(unknowns, 0, l.birth, "", what)
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
func (l *Ledger) Read(b *Batch) {
	f := l.files[b.File]
	if f == nil {
		return
	}
	l.add(readBytes, b.Bytes, b.Now, "")
	for _, p := range b.Problems {
		l.add(lineErrors, 1, b.Now, "", string(p))
	}
	for i := range b.Entries {
		l.entry(f, &b.Entries[i], b.Now)
	}
}

// A line is the context in which one entry is counted.
type line struct {
	file    *file
	when    int64 // the entry's own time, at most that of reading it
	now     int64 // when it was read
	source  Source
	session transcript.Key
	project string
	agent   string
	side    bool // the line is not of a main conversation
}

func (l *Ledger) entry(f *file, e *transcript.Entry, now int64) {
	at := line{file: f, when: e.Time, now: now, source: f.Source, session: e.Session, side: e.Sidechain || f.Kind.Agent()}
	if at.when == 0 || at.when > now {
		at.when = now
	}
	l.add(lines, 1, at.when, "", e.Type)
	for _, what := range e.Unknown {
		l.add(unknowns, 1, at.when, "", what)
	}
	at.project = l.projectOf(f, e, at.when)
	l.session(&at, e)
	at.agent = f.agent(e.Sidechain)
	l.message(&at, e.Message)
	for i := range e.Uses {
		l.use(&at, &e.Uses[i], e.Time)
	}
	for i := range e.Results {
		l.result(&at, &e.Results[i], e.Time)
	}
	l.prompt(&at, e)
	l.events(&at, e)
}

func (l *Ledger) projectOf(f *file, e *transcript.Entry, when int64) string {
	if e.Placed {
		f.project, f.placed = l.bounded("project", e.Project, when), true
	}
	if !f.placed {
		return l.opts.UnknownProject
	}
	return f.project
}

// duplicate counts something that repeats what was counted before.
func (l *Ledger) duplicate(what string, when int64) {
	l.add(duplicates, 1, when, "", what)
}

// once notes key as seen in at's file, and reports whether that was the first
// time; otherwise it counts a duplicate.
func (l *Ledger) once(kind int, key transcript.Key, at *line) bool {
	if l.first(l.seen[kind], key, at.file.ID) {
		return true
	}
	l.duplicate(seenNames[kind], at.when)
	return false
}

// Remembered returns how many keys of each kind are remembered.
func (l *Ledger) Remembered() map[string]int {
	n := map[string]int{"message": len(l.held) + len(l.counted), "tool_call": len(l.calls) + len(l.paired) + len(l.orphans)}
	for i, name := range seenNames {
		n[name] = len(l.seen[i])
	}
	return n
}

// Unsettled returns the number of messages held back.
func (l *Ledger) Unsettled() int { return len(l.held) }
