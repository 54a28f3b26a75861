package ledger

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/ccwatchd/ccwatchd/internal/compactmap"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// counts hold the usage of a record of a message. There are hundreds of thousands of
// messages, so they are small: a number that does not fit is stored as the largest one
// that does, and cannot grow further.
type counts struct {
	tokens      [6]uint32 // in the order of usageFields
	serverTools [2]uint16 // likewise
}

// Indexes of some tokens.
const (
	outputTokens = iota + 1
	_
	write5mTokens
	write1hTokens
)

func usageFields(u *transcript.Usage) [8]*uint64 {
	return [...]*uint64{
		&u.Input, &u.Output, &u.CacheRead, &u.CacheWrite5m, &u.CacheWrite1h, &u.Thinking, &u.WebSearches, &u.WebFetches,
	}
}

// countsOf returns u as counts.
func countsOf(u transcript.Usage) (c counts) {
	c.growTo(u)
	return c
}

func (c *counts) usage() (u transcript.Usage) {
	fields := usageFields(&u)
	for i, n := range c.tokens {
		*fields[i] = uint64(n)
	}
	u.WebSearches, u.WebFetches = uint64(c.serverTools[0]), uint64(c.serverTools[1])
	return u
}

// growTo raises the counts to those of u and returns by how much each grew. The
// two lifetimes of cache writes grow by what their sum grows: a better record
// may only move writes from one to the other.
func (c *counts) growTo(u transcript.Usage) (more transcript.Usage) {
	want, grown := usageFields(&u), usageFields(&more)
	for i := range c.tokens {
		if i != write5mTokens && i != write1hTokens {
			*grown[i] = grow(&c.tokens[i], *want[i])
		}
	}
	more.WebSearches = grow(&c.serverTools[0], u.WebSearches)
	more.WebFetches = grow(&c.serverTools[1], u.WebFetches)
	write5m, write1h := uint64(c.tokens[write5mTokens]), uint64(c.tokens[write1hTokens])
	full := max(write5m, write1h) == math.MaxUint32
	if before, now := write5m+write1h, u.CacheWrite5m+u.CacheWrite1h; now > before && !full {
		more.CacheWrite1h = grow(&c.tokens[write1hTokens], min(u.CacheWrite1h, write1h+now-before))
		more.CacheWrite5m = grow(&c.tokens[write5mTokens], write5m+now-before-more.CacheWrite1h)
	}
	return more
}

func grow[T uint16 | uint32](have *T, want uint64) (more uint64) {
	before := uint64(*have)
	if want <= before || *have == ^T(0) {
		return 0
	}
	*have = T(min(want, uint64(^T(0))))
	return want - before
}

// A countedMessage is the data of a counted message that a later correction needs, see
// correct.
type countedMessage struct {
	counts
	file   FileID
	labels uint32 // id in Ledger.messageLabels
	final  bool   // the counted record had a stop reason
}

// The flags in the head of an encoded message, see appendTotals. The first byte of the
// head, a varint, contains bits 0 to 6: those of the tokens and hasServerTools, which
// determine the number of varints.
const (
	hasServerTools = 1 << 6 // both counts of server tools follow
	isFinal        = 1 << 7
	labelsShift    = 8 // where the id of the labels begins
)

// Layout implements [compactmap.Value], as do the other methods.
func (countedMessage) Layout() uint32 { return 1 }

func (countedMessage) Varints(first byte) int {
	return 2 + bits.OnesCount8(first&(hasServerTools-1)) + 2*int(first&hasServerTools/hasServerTools)
}

func (m countedMessage) Append(b []byte) []byte {
	head := uint64(m.labels) << labelsShift
	if m.final {
		head |= isFinal
	}
	if m.serverTools == [2]uint16{} {
		return appendTotals(b, head, m.file, m.tokens[:])
	}
	b = appendTotals(b, head|hasServerTools, m.file, m.tokens[:])
	b = binary.AppendUvarint(b, uint64(m.serverTools[0]))
	return binary.AppendUvarint(b, uint64(m.serverTools[1]))
}

func (countedMessage) Decode(b []byte) (m countedMessage, size int) {
	d := compactmap.NewDecoder(b)
	head := decodeTotals(&d, math.MaxUint32<<labelsShift|isFinal|isFinal-1, &m.file, m.tokens[:])
	m.labels, m.final = uint32(head>>labelsShift), head&isFinal != 0 //nolint:gosec // limited
	if head&hasServerTools != 0 {
		m.serverTools = [2]uint16{uint16(d.Uint(math.MaxUint16)), uint16(d.Uint(math.MaxUint16))} //nolint:gosec // limited
	}
	return m, d.Size()
}

// appendTotals appends the encoding of numbers of which most are zero: head, in which
// bit i is set if totals[i] is not zero, the file, and the numbers that are not zero.
func appendTotals[T uint32 | uint64](b []byte, head uint64, f FileID, totals []T) []byte {
	for i, n := range totals {
		if n != 0 {
			head |= 1 << i
		}
	}
	b = binary.AppendUvarint(b, head)
	b = binary.AppendUvarint(b, uint64(f))
	for _, n := range totals {
		if n != 0 {
			b = binary.AppendUvarint(b, uint64(n))
		}
	}
	return b
}

// decodeTotals reads what appendTotals wrote and returns the head, which is at most
// headLimit.
func decodeTotals[T uint32 | uint64](d *compactmap.Decoder, headLimit uint64, f *FileID, totals []T) (head uint64) {
	head = d.Uint(headLimit)
	*f = FileID(d.Uint(math.MaxUint32)) //nolint:gosec // limited
	for i := range totals {
		if head&(1<<i) != 0 {
			totals[i] = T(d.Uint(uint64(^T(0))))
		}
	}
	return head
}
