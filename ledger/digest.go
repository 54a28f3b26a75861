package ledger

import (
	"encoding/binary"

	"github.com/ccwatchd/ccwatchd/internal/compactmap"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A digest is a transcript.Key as a number, in the same order. None is 0: the
// zero key, which means none, becomes 1, which no key is likely to be.
type digest = compactmap.Key

func digestOf(k transcript.Key) digest {
	return digest(max(binary.BigEndian.Uint64(k[:]), 1))
}

// keyOf is the inverse of digestOf.
func keyOf(d digest) (k transcript.Key) {
	binary.BigEndian.PutUint64(k[:], uint64(d))
	return k
}
