package ledger

import (
	"cmp"
	"slices"

	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A heldMessage is a message that is not counted yet: its best record, and where the
// message was first seen. A catch-up holds all messages until its end, so it
// is small: records with iterations or numbers that do not fit are in
// heldMessages.fullRecords.
type heldMessage struct {
	when    int64  // of the earliest record
	counts         // of the best record
	details uint32 // of the best record: id in heldMessages.details
	labels  uint32 // id in core.labelSets; without the model
	file    FileID
	session hash64      // of the first line with the message, or noSession
	miss    missContext // of that line

	ready           uint32 // its position in heldMessages.ready, from 1; 0 while it may still be written
	openBeforeReset FileID // the file that was read again while the message was being written to it; 0 if none
}

// A recordDetails is what the best record of a message states besides its counts.
type recordDetails struct {
	model, stopReason string
	fast, us          bool
	incomplete        bool
	day               int64 // of the record, the earliest of equal records
	missReason        string
	requestAttributes // of its first records
}

// heldMessages are the messages that are not counted yet.
type heldMessages struct {
	held        *table.Table[hash64, heldMessage]
	fullRecords *table.Table[hash64, transcript.Message]
	details     *table.Interner[recordDetails] // not saved: the rows of held contain them

	// These are derived from the rows of held.
	ready           []hash64
	openBeforeReset map[FileID][]hash64
}

func newHeldMessages(c *core) heldMessages {
	h := heldMessages{
		details: table.NewInterner[recordDetails](nil, 0, nil), openBeforeReset: make(map[FileID][]hash64),
		fullRecords: table.New(c.tables, tableFullRecords, table.HashKey[hash64](), codeMessage),
	}
	details := h.details
	h.held = table.NewHashed(c.tables, tableHeld, func(c *table.Coder, m *heldMessage) { codeHeld(c, m, details) })
	return h
}

// hold begins to hold a message with the first record m.
func (p *heldMessages) hold(key hash64, h heldMessage, m *transcript.Message, c requestAttributes) {
	p.setRecord(key, &h, m, dayOf(h.when), c)
	if m.IsFinal() {
		p.markReady(key, &h)
	}
	p.held.Put(key, h)
}

// improve replaces the record of a held message by m, of the time when, if m beats it.
func (p *heldMessages) improve(key hash64, h *heldMessage, m *transcript.Message, when int64, c requestAttributes) {
	c = p.addAttributes(h, c)
	h.when = min(h.when, when)
	best := p.record(key, h)
	if !rankOf(m).beats(rankOf(&best)) {
		return
	}
	if m.IsFinal() {
		p.markReady(key, h)
	}
	day := dayOf(when)
	if rankOf(m) == rankOf(&best) {
		day = min(day, p.details.Value(h.details).day)
	}
	p.setRecord(key, h, m, day, c)
}

// markReady records that a message can be counted, after the messages that already
// can.
func (p *heldMessages) markReady(key hash64, h *heldMessage) {
	if h.ready == 0 {
		p.ready = append(p.ready, key)
		h.ready = uint32(len(p.ready))
	}
}

// setOpenBeforeReset records which file was read again while a message was being
// written to it; 0 if there is no such file.
func (p *heldMessages) setOpenBeforeReset(key hash64, h *heldMessage, id FileID) {
	if before := h.openBeforeReset; before != 0 {
		left := slices.DeleteFunc(p.openBeforeReset[before], func(k hash64) bool { return k == key })
		if p.openBeforeReset[before] = left; len(left) == 0 {
			delete(p.openBeforeReset, before)
		}
	}
	if h.openBeforeReset = id; id != 0 {
		p.openBeforeReset[id] = append(p.openBeforeReset[id], key)
	}
}

// setRecord makes m, a record of a day, the record of a held message. It copies m.
func (p *heldMessages) setRecord(key hash64, h *heldMessage, m *transcript.Message, day int64, c requestAttributes) {
	h.counts, h.details = countsOf(m.Usage), p.details.ID(recordDetails{m.Model, m.StopReason, m.Fast, m.US, m.Incomplete, day, m.MissReason, c})
	if len(m.Iterations) > 0 || h.usage() != m.Usage {
		full := *m
		full.Key = keyOf(key)
		full.Iterations = slices.Clone(m.Iterations)
		p.fullRecords.Put(key, full)
	} else {
		p.fullRecords.Delete(key)
	}
}

// record returns the best record of a held message.
func (p *heldMessages) record(key hash64, h *heldMessage) transcript.Message {
	if full, ok := p.fullRecords.Get(key); ok {
		return full
	}
	o := p.details.Value(h.details)
	return transcript.Message{
		Key: keyOf(key), Model: o.model, StopReason: o.stopReason, Fast: o.fast, US: o.us, Usage: h.usage(),
		Incomplete: o.incomplete, MissReason: o.missReason,
	}
}

// release stops holding a message and returns it with its best record; ok is false if
// it was not held.
func (p *heldMessages) release(key hash64) (h heldMessage, m transcript.Message, ok bool) {
	if h, ok = p.held.Get(key); !ok {
		return h, m, false
	}
	m = p.record(key, &h)
	p.setOpenBeforeReset(key, &h, 0)
	p.held.Delete(key)
	p.fullRecords.Delete(key)
	return h, m, true
}

// Up to minDetails details, unused details are kept.
const minDetails = 256

// shrink frees the memory of messages that are no longer held. There may be as many
// details as messages, since a line can name any model. No change of a row may be
// pending, since rows refer to details.
func (p *heldMessages) shrink() {
	p.held.Shrink()
	if p.details.Len() <= max(minDetails, 2*p.held.Len()) {
		return
	}
	old := p.details.Values()
	p.details.Clear()
	table.Rewrite(p.held, func(h *heldMessage) { h.details = p.details.ID(old[h.details]) })
}

// reindex rebuilds the fields that follow from the rows. It returns false if a row does
// not have one of so many labels.
func (p *heldMessages) reindex(labels int) bool {
	clear(p.openBeforeReset)
	p.ready = p.ready[:0]
	for key, h := range p.held.All() {
		if int(h.labels) >= labels || int(h.miss.reason) >= len(MissReasons) {
			return false
		}
		if h.ready > 0 {
			p.ready = append(p.ready, key)
		}
		if h.openBeforeReset != 0 {
			p.openBeforeReset[h.openBeforeReset] = append(p.openBeforeReset[h.openBeforeReset], key)
		}
	}
	slices.SortFunc(p.ready, func(a, b hash64) int {
		first, _ := p.held.Get(a)
		second, _ := p.held.Get(b)
		return cmp.Compare(first.ready, second.ready)
	})
	return true
}

func codeHeld(c *table.Coder, h *heldMessage, details *table.Interner[recordDetails]) {
	var o recordDetails
	if !c.Reading() {
		o = details.Value(h.details)
	}
	u := h.usage()
	codeUsage(c, &u) // fields 1 to 8
	table.Int(c, 9, &h.when)
	table.Uint(c, 10, &h.labels)
	table.Uint(c, 11, &h.file)
	codeHash(c, 12, &h.session)
	table.Uint(c, 13, &h.miss.reason)
	table.Uint(c, 14, &h.miss.cached)
	table.Uint(c, 16, &h.ready)
	table.Uint(c, 17, &h.openBeforeReset)
	codeDetails(c, &o) // fields 20 to 33
	if c.Reading() {
		h.counts, h.details = countsOf(u), details.ID(o)
	}
}

func codeDetails(c *table.Coder, o *recordDetails) {
	table.String(c, 20, &o.model)
	table.String(c, 21, &o.stopReason)
	table.Bool(c, 22, &o.fast)
	table.Bool(c, 23, &o.us)
	table.Int(c, 24, &o.day)
	table.String(c, 25, &o.missReason)
	codeAttributes(c, &o.requestAttributes) // fields 26 to 32
	table.Bool(c, 33, &o.incomplete)
}

// codeMessage visits a record that does not fit into counts and details.
func codeMessage(c *table.Coder, m *transcript.Message) {
	codeUsage(c, &m.Usage) // fields 1 to 8
	table.Fixed64(c, 9, &m.Key)
	table.String(c, 10, &m.Model)
	table.String(c, 11, &m.StopReason)
	table.Bool(c, 12, &m.Fast)
	table.Bool(c, 13, &m.US)
	table.String(c, 14, &m.MissReason)
	table.Slice(c, 16, &m.Iterations, func(c *table.Coder, i *transcript.Iteration) {
		codeUsage(c, &i.Usage)
		table.String(c, 9, &i.Model)
		table.String(c, 10, &i.Kind)
		table.Bool(c, 11, &i.Fast)
		table.Bool(c, 12, &i.US)
	})
	table.Bool(c, 17, &m.Incomplete)
}

// codeUsage visits the fields 1 to 8.
func codeUsage(c *table.Coder, u *transcript.Usage) {
	fields := usageFields(u)
	codeNumbers(c, 1, fields[:])
}

// codeNumbers visits fields with consecutive numbers.
func codeNumbers(c *table.Coder, first table.Number, fields []*uint64) {
	for i, n := range fields {
		table.Uint(c, first+table.Number(i), n)
	}
}

// codeHash visits a hash as the key that it was made from. A hash of 0 is missing.
func codeHash(c *table.Coder, n table.Number, h *hash64) {
	k := keyOf(*h)
	if table.Fixed64(c, n, &k); !c.Reading() {
		return
	}
	if *h = 0; !k.IsZero() {
		*h = hashOf(k)
	}
}
