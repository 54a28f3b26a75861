package ledger

import (
	"cmp"
	"slices"

	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// An openRun is the run of a sub-agent that is not counted yet. docs/design/work.md
// states the rule.
//
// A run is counted when its file is quiet, if it has ended or nothing has followed for
// a day: until then the sub-agent may wait for a permission, or for a command. It
// counts once for each transcript that claude_subagents_total counts. Afterwards the
// file has no openRun, and none begins while the transcript is the counted one.
type openRun struct {
	agentType   string         // stated by the latest line that states it
	first, last int64          // earliest and latest time of its lines, 0 if not stated
	message     transcript.Key // the latest message
	answer      turnOutcome    // of the latest message
	end         runEnd
	// isNew is whether its transcript was counted, and not as a copy. That may be decided
	// only when the file is quiet.
	isNew bool
	over  bool // it has ended, so later lines are ignored
	waits bool // its file was quiet before it has ended
	again bool // its file is read again: the next line begins the run
}

// A runEnd is how a run ends, as its latest line shows it.
type runEnd uint8

// The ends of runs. Their numbers are persisted.
const (
	runGoesOn      runEnd = 0 // a user line is to be answered
	runAnswered    runEnd = 1 // a message, see openRun.answer
	runFailed      runEnd = 2 // an API error
	runInterrupted runEnd = 3 // an interruption by the user
)

// followRun follows the run of the sub-agent of a line.
func (p *agents) followRun(l *line, e *transcript.Entry) {
	if !l.kind.IsAgent() || !e.IsConversation() {
		return
	}
	r, open := p.runs.Get(l.id)
	switch {
	case !open && l.file.has(fileCounted): // counted before, or a copy
		return
	case r.again:
		r = openRun{isNew: r.isNew}
	}
	r.waits = false
	at := l.time
	if at != l.when { // it is in the future
		at = 0
	}
	if r.over = r.over || !l.kind.Replays() && r.isOverBy(at); !r.over {
		r.add(l, e, at)
	}
	p.runs.Put(l.id, r)
}

// isOverBy reports whether a run is over at a time because nothing has followed its
// latest line for a day.
func (r *openRun) isOverBy(at int64) bool { return r.last != 0 && at-r.last > quietAfter }

// endAtPause ends the run of a file, if it has ended, before a line that comes after a
// pause. Transcripts that begin with a copy of their session have its pauses.
func (p *agents) endAtPause(l *line) {
	if r, open := p.runs.Get(l.id); open && !l.kind.Replays() {
		r.over = r.over || r.hasEnded()
		p.runs.Put(l.id, r)
	}
}

// add adds a line of a time, 0 if it is unknown.
func (r *openRun) add(l *line, e *transcript.Entry, at int64) {
	r.agentType = cmp.Or(l.statedType, r.agentType)
	if at != 0 {
		r.first, r.last = min(cmp.Or(r.first, at), at), max(r.last, at)
	}
	switch p := e.Prompt; {
	case e.APIError != nil:
		r.end = runFailed
	case p != nil && p.Kind == transcript.Interruption:
		r.end = runInterrupted
	case e.Message != nil:
		if r.message != l.message {
			r.message, r.answer = l.message, endsUnlessCalls
		}
		r.end, r.answer = runAnswered, max(r.answer, outcomeOf(e))
	case e.Type == "user":
		r.end = runGoesOn
	}
}

func (r *openRun) hasEnded() bool {
	return r.end > runAnswered || r.end == runAnswered && r.answer != goesOn
}

// outcome returns the outcome label of a run that is counted.
func (r *openRun) outcome() string {
	switch {
	case r.end == runFailed:
		return "failed"
	case r.end == runInterrupted:
		return "interrupted"
	case r.hasEnded():
		return "completed"
	}
	return "unfinished"
}

// RunOutcomes are the values of the label outcome. The list must not be modified.
var RunOutcomes = []string{"completed", "interrupted", "failed", "unfinished"}

// decideRun records whether the transcript of a run counts.
func (p *agents) decideRun(id FileID, decided, isNew bool) {
	r, open := p.runs.Get(id)
	switch {
	case decided && isNew:
		r.isNew = true
		p.runs.Put(id, r)
	case decided && open && !r.isNew:
		p.runs.Delete(id)
	}
}

// moveRun lets a file continue the run of the missing one whose transcript it is.
func (p *agents) moveRun(from, to FileID) {
	r, _ := p.runs.Get(from)
	if from == to || !r.isNew {
		return
	}
	p.runs.Delete(from)
	if its, open := p.runs.Get(to); open {
		r, r.isNew = its, true
	} else {
		r.again, r.waits = true, false
	}
	p.runs.Put(to, r)
}

// resetRun begins the run of a file that is read again, unless it was counted.
func (p *agents) resetRun(id FileID) {
	if r, _ := p.runs.Get(id); r.isNew {
		r.again, r.waits = true, false
		p.runs.Put(id, r)
		return
	}
	p.runs.Delete(id)
}

// quietRun counts the run of a quiet file, or lets it wait until nothing has followed
// for a day. That cannot be known of a run whose lines state no time.
func (p *agents) quietRun(id FileID, f *fileState, now int64) {
	r, _ := p.runs.Get(id)
	if r.isNew && !r.over && !r.hasEnded() && r.last != 0 && !r.isOverBy(now) {
		r.waits = true
		p.runs.Put(id, r)
		return
	}
	p.finishRun(id, f, now)
}

// finishUnended counts the runs that have waited for a day at the time now, the oldest
// first.
func (p *agents) finishUnended(now int64) {
	type unended struct {
		id   FileID
		last int64
	}
	var all []unended
	for id, r := range p.runs.All() {
		if r.waits && r.isOverBy(now) {
			all = append(all, unended{id, r.last})
		}
	}
	slices.SortFunc(all, func(a, b unended) int { return cmp.Or(cmp.Compare(a.last, b.last), cmp.Compare(a.id, b.id)) })
	for _, u := range all {
		f, _ := p.files.Get(u.id)
		p.finishRun(u.id, &f, now)
	}
}

// finishRun counts the run of a file.
func (p *agents) finishRun(id FileID, f *fileState, now int64) {
	r, open := p.runs.Get(id)
	if !open {
		return
	}
	p.runs.Delete(id)
	if !r.isNew {
		return
	}
	when := min(cmp.Or(r.last, f.around()), now)
	attrs := p.attrsOf(f)
	agentType := cmp.Or(r.agentType, attrs.agentType, unknownAgentType)
	switch {
	case f.has(fileWarmup):
		agentType = string(transcript.Warmup)
	case attrs.kind.Replays():
		agentType = string(attrs.kind)
	}
	p.add(p.families.runs, 1, when, attrs.source, agentType, r.outcome())
	if r.first != 0 && !attrs.kind.Replays() {
		p.add(p.families.duration, uint64(max(0, r.last-r.first)), when, attrs.source, agentType)
	}
}

func codeOpenRun(c *table.Coder, r *openRun) {
	table.String(c, 1, &r.agentType)
	table.Int(c, 2, &r.first)
	table.Int(c, 3, &r.last)
	table.Fixed64(c, 4, &r.message)
	table.Uint(c, 5, &r.answer)
	table.Uint(c, 6, &r.end)
	table.Bool(c, 7, &r.isNew)
	table.Bool(c, 8, &r.over)
	table.Bool(c, 9, &r.again)
	table.Bool(c, 10, &r.waits)
}
