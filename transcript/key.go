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
	var room [256]byte
	b := room[:0]
	for _, p := range parts {
		b = appendPart(b, p)
	}
	return digest(b)
}

// appendPart appends one part of what KeyOf digests.
func appendPart[T string | []byte](b []byte, part T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(part))), part...)
}

// keyOfBytes is KeyOf with two parts.
func keyOfBytes(kind string, id []byte) Key {
	var room [256]byte
	return digest(appendPart(appendPart(room[:0], kind), id))
}

func digest(b []byte) Key {
	sum := sha256.Sum256(b)
	return Key(sum[:8])
}

// IsZero reports whether k stands for nothing.
func (k Key) IsZero() bool { return k == Key{} }
