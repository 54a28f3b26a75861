package ledger

import (
	"math"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// A message is what must be known of a counted one to add what a better record
// has more of. A message is one of hundreds of thousands, so it is small: a
// count that does not fit is kept as the largest number that does, and cannot
// grow further.
type message struct {
	input, output, read, write5m, write1h, thinking uint32
	searches, fetches                               uint16
	file                                            FileID
	origin                                          originNumber
}

// An originNumber stands for an origin, and says besides whether the record
// that was counted was final.
type originNumber uint32

const finalBit originNumber = 1 << 31

func (n originNumber) final() bool { return n&finalBit != 0 }
func (n originNumber) index() int  { return int(n &^ finalBit) }

// number returns the number of an origin, so that a message need not hold it.
func (l *Ledger) number(o origin) originNumber {
	n, ok := l.originNumbers[o]
	if !ok {
		n = originNumber(len(l.origins)) //nolint:gosec // bounded by the limits of the labels
		l.origins = append(l.origins, o)
		l.originNumbers[o] = n
	}
	return n
}

func compact(u transcript.Usage, origin originNumber, f FileID, final bool) message {
	m := message{origin: origin, file: f}
	if final {
		m.origin |= finalBit
	}
	m.growTo(u)
	return m
}

// growTo raises the message's counts to those of u and returns by how much
// each grew. The two lifetimes of cache writes grow by what their sum grows:
// a better record may only move writes from one to the other.
func (m *message) growTo(u transcript.Usage) transcript.Usage {
	var more transcript.Usage
	more.Input = grow(&m.input, u.Input)
	more.Output = grow(&m.output, u.Output)
	more.CacheRead = grow(&m.read, u.CacheRead)
	more.Thinking = grow(&m.thinking, u.Thinking)
	more.WebSearches = grow(&m.searches, u.WebSearches)
	more.WebFetches = grow(&m.fetches, u.WebFetches)
	full := max(m.write5m, m.write1h) == math.MaxUint32
	if old, now := uint64(m.write5m)+uint64(m.write1h), u.CacheWrite5m+u.CacheWrite1h; now > old && !full {
		more.CacheWrite1h = grow(&m.write1h, min(u.CacheWrite1h, uint64(m.write1h)+now-old))
		more.CacheWrite5m = grow(&m.write5m, uint64(m.write5m)+now-old-more.CacheWrite1h)
	}
	return more
}

func grow[T uint16 | uint32](have *T, want uint64) uint64 {
	if want <= uint64(*have) || *have == ^T(0) {
		return 0
	}
	more := want - uint64(*have)
	*have = T(min(want, uint64(^T(0))))
	return more
}
