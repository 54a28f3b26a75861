package ledger

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/ccwatchd/ccwatchd/internal/compactmap"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// Counts are those of a record of a message. A message is one of hundreds of
// thousands, so they are small: one that does not fit is kept as the largest
// number that does, and cannot grow further.
type counts struct {
	input, output, read, write5m, write1h, thinking uint32
	searches, fetches                               uint16
}

// countsOf returns counts that stand for u.
func countsOf(u transcript.Usage) (c counts) {
	c.growTo(u)
	return c
}

// usage returns the counts as a record has them.
func (c *counts) usage() transcript.Usage {
	return transcript.Usage{
		Input: uint64(c.input), Output: uint64(c.output), CacheRead: uint64(c.read),
		CacheWrite5m: uint64(c.write5m), CacheWrite1h: uint64(c.write1h), Thinking: uint64(c.thinking),
		WebSearches: uint64(c.searches), WebFetches: uint64(c.fetches),
	}
}

// growTo raises the counts to those of u and returns by how much each grew. The
// two lifetimes of cache writes grow by what their sum grows: a better record
// may only move writes from one to the other.
func (c *counts) growTo(u transcript.Usage) transcript.Usage {
	var more transcript.Usage
	more.Input = grow(&c.input, u.Input)
	more.Output = grow(&c.output, u.Output)
	more.CacheRead = grow(&c.read, u.CacheRead)
	more.Thinking = grow(&c.thinking, u.Thinking)
	more.WebSearches = grow(&c.searches, u.WebSearches)
	more.WebFetches = grow(&c.fetches, u.WebFetches)
	full := max(c.write5m, c.write1h) == math.MaxUint32
	if old, now := uint64(c.write5m)+uint64(c.write1h), u.CacheWrite5m+u.CacheWrite1h; now > old && !full {
		more.CacheWrite1h = grow(&c.write1h, min(u.CacheWrite1h, uint64(c.write1h)+now-old))
		more.CacheWrite5m = grow(&c.write5m, uint64(c.write5m)+now-old-more.CacheWrite1h)
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

// A message is what must be known of a counted one to add what a better record
// has more of.
type countedMessage struct {
	counts
	file   FileID
	labels uint32 // its number in Ledger.origins
	final  bool   // the record that was counted was
}

// The first number of a coded message says which counts are not zero; bits
// below 128, so the first byte has them all.
const (
	hasTools   = 1 << 6 // both counts of server tools follow
	isFinal    = 1 << 7
	originBits = 8 // where the number of the origin begins
)

func (c *counts) coded() [6]*uint32 {
	return [...]*uint32{&c.input, &c.output, &c.read, &c.write5m, &c.write1h, &c.thinking}
}

// Layout implements [compactmap.Value], as do the other methods.
func (countedMessage) Layout() uint32 { return 1 }

func (countedMessage) Varints(first byte) int {
	return 2 + bits.OnesCount8(first&(hasTools-1)) + 2*int(first&hasTools/hasTools)
}

func (m countedMessage) Append(b []byte) []byte {
	head := uint64(m.labels) << originBits
	if m.final {
		head |= isFinal
	}
	for i, n := range m.coded() {
		if *n != 0 {
			head |= 1 << i
		}
	}
	if m.searches|m.fetches != 0 {
		head |= hasTools
	}
	b = binary.AppendUvarint(b, head)
	b = binary.AppendUvarint(b, uint64(m.file))
	for _, n := range m.coded() {
		if *n != 0 {
			b = binary.AppendUvarint(b, uint64(*n))
		}
	}
	if head&hasTools != 0 {
		b = binary.AppendUvarint(b, uint64(m.searches))
		b = binary.AppendUvarint(b, uint64(m.fetches))
	}
	return b
}

func (countedMessage) Decode(b []byte) (m countedMessage, size int) {
	d := compactmap.NewDecoder(b)
	head := d.Uint(math.MaxUint32<<originBits | isFinal | isFinal - 1)
	m.labels, m.final = uint32(head>>originBits), head&isFinal != 0 //nolint:gosec // at most as much
	m.file = FileID(d.Uint(math.MaxUint32))                         //nolint:gosec // at most as much
	for i, n := range m.coded() {
		if head&(1<<i) != 0 {
			*n = uint32(d.Uint(math.MaxUint32)) //nolint:gosec // at most as much
		}
	}
	if head&hasTools != 0 {
		m.searches = uint16(d.Uint(math.MaxUint16)) //nolint:gosec // at most as much
		m.fetches = uint16(d.Uint(math.MaxUint16))  //nolint:gosec // at most as much
	}
	return m, d.Size()
}
