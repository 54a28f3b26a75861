package ledger

import (
	"cmp"
	"slices"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// A heldMessage is a message that is not counted yet: its best record, and where the
// message was first seen. A catch-up holds all messages until its end, so it
// is small: records with iterations or numbers that do not fit are in
// Ledger.fullRecords.
type heldMessage struct {
	when    int64  // of the earliest record
	counts         // of the best record
	outcome uint32 // of the best record: id in Ledger.outcomes
	labels  uint32 // id in Ledger.messageLabels; without the model
	file    FileID
	session hash64      // of the first line with the message, or noSession
	miss    missContext // of that line
}

// An outcome is what the best record of a message states besides its counts.
type outcome struct {
	model, stopReason string
	fast, us          bool
	day               int64 // of the record, the earliest of equal ones; 0 if unknown
	modelChanged      bool
	circumstances     // of its first records
}

// holds reports whether a message is held.
func (l *Ledger) holds(k transcript.Key) bool { return l.heldMessage(k) != nil }

// heldMessage returns a message that is held, or nil.
func (l *Ledger) heldMessage(k transcript.Key) *heldMessage {
	if k.IsZero() {
		return nil
	}
	return l.held.Get(hashOf(k))
}

// hold begins to hold a message, of which m is the first record.
func (l *Ledger) hold(key hash64, h heldMessage, m *transcript.Message, c circumstances) {
	l.setRecord(key, &h, m, dayOf(h.when), c)
	l.held.Put(key, h)
	if m.IsFinal() {
		l.ready = append(l.ready, m.Key)
	}
}

// improve replaces the record of a held message by m, of the time when, if m beats it.
func (l *Ledger) improve(key hash64, h *heldMessage, m *transcript.Message, when int64, c circumstances) {
	c = l.addCircumstances(h, c)
	h.when = min(h.when, when)
	best := l.record(key, h)
	if !rankOf(m).beats(rankOf(&best)) {
		return
	}
	if m.IsFinal() && !best.IsFinal() {
		l.ready = append(l.ready, m.Key)
	}
	day := dayOf(when)
	if rankOf(m) == rankOf(&best) {
		day = min(day, l.recordDay(h))
	}
	l.setRecord(key, h, m, day, c)
}

// setRecord makes m, a record of a day, that of a held message. It copies m.
func (l *Ledger) setRecord(key hash64, h *heldMessage, m *transcript.Message, day int64, c circumstances) {
	h.counts, h.outcome = countsOf(m.Usage), l.outcomes.id(outcome{m.Model, m.StopReason, m.Fast, m.US, day, m.ModelChanged, c})
	delete(l.fullRecords, key)
	if len(m.Iterations) > 0 || h.usage() != m.Usage {
		full := *m
		full.Iterations = slices.Clone(m.Iterations)
		l.fullRecords[key] = full
	}
}

// record returns the best record of a held message.
func (l *Ledger) record(key hash64, h *heldMessage) transcript.Message {
	if full, ok := l.fullRecords[key]; ok {
		return full
	}
	o := l.outcomes.values[h.outcome]
	return transcript.Message{
		Key: keyOf(key), Model: o.model, StopReason: o.stopReason, Fast: o.fast, US: o.us, Usage: h.usage(),
		ModelChanged: o.modelChanged,
	}
}

// recordDay returns the day of the best record of a held message. Versions that counted
// no cost saved only the time of the first one.
func (l *Ledger) recordDay(h *heldMessage) int64 {
	return cmp.Or(l.outcomes.values[h.outcome].day, dayOf(h.when))
}

// release stops holding a message and returns it with its best record; ok is false if
// it was not held.
func (l *Ledger) release(key hash64) (h heldMessage, m transcript.Message, ok bool) {
	held := l.held.Get(key)
	if held == nil {
		return h, m, false
	}
	h, m = *held, l.record(key, held)
	l.held.Delete(key)
	delete(l.fullRecords, key)
	return h, m, true
}

// minOutcomes is the number of outcomes up to which unused ones are kept.
const minOutcomes = 256

// shrinkHeld frees the memory of messages that are no longer held. There may be as many
// outcomes as messages, since a line can name any model.
func (l *Ledger) shrinkHeld() {
	l.held.Shrink()
	if len(l.outcomes.values) <= max(minOutcomes, 2*l.held.Len()) {
		return
	}
	old := l.outcomes.values
	l.outcomes = interner[outcome]{}
	for _, h := range l.held.All() {
		h.outcome = l.outcomes.id(old[h.outcome])
	}
}
