package ledger

import (
	"encoding/binary"
	"math"

	"github.com/ccwatchd/ccwatchd/internal/compactmap"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A hash64 is a transcript.Key as an integer, in the same order. It is never 0: the
// zero key, which means none, becomes 1, which no other key is likely to be.
type hash64 = compactmap.Key

func hashOf(k transcript.Key) hash64 {
	return hash64(max(binary.BigEndian.Uint64(k[:]), 1))
}

// keyOf is the inverse of hashOf.
func keyOf(h hash64) (k transcript.Key) {
	binary.BigEndian.PutUint64(k[:], uint64(h))
	return k
}

// A shortHash is the first half of a transcript.Key, kept where there are many. Two of
// them identify a sub-agent; the rare collision only delays counting.
type shortHash [4]byte

// Layout implements [compactmap.Value]: a FileID is also the value of a dedup key that
// has no other data, the file that had it first.
func (FileID) Layout() uint32 { return 1 }

// Varints implements [compactmap.Value].
func (FileID) Varints(byte) int { return 1 }

// Append implements [compactmap.Value].
func (f FileID) Append(b []byte) []byte { return binary.AppendUvarint(b, uint64(f)) }

// Decode implements [compactmap.Value].
func (FileID) Decode(b []byte) (FileID, int) {
	d := compactmap.NewDecoder(b)
	f := FileID(d.Uint(math.MaxUint32)) //nolint:gosec // limited
	return f, d.Size()
}
