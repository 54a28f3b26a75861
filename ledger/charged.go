package ledger

import (
	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A charge is the last counted record of a message and its cost. prices.charges stores
// the charges of messages whose cost cannot be computed from their countedMessage: a
// better record had lower numbers, or another price.
type charge struct {
	record counts
	amount amount
}

// chargeOf returns the charge of a counted message.
func (p *messages) chargeOf(key hash64, m *countedMessage) charge {
	if c, ok := p.charges.Get(key); ok {
		return c
	}
	return p.usualCharge(m)
}

// usualCharge returns the charge of messages that are not in prices.charges.
func (p *messages) usualCharge(m *countedMessage) charge {
	u := m.usage()
	return charge{m.counts, p.amountOf(p.labelSets.Value(m.labels).price, &u)}
}

// setCharge records the charge of a counted message, if it has a price.
func (p *messages) setCharge(key hash64, m *countedMessage, c charge) {
	if c == p.usualCharge(m) || p.labelSets.Value(m.labels).price == 0 {
		p.charges.Delete(key)
		return
	}
	p.charges.Put(key, c)
}

// keysDropped drops the charges of messages whose keys were dropped.
func (p *messages) keysDropped() {
	table.DeleteFunc(p.charges, func(key hash64, _ charge) bool { return !p.counted.Has(key) })
	table.DeleteFunc(p.unpriced, func(key hash64, _ unpricedMessage) bool { return !p.counted.Has(key) })
}

// codeCharge visits a charge. The indexes of the amounts are persisted: they determine
// the numbers of fields.
func codeCharge(c *table.Coder, v *charge) {
	u, amounts := v.record.usage(), v.amount.fields()
	codeUsage(c, &u)               // fields 1 to 8
	codeNumbers(c, 20, amounts[:]) // fields 20 to 27
	if c.Reading() {
		v.record = countsOf(u)
	}
}

// isRepeated reports whether a record has the counts of the last counted record of its
// message.
func (p *messages) isRepeated(key hash64, m *countedMessage, u *transcript.Usage) bool {
	last := m.counts
	if c, ok := p.charges.Get(key); ok {
		last = c.record
	}
	return countsOf(*u) == last
}
