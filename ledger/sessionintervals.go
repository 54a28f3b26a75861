package ledger

import (
	"iter"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/table"
)

// SessionInterval is the length of the intervals of a session's recorded use.
const SessionInterval = counters.CoarseInterval

// A sessionInterval is the use of a session in one interval of time.
type sessionInterval struct {
	file     FileID // sessionTotals.file
	previous uint32 // the interval that was added before it; 0 if it is the first
	counts   sessionCounts
}

// sessionIntervalOf returns the number of the interval with a time in milliseconds
// since the epoch. It is never 0.
func sessionIntervalOf(when int64) uint32 {
	return uint32(max(1, when/SessionInterval.Milliseconds()))
}

// intervalKey returns the key of an interval of a session.
func intervalKey(session hash64, interval uint32) hash64 {
	const odd = 0x9e3779b97f4a7c15 // distributes consecutive numbers
	return max(session^hash64(uint64(interval)*odd), 1)
}

// use adds to the use of a session in the interval of a time. It reports whether the
// interval is new, and so t has changed.
func (p *sessions) use(session hash64, t *sessionTotals, when int64, more sessionCounts) (added bool) {
	number := sessionIntervalOf(when)
	key := intervalKey(session, number)
	i, known := p.used.Get(key)
	if !known {
		i = sessionInterval{file: t.file, previous: t.interval}
		t.interval = number
	}
	i.counts = i.counts.plus(more)
	p.used.Put(key, i)
	return !known
}

// debitUnpriced subtracts tokens that have a price now from the unpriced tokens of a
// event's session, if it is still known: from the interval of its time, then from other
// intervals.
func (p *sessions) debitUnpriced(at *event, tokens uint64) {
	session, t, _ := p.totals.find(at.sessionHash(), at.source)
	p.debitInterval(session, at.when, &tokens)
	for start := range p.intervals(session, &t) {
		p.debitInterval(session, start, &tokens)
	}
}

func (p *sessions) debitInterval(session hash64, when int64, tokens *uint64) {
	key := intervalKey(session, sessionIntervalOf(when))
	i, _ := p.used.Get(key)
	if n := min(*tokens, i.counts[sessionUnpriced]); n > 0 {
		i.counts[sessionUnpriced] -= n
		*tokens -= n
		p.used.Put(key, i)
	}
}

// intervals visits the intervals of a session, each with its beginning in milliseconds
// since the epoch.
func (p *sessions) intervals(session hash64, t *sessionTotals) iter.Seq2[int64, sessionCounts] {
	return func(yield func(int64, sessionCounts) bool) {
		for number := t.interval; number != 0; {
			i, _ := p.used.Get(intervalKey(session, number))
			if !yield(int64(number)*SessionInterval.Milliseconds(), i.counts) {
				return
			}
			number = i.previous
		}
	}
}

// total returns the use of a session in all its intervals.
func (p *sessions) total(session hash64, t *sessionTotals) (sum sessionCounts) {
	for _, counts := range p.intervals(session, t) {
		sum = sum.plus(counts)
	}
	return sum
}

// validIntervals reports whether each interval belongs to exactly one session.
func (p *sessions) validIntervals() bool {
	left := p.used.Len()
	for session, t := range p.totals.All() {
		for number := t.interval; number != 0; left-- {
			i, known := p.used.Get(intervalKey(session, number))
			if !known || left == 0 {
				return false
			}
			number = i.previous
		}
	}
	return left == 0
}

func codeSessionInterval(c *table.Coder, i *sessionInterval) {
	table.Uint(c, 1, &i.file)
	table.Uint(c, 2, &i.previous)
	for n := range i.counts {
		table.Uint(c, table.Number(10+n), &i.counts[n]) // fields 10 to 20
	}
}
