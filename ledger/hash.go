package ledger

import (
	"encoding/binary"

	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A hash64 is a transcript.Key as an integer, in the same order. It is never 0: the
// zero key, which means none, becomes 1, which no other key is likely to be.
type hash64 = table.Hash

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
