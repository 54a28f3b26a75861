package ledger

import "github.com/ccwatchd/ccwatchd/transcript"

// An openTurn is a turn of a file's main conversation that is not counted yet: a prompt
// and the part of its answer that was read so far. docs/turns.md states the rule.
//
// A turn is counted when it ends, and so are the keys of its prompt recorded. A file
// that is read again begins its open turn again and loses nothing, and of the copies of
// a turn the one that ends first is counted.
type openTurn struct {
	uuid, text   transcript.Key // of the prompt
	attrs        uint32         // of the prompt's line: id in Ledger.fileAttrs
	began, ended int64          // times stated by the prompt and by the answer, 0 if none is
	// message is the latest message of the answer, and the zero Key after an API error,
	// which no line can continue.
	message         transcript.Key
	outcome         turnOutcome // of the latest message
	messages, calls keySet
}

// A turnOutcome is whether a message ends its turn. A later line of the message can
// only raise it.
type turnOutcome uint8

const (
	endsUnlessCalls turnOutcome = iota // no tool call so far, and no stop reason that decides
	goesOn                             // the model is asked again, with the results of its calls
	ends
)

// outcomeOf returns the outcome of a message as far as one of its lines shows it. Up to
// Claude Code 2.1.58 most messages have no stop reason, but the last one of an answer
// is the only one without a tool call. A message that reached its maximum of tokens
// within a call goes on.
func outcomeOf(e *transcript.Entry) turnOutcome {
	switch e.Message.StopReason {
	case "end_turn", "stop_sequence", "refusal":
		return ends
	case "tool_use", "pause_turn", "compaction":
		return goesOn
	}
	if len(e.Uses) > 0 {
		return goesOn
	}
	return endsUnlessCalls
}

// turn follows the turns of main conversations.
func (l *Ledger) turn(lc *lineContext, e *transcript.Entry) {
	switch {
	case lc.side:
	case e.Prompt != nil:
		l.turnPrompt(lc, e)
	case e.Message != nil || e.APIError != nil || e.Turn != nil || len(e.Results) > 0:
		l.answer(lc, e)
	}
}

// turnPrompt processes a prompt: it ends the open turn and begins another one. Some
// prompts are not for the model, and one that was queued belongs to the turn in
// progress.
func (l *Ledger) turnPrompt(lc *lineContext, e *transcript.Entry) {
	switch e.Prompt.Kind {
	case transcript.Interruption:
		l.endTurn(lc.id, lc.now)
		return
	case "local_command", "bash":
		return
	case queued:
		if t := l.turns[lc.id]; t != nil && !t.hasEnded() {
			return
		}
	}
	l.endTurn(lc.id, lc.now)
	l.turns[lc.id] = &openTurn{uuid: e.UUID, text: e.Prompt.TextKey, attrs: l.attrsOf(lc), began: e.Time}
}

// answer processes a line that can be part of an answer, or follow one.
func (l *Ledger) answer(lc *lineContext, e *transcript.Entry) {
	t := l.turns[lc.id]
	if t == nil {
		return
	}
	another := e.APIError != nil || e.Turn != nil || e.Message != nil && e.Message.Key != t.message
	if another && t.hasEnded() {
		l.endTurn(lc.id, lc.now)
		return
	}
	switch {
	case e.Message != nil:
		t.add(e)
	case e.APIError != nil && !t.isAnswered():
		delete(l.turns, lc.id)
		return
	case e.Turn != nil, e.APIError == nil && t.hasEnded():
		return
	}
	t.ended = max(t.ended, e.Time)
	if e.APIError != nil {
		t.message, t.outcome = transcript.Key{}, ends
	}
}

// add adds a line of a message.
func (t *openTurn) add(e *transcript.Entry) {
	if t.message != e.Message.Key {
		t.message, t.outcome = e.Message.Key, endsUnlessCalls
		t.messages.add(t.message)
	}
	t.outcome = max(t.outcome, outcomeOf(e))
	for i := range e.Uses {
		t.calls.add(e.Uses[i].Key)
	}
}

// hasEnded reports whether the answer is complete, except for lines that continue its
// last message.
func (t *openTurn) hasEnded() bool { return t.isAnswered() && t.outcome != goesOn }

func (t *openTurn) isAnswered() bool { return t.messages.len() > 0 }

// endTurn counts the open turn of a file at the time now, if it is the first copy of a
// turn with an answer.
func (l *Ledger) endTurn(id FileID, now int64) {
	t := l.turns[id]
	if t == nil {
		return
	}
	delete(l.turns, id)
	if !t.isAnswered() {
		return
	}
	// Both keys are recorded, whether or not the other is new.
	isNew := l.first(seenTurnPrompt, t.uuid, id)
	if isNew = l.first(seenTurnText, t.text, id) && isNew; !isNew {
		return
	}
	when, _ := timeOf(t.ended, now)
	attrs := &l.fileAttrs.values[t.attrs]
	l.add(turns, 1, when, attrs.source, attrs.project)
	if t.began != 0 && t.ended != 0 {
		l.observe(turnSeconds, uint64(max(0, t.ended-t.began)), when, attrs.source)
	}
	l.observe(turnRequests, t.messages.len(), when, attrs.source)
	l.observe(turnToolCalls, t.calls.len(), when, attrs.source)
}

// hasPendingTurn reports whether the turn of a file is complete and only has to be
// counted. A turn that ended in the middle of a tool call may be resumed, whenever that
// is, and is not counted before its file goes on.
func (l *Ledger) hasPendingTurn(id FileID) bool {
	t := l.turns[id]
	return t != nil && t.hasEnded()
}

// finishTurn counts the complete turn of a quiet file.
func (l *Ledger) finishTurn(id FileID, now int64) {
	if l.hasPendingTurn(id) {
		l.endTurn(id, now)
	}
}
