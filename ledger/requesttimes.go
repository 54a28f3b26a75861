package ledger

import "github.com/ccwatchd/ccwatchd/transcript"

// A conversation is the main conversation in the file of a session, or the side chain
// in it; that of a sub-agent's file is a side chain.
type conversation uint64

func conversationOf(id FileID, side bool) conversation {
	c := conversation(id) << 1
	if side {
		c++
	}
	return c
}

func (c conversation) file() FileID { return FileID(c >> 1) } //nolint:gosec // it was one

func (lc *lineContext) conversation() conversation { return conversationOf(lc.id, lc.side) }

// A requestTiming is the latest message of a conversation, if the time of its request
// is known. Further lines of it may follow. docs/latency.md states the rule.
//
// A message is observed when another one or the duration of the turn follows in its
// conversation, or its file is quiet. It is marked then, see messageLabels.timed, so
// that of its copies the one that ends first is observed.
type requestTiming struct {
	message     transcript.Key
	start       int64 // when it was requested
	first, last int64 // the earliest and the latest time of its lines, 0 if none states one
	model       string
	output      uint64 // tokens, of its best record in this file
	final       bool   // likewise
}

// timeRequest follows the times of requests. It must be called before the message of
// the line is recorded in the state of the file.
func (l *Ledger) timeRequest(lc *lineContext, e *transcript.Entry) {
	p, c := e.Prompt, lc.conversation()
	switch {
	case e.Message != nil:
		l.timeMessage(lc, c, e)
	case e.Turn != nil:
		l.finishRequest(c, lc.source, lc.now)
	case e.Type == "assistant", p != nil && p.Kind == transcript.Interruption, e.Type == "user" && e.Time == 0:
		// The request has failed or was stopped, or its time is unknown.
		delete(l.causes, c)
	case e.Type == "user", p != nil && p.Kind == queued:
		l.causes[c] = max(l.causes[c], e.Time)
	}
}

func (l *Ledger) timeMessage(lc *lineContext, c conversation, e *transcript.Entry) {
	t := l.timings[c]
	switch {
	case t != nil && t.message == e.Message.Key:
		t.add(e)
		return
	case t == nil && lc.file.message == e.Message.Key: // no request, or already observed
		return
	case t != nil:
		l.observeRequest(t, lc.source, lc.now)
	}
	start := l.causes[c]
	if delete(l.causes, c); start == 0 {
		delete(l.timings, c)
		return
	}
	if t == nil {
		t = new(requestTiming)
		l.timings[c] = t
	}
	*t = requestTiming{message: e.Message.Key, start: start, model: e.Message.Model}
	t.add(e)
}

// add adds a line of the message.
func (t *requestTiming) add(e *transcript.Entry) {
	m := e.Message
	if rankOf(m).beats(rank{t.final, t.output}) {
		t.model, t.output, t.final = m.Model, m.Usage.Output, m.IsFinal()
	}
	if e.Time == 0 {
		return
	}
	if t.first == 0 || e.Time < t.first {
		t.first = e.Time
	}
	t.last = max(t.last, e.Time)
}

// observeRequest observes a message that is complete at the time now, unless its times
// are out of order or a copy of it was observed.
func (l *Ledger) observeRequest(t *requestTiming, source SourceLabels, now int64) {
	if t.first < t.start || !l.markTimed(hashOf(t.message)) {
		return
	}
	when, _ := timeOf(t.last, now)
	model, took := l.bounded(modelLabel, t.model, when), uint64(t.last-t.start) //nolint:gosec // not negative
	l.observe(requestDuration, took, when, source, model)
	l.observe(requestFirstBlock, uint64(t.first-t.start), when, source, model) //nolint:gosec // likewise
	if t.final {
		l.add(requestTimedOutput, t.output, when, source, model)
		l.add(requestTimedSeconds, took, when, source, model)
	}
}

// markTimed marks a message as observed, and reports whether it was not marked yet.
func (l *Ledger) markTimed(key hash64) bool {
	if h := l.held.Get(key); h != nil {
		return l.markLabels(&h.labels)
	}
	m, ok := l.counted.Get(key)
	if !ok || !l.markLabels(&m.labels) {
		return false
	}
	l.counted.Set(key, m)
	return true
}

// markLabels sets timed in the labels with an id.
func (l *Ledger) markLabels(id *uint32) bool {
	labels := l.messageLabels.values[*id]
	if labels.timed {
		return false
	}
	labels.timed = true
	*id = l.messageLabels.id(labels)
	return true
}

// hasPendingRequest reports whether a file has a message that will be observed.
func (l *Ledger) hasPendingRequest(id FileID) bool {
	return l.timings[conversationOf(id, false)] != nil || l.timings[conversationOf(id, true)] != nil
}

// finishRequests observes the messages of a quiet file. What can cause the next request
// stays.
func (l *Ledger) finishRequests(id FileID, source SourceLabels, now int64) {
	for _, side := range []bool{false, true} {
		l.finishRequest(conversationOf(id, side), source, now)
	}
}

// finishRequest observes the message of a conversation.
func (l *Ledger) finishRequest(c conversation, source SourceLabels, now int64) {
	if t := l.timings[c]; t != nil {
		l.observeRequest(t, source, now)
		delete(l.timings, c)
	}
}

// dropTimings drops the times of a file that is read again or forgotten.
func (l *Ledger) dropTimings(id FileID) {
	for _, side := range []bool{false, true} {
		c := conversationOf(id, side)
		delete(l.timings, c)
		delete(l.causes, c)
	}
}
