package ledger

import (
	"slices"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// A heldMessage is a message that is not counted yet: the best of its records,
// and where and when it was first seen. In a catch-up all messages are held
// until its end, so it is small; of a record with counts that do not fit, or
// with iterations, the whole is in Ledger.large.
type heldMessage struct {
	when   int64
	counts        // of the best record
	outcome uint32 // of the best record: its number in Ledger.endings
	labels uint32 // its number in Ledger.origins; without the model
	file   FileID
	// session is that of the line that had the message first, or noSession.
	session hash64
}

// An ending is the labels that a message has from its best record.
type outcome struct{ model, stop string }

// holds reports whether a message is held.
func (l *Ledger) holds(k transcript.Key) bool {
	return !k.IsZero() && l.held.Get(hashOf(k)) != nil
}

// hold begins to hold a message, of which m is the first record.
func (l *Ledger) hold(key hash64, h heldMessage, m *transcript.Message) {
	l.note(key, &h, m)
	l.held.Put(key, h)
	if m.IsFinal() {
		l.ready = append(l.ready, m.Key)
	}
}

// better has m be the record that counts of a message that is held, if it
// beats the one that is.
func (l *Ledger) better(key hash64, h *heldMessage, m *transcript.Message) {
	have := l.record(key, h)
	if !rankOf(m).beats(rankOf(&have)) {
		return
	}
	if m.IsFinal() && !have.IsFinal() {
		l.ready = append(l.ready, m.Key)
	}
	l.note(key, h, m)
}

// note takes over what counts of a record, whose memory belongs to others.
func (l *Ledger) note(key hash64, h *heldMessage, m *transcript.Message) {
	h.counts, h.outcome = countsOf(m.Usage), l.outcomes.id(outcome{m.Model, m.StopReason})
	delete(l.fullRecords, key)
	if len(m.Iterations) > 0 || h.usage() != m.Usage {
		whole := *m
		whole.Iterations = slices.Clone(m.Iterations)
		l.fullRecords[key] = whole
	}
}

// record returns the record that counts of a message that is held.
func (l *Ledger) record(key hash64, h *heldMessage) transcript.Message {
	if whole, ok := l.fullRecords[key]; ok {
		return whole
	}
	e := l.outcomes.values[h.outcome]
	return transcript.Message{Key: keyOf(key), Model: e.model, StopReason: e.stop, Usage: h.usage()}
}

// release ends the holding of a message and returns it with the record that
// counts; false if it was not held.
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

// fewEndings is how many endings are not worth numbering anew.
const minOutcomes = 256

// fitHeld gives back what messages took that are not held any more. Of endings there
// may be one for each, since a model can say that it is anything.
func (l *Ledger) fitHeld() {
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
