package transcript

import (
	"crypto/sha256"
	"encoding/binary"
)

// A Key stands for one thing that is counted once: a message, a tool call, a
// prompt. It is a digest, so that what is remembered for months holds no id
// and no text, and 64 bits long: of a million of them, two meet with a
// probability of 1 in 37 million. The zero Key means "none".
type Key [8]byte

// KeyOf digests the parts, each with its length, so that ("ab", "c") and
// ("a", "bc") differ. The first part names the kind of thing.
func KeyOf(parts ...string) Key {
	h := sha256.New()
	var size [8]byte
	for _, p := range parts {
		binary.LittleEndian.PutUint64(size[:], uint64(len(p)))
		h.Write(size[:])
		h.Write([]byte(p))
	}
	var sum [sha256.Size]byte
	return Key(h.Sum(sum[:0])[:8])
}

// IsZero reports whether k stands for nothing.
func (k Key) IsZero() bool { return k == Key{} }
