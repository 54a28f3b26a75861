package ledger

import (
	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// requests follows how long the requests of conversations take.
type requests struct {
	basic
	messages *messages
	families latencyFamilies
	timings  *table.Table[conversation, requestTiming]
	causes   *table.Table[conversation, int64] // newest times of lines that can cause the next request
}

type latencyFamilies struct{ duration, firstBlock, timedOutput, timedSeconds counters.ID }

func newRequests(c *core, m *messages) *requests {
	return &requests{
		basic: basic{c}, messages: m,
		families: latencyFamilies{
			duration: c.declare(histogram(caveat(claudeCounter("request_duration_seconds", "Time from the line that caused an API request to the last line of the response.", "model"),
				"By the times of lines, so including hooks and retries."), milli, 2, 5, 10, 30, 60, 300)),
			firstBlock: c.declare(histogram(caveat(claudeCounter("request_first_block_seconds", "Time from the line that caused an API request to the first line of the response.", "model"),
				"The first complete content block, not the first token."), milli, 2, 5, 10, 30, 60)),
			timedOutput: c.declare(caveat(claudeCounter("request_timed_output_tokens_total", "Output tokens of the API responses in claude_request_timed_seconds_total.", "model"),
				"`claude_request_timed_output_tokens_total / claude_request_timed_seconds_total` is tokens per second.")),
			timedSeconds: c.declare(inSeconds(claudeCounter("request_timed_seconds_total", "Duration in seconds of API requests whose stop reason is stated.", "model"))),
		},
		timings: table.NewNumbered[conversation](c.tables, tableTimings, codeTiming),
		causes:  table.New(c.tables, tableCauses, table.UintKey[conversation](), codeCause),
	}
}

// A conversation is the main conversation in the file of a session, or the side chain
// in it; a sub-agent's file is a side chain. Its number, which is persisted, is twice
// the id of the file, plus 1 for a side chain.
type conversation uint64

func conversationOf(id FileID, side bool) conversation {
	c := conversation(id) << 1
	if side {
		c++
	}
	return c
}

func (l *line) conversation() conversation { return conversationOf(l.id, l.side) }

// A requestTiming is the latest message of a conversation, if the time of its request
// is known. Further lines of it may follow. docs/design/requests.md states the rule.
//
// A message is observed when another one or the duration of the turn follows in its
// conversation, Claude Code exits, or its file is quiet. It is marked then, see
// messageLabels.timed, so that of the copies in its source only the one that ends first
// is observed.
type requestTiming struct {
	message     transcript.Key
	start       int64 // when it was requested
	first, last int64 // the earliest and the latest time of its lines, 0 if not stated
	model       string
	output      uint64 // tokens, of its best record in this file
	final       bool   // its best record in this file has a stop reason
}

// countLine follows the times of requests.
func (p *requests) countLine(l *line, e *transcript.Entry) {
	prompt, c := e.Prompt, l.conversation()
	switch {
	case e.Message != nil:
		p.timeMessage(l, c, e)
	case e.Turn != nil, e.EndsProcess():
		p.finishRequest(c, l.source, l.now)
	case e.Type == "assistant", prompt != nil && prompt.Kind == transcript.Interruption, e.Type == "user" && l.time == 0:
		// The request has failed or was stopped, or its time is unknown.
		p.causes.Delete(c)
	case e.Type == "user", prompt != nil && prompt.Kind == queued:
		latest, _ := p.causes.Get(c)
		p.causes.Put(c, max(latest, l.time))
	}
}

func (p *requests) timeMessage(l *line, c conversation, e *transcript.Entry) {
	t, open := p.timings.Get(c)
	switch {
	case open && t.message == l.message:
		t.add(l, e)
		p.timings.Put(c, t)
		return
	case !open && !l.startsMessage: // no request, or already observed
		return
	case open:
		p.observeRequest(&t, l.source, l.now)
	}
	start, _ := p.causes.Get(c)
	p.causes.Delete(c)
	if start == 0 {
		p.timings.Delete(c)
		return
	}
	t = requestTiming{message: l.message, start: start, model: e.Message.Model}
	t.add(l, e)
	p.timings.Put(c, t)
}

// add adds a line of the message.
func (t *requestTiming) add(l *line, e *transcript.Entry) {
	m := e.Message
	if rankOf(m).beats(rank{t.final, t.output}) {
		t.model, t.output, t.final = m.Model, m.Usage.Output, m.IsFinal()
	}
	if l.time == 0 {
		return
	}
	if t.first == 0 || l.time < t.first {
		t.first = l.time
	}
	t.last = max(t.last, l.time)
}

// observeRequest observes a message that is complete at the time now, unless its times
// are out of order, a copy of it was observed, or it belongs to another source.
func (p *requests) observeRequest(t *requestTiming, source SourceLabels, now int64) {
	if t.first < t.start || !p.messages.markTimed(hashOf(t.message), source) {
		return
	}
	when := min(t.last, now)
	model, took := p.bounded(p.labels.model, source, t.model, when), uint64(t.last-t.start)
	p.add(p.families.duration, took, when, source, model)
	p.add(p.families.firstBlock, uint64(t.first-t.start), when, source, model)
	if t.final {
		p.add(p.families.timedOutput, t.output, when, source, model)
		p.add(p.families.timedSeconds, took, when, source, model)
	}
}

// markTimed marks a message of a source as observed, and reports whether it was not
// marked yet.
func (p *messages) markTimed(key hash64, source SourceLabels) bool {
	if h, ok := p.held.Get(key); ok {
		isNew := !p.isElsewhere(h.file, source) && p.markLabels(&h.labels)
		p.held.Put(key, h)
		return isNew
	}
	m, ok := p.counted.Get(key)
	if !ok || p.isElsewhere(m.file, source) || !p.markLabels(&m.labels) {
		return false
	}
	p.counted.Put(key, m)
	return true
}

// markLabels sets timed in the labels with an id.
func (p *messages) markLabels(id *uint32) bool {
	labels := p.labelSets.Value(*id)
	if labels.timed {
		return false
	}
	labels.timed = true
	*id = p.labelSets.ID(labels)
	return true
}

// hasPending reports whether a file has a message that will be observed.
func (p *requests) hasPending(id FileID, _ *fileState) bool {
	return p.timings.Has(conversationOf(id, false)) || p.timings.Has(conversationOf(id, true))
}

// finalize observes the messages of a quiet file. The causes of the next requests stay.
func (p *requests) finalize(id FileID, f *fileState, now int64) {
	p.finishRequests(id, p.attrsOf(f).source, now)
}

// endAtPause observes the messages before a pause.
func (p *requests) endAtPause(l *line) { p.finishRequests(l.id, l.source, l.now) }

func (p *requests) finishRequests(id FileID, source SourceLabels, now int64) {
	for _, side := range []bool{false, true} {
		p.finishRequest(conversationOf(id, side), source, now)
	}
}

// finishRequest observes the message of a conversation.
func (p *requests) finishRequest(c conversation, source SourceLabels, now int64) {
	if t, open := p.timings.Get(c); open {
		p.observeRequest(&t, source, now)
		p.timings.Delete(c)
	}
}

// reset drops the requests of a file.
func (p *requests) reset(id FileID, _ *fileState) {
	for _, side := range []bool{false, true} {
		p.timings.Delete(conversationOf(id, side))
		p.causes.Delete(conversationOf(id, side))
	}
}

func (p *requests) forget(id FileID, f *fileState, _ int64) { p.reset(id, f) }

func codeTiming(c *table.Coder, t *requestTiming) {
	table.Fixed64(c, 1, &t.message)
	table.Int(c, 2, &t.start)
	table.Int(c, 3, &t.first)
	table.Int(c, 4, &t.last)
	table.String(c, 5, &t.model)
	table.Uint(c, 6, &t.output)
	table.Bool(c, 7, &t.final)
}

func codeCause(c *table.Coder, when *int64) { table.Int(c, 1, when) }
