package ledger

import (
	"encoding/binary"

	"github.com/ccwatchd/ccwatchd/internal/compactmap"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A digest is a transcript.Key as a number, in the same order. None is 0: the
// zero key, which means none, becomes 1, which no key is likely to be.
type hash64 = compactmap.Key

func hashOf(k transcript.Key) hash64 {
	return hash64(max(binary.BigEndian.Uint64(k[:]), 1))
}

// keyOf is the inverse of digestOf.
func keyOf(d hash64) (k transcript.Key) {
	binary.BigEndian.PutUint64(k[:], uint64(d))
	return k
}
