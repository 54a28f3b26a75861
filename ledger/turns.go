package ledger

import (
	"cmp"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// turns counts the turns of main conversations. docs/design/turns.md states the rule.
//
// A turn is counted when it ends, and the keys of its prompt are recorded then. So a
// file that is read again begins its open turn again, and only the copy of a turn that
// ends first is counted. A turn belongs to the source that has its prompt.
type turns struct {
	basic
	asked          *prompts
	families       turnFamilies
	prompts, texts *dedupKeys                     // of prompts whose turns were counted
	stated, times  *dedupKeys                     // of durations that Claude Code states
	open           *table.Table[FileID, openTurn] // of the files that have one
	keys           table.Grouped[FileID, hash64]  // of the messages and calls of open turns
}

type turnFamilies struct{ turns, seconds, requests, toolCalls, stated counters.ID }

func newTurns(c *core, asked *prompts) *turns {
	p := &turns{
		basic: basic{c}, asked: asked,
		families: turnFamilies{
			stated: c.declare(histogram(caveat(claudeCounter("turn_duration_seconds", "Duration of the turns for which Claude Code states it."),
				"Only turns over 30 seconds in versions 2.1.1 to 2.1.122, only interactive sessions today; `claude_turn_seconds` has all."), milli, 30, 60, 120, 300, 600, 3600)),
			turns: c.declare(caveat(claudeCounter("turns_total", "Turns: prompts and the answers of the main conversation to them, each counted once, when its answer ends.", "project"),
				"Answers to notifications of background tasks that a turn began are part of it.")),
			seconds:   c.declare(histogram(claudeCounter("turn_seconds", "Time from a prompt to the last line of the answer, including tools, sub-agents and waiting for permissions."), milli, 10, 30, 120, 300, 600, 3600)),
			requests:  c.declare(histogram(claudeCounter("turn_requests", "API responses of the main conversation in a turn."), 1, 1, 3, 10, 50, 200)),
			toolCalls: c.declare(histogram(claudeCounter("turn_tool_calls", "Tool calls of the main conversation in a turn."), 1, 0, 2, 10, 50, 200)),
		},
		stated: c.keys("turn", tableTurnDurations), times: c.keys("turn_time", tableTurnDurationTimes),
		prompts: c.keys("turn_prompt", tableTurnPrompts), texts: c.keys("turn_text", tableTurnTexts),
		open: table.NewNumbered[FileID](c.tables, tableTurns, codeOpenTurn),
		keys: table.NewGrouped[FileID](c.tables, tableTurnKeys, table.HashKey[hash64]()),
	}
	countOwned(c, p.keys.Table, func(k turnKey, _ struct{}) FileID { return k.A })
	return p
}

// countLine counts the duration that a line states, and follows the turn of the main
// conversation.
func (p *turns) countLine(l *line, e *transcript.Entry) {
	if t := e.Turn; t != nil && p.onceByTime(p.stated, p.times, e, l, "", t.Milliseconds) {
		p.add(p.families.stated, t.Milliseconds, l.when, l.source)
	}
	switch {
	case l.side:
	case e.Prompt != nil:
		p.beginTurn(l, e)
	case e.EndsProcess():
		p.endAnswered(l)
	case !e.TaskCall.IsZero():
		p.resume(l, e)
	case e.Message != nil || e.APIError != nil || e.Turn != nil || len(e.Results) > 0:
		p.followAnswer(l, e)
	}
}

// beginTurn processes a prompt: it ends the open turn and begins another one. Commands
// that Claude Code runs itself are not for the model. A prompt that was queued belongs
// to the turn in progress, and so does a shell command.
func (p *turns) beginTurn(l *line, e *transcript.Entry) {
	switch e.Prompt.Kind {
	case transcript.Interruption:
		p.end(l.id, l.file, l.now)
		return
	case "local_command":
		return
	case queued, "bash":
		if t, open := p.open.Get(l.id); open && !t.hasEnded() {
			return
		}
	}
	p.end(l.id, l.file, l.now)
	p.open.Put(l.id, openTurn{uuid: e.UUID, text: e.Prompt.TextKey, attrs: p.attrsID(l), began: l.time})
}

// endAnswered ends the open turn of a file whose process has ended, also in the middle
// of a tool call. A prompt without an answer stays: it may belong to another process.
func (p *turns) endAnswered(l *line) {
	if t, _ := p.open.Get(l.id); t.isAnswered() {
		p.end(l.id, l.file, l.now)
	}
}

// resume lets the turn go on that began a background task, when the model is notified
// of it.
func (p *turns) resume(l *line, e *transcript.Entry) {
	t, open := p.open.Get(l.id)
	if open && p.keys.Has(turnKey{A: l.id, B: hashOf(e.TaskCall)}) {
		t.outcome = goesOn
		p.open.Put(l.id, t)
	}
}

// followAnswer processes a line that can be part of an answer, or follow one.
func (p *turns) followAnswer(l *line, e *transcript.Entry) {
	t, open := p.open.Get(l.id)
	if !open {
		return
	}
	if e.Turn != nil && e.Turn.Pending { // a notification may follow
		return
	}
	another := e.APIError != nil || e.Turn != nil || e.Message != nil && l.message != t.message
	if another && t.hasEnded() {
		p.end(l.id, l.file, l.now)
		return
	}
	switch {
	case e.Message != nil:
		p.extend(l, &t, e)
	case e.APIError != nil && !t.isAnswered():
		p.drop(l.id)
		return
	case e.Turn != nil, e.APIError == nil && t.hasEnded():
		return
	}
	t.ended = max(t.ended, l.time)
	if e.APIError != nil {
		t.message, t.outcome = transcript.Key{}, ends
	}
	p.open.Put(l.id, t)
}

// extend adds a line of a message to a turn.
func (p *turns) extend(l *line, t *openTurn, e *transcript.Entry) {
	if t.message != l.message {
		t.message, t.outcome = l.message, endsUnlessCalls
		if p.addKey(l.id, t.message) {
			t.messages++
		}
	}
	t.outcome = max(t.outcome, outcomeOf(e))
	for _, call := range l.uses {
		if p.addKey(l.id, call) {
			t.calls++
		}
	}
}

// addKey records a key of a turn, and reports whether it was not recorded before.
func (p *turns) addKey(id FileID, k transcript.Key) bool {
	key := turnKey{A: id, B: hashOf(k)}
	if p.keys.Has(key) {
		return false
	}
	if len(p.keys.Of(id)) < maxTurnKeys {
		p.keys.Put(key, struct{}{})
	}
	return true
}

// end counts the open turn of a file at the time now, if it is the first copy of a turn
// with an answer.
func (p *turns) end(id FileID, f *fileState, now int64) {
	t, _ := p.open.Get(id)
	p.drop(id)
	if !t.isAnswered() || p.isElsewhere(p.asked.holder(t.text), p.attrsOf(f).source) {
		return
	}
	if !p.firstBoth(id, p.prompts, t.uuid, p.texts, t.text) {
		return
	}
	when := min(cmp.Or(t.ended, t.began, f.around()), now)
	attrs := p.fileAttrs.Value(t.attrs)
	p.add(p.families.turns, 1, when, attrs.source, attrs.project)
	if t.began != 0 && t.ended != 0 {
		p.add(p.families.seconds, uint64(max(0, t.ended-t.began)), when, attrs.source)
	}
	p.add(p.families.requests, t.messages, when, attrs.source)
	p.add(p.families.toolCalls, t.calls, when, attrs.source)
}

// drop drops the open turn of a file, if there is one.
func (p *turns) drop(id FileID) {
	p.open.Delete(id)
	p.keys.DeleteAll(id)
}

// hasPending reports whether the turn of a file is complete and only has to be counted.
// A turn that ended in the middle of a tool call may be resumed, whenever that is, and
// is not counted before its file goes on.
func (p *turns) hasPending(id FileID, _ *fileState) bool {
	t, _ := p.open.Get(id)
	return t.hasEnded()
}

// finalize counts the complete turn of a quiet file.
func (p *turns) finalize(id FileID, f *fileState, now int64) {
	if p.hasPending(id, f) {
		p.end(id, f, now)
	}
}

func (p *turns) endAtPause(l *line)                      { p.finalize(l.id, l.file, l.now) }
func (p *turns) reset(id FileID, _ *fileState)           { p.drop(id) }
func (p *turns) forget(id FileID, _ *fileState, _ int64) { p.drop(id) }

func (p *turns) reindex() bool {
	for _, t := range p.open.All() {
		if int(t.attrs) >= p.fileAttrs.Len() {
			return false
		}
	}
	return true
}
