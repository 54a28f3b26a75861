package ledger

import (
	"maps"

	"github.com/ccwatchd/ccwatchd/state/codec"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A charge is the record of a counted message that counted last and what was charged
// for the message. Mostly both follow from the countedMessage: its record has all its
// counts, and it was charged the price of these. Ledger.charges has the other charges.
// They are those of messages of which a better record has lower numbers, or another
// price.
type charge struct {
	record counts
	amount amount
}

// chargeOf returns the charge of a counted message.
func (l *Ledger) chargeOf(key hash64, m *countedMessage) charge {
	if c, ok := l.charges[key]; ok {
		return c
	}
	return l.usualCharge(m)
}

// usualCharge returns the charge of messages that are not in Ledger.charges.
func (l *Ledger) usualCharge(m *countedMessage) charge {
	u := m.usage()
	return charge{m.counts, l.amountOf(l.messageLabels.values[m.labels].price, &u)}
}

// setCharge records the charge of a counted message, if it has a price.
func (l *Ledger) setCharge(key hash64, m *countedMessage, c charge) {
	if c == l.usualCharge(m) || l.messageLabels.values[m.labels].price == 0 {
		delete(l.charges, key)
		return
	}
	l.charges[key] = c
}

// forgetCharges drops the charges of messages that are not counted, or have no price.
func (l *Ledger) forgetCharges() {
	maps.DeleteFunc(l.charges, func(key hash64, _ charge) bool {
		m, ok := l.counted.Get(key)
		return !ok || l.messageLabels.values[m.labels].price == 0
	})
}

// codeCharges visits the charges. Reading drops those of messages that an older
// version, which carries the charges unread, has forgotten.
func (l *Ledger) codeCharges(c *codec.Coder, n codec.Number) {
	codec.Map(c, n, &l.charges, &l.unknown.charges, codeCharge)
	if c.Reading() && c.Err() == nil {
		l.forgetCharges()
	}
}

func codeCharge(c *codec.Coder, key *hash64, v *charge) {
	codeHash(c, 1, key)
	u := v.record.usage()
	usage := usageFields(&u)
	codeNumbers(c, 2, usage[:])
	a := &v.amount
	codeNumbers(c, 10, []*uint64{
		&a.Input, &a.Output, &a.CacheRead, &a.CacheWrite5m, &a.CacheWrite1h, &a.WebSearch,
		&a.CacheSavings, &a.CacheWritePremium, &a.unpriced,
	})
	if !c.Reading() {
		return
	}
	if v.record = countsOf(u); v.record.usage() != u || *key == 0 {
		c.Fail()
	}
}

// isRepeated reports whether a record has the counts of the one of its message that
// counted last.
func (l *Ledger) isRepeated(key hash64, m *countedMessage, u *transcript.Usage) bool {
	last := m.counts
	if c, ok := l.charges[key]; ok {
		last = c.record
	}
	return countsOf(*u) == last
}
