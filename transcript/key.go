package transcript

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
)

// A Key identifies something that is counted once, such as a message, a tool call or a
// prompt. It is a digest, so that state kept for months contains no ids and no text. It
// has 64 bits: the probability of a collision among a million keys is 1 in 37 million.
// The zero Key means "none".
type Key [8]byte

// KeyOf digests the parts, each with its length, so that ("ab", "c") and ("a", "bc")
// differ. The first part is the kind of the key.
func KeyOf(parts ...string) Key {
	var room [256]byte
	b := room[:0]
	for _, p := range parts {
		b = appendPart(b, p)
	}
	return digest(b)
}

// appendPart appends a part in the encoding that KeyOf digests.
func appendPart[T string | []byte](b []byte, part T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(part))), part...)
}

// keyOfBytes is KeyOf for two parts.
func keyOfBytes(kind string, id []byte) Key {
	var room [256]byte
	return digest(appendPart(appendPart(room[:0], kind), id))
}

// A latestKey remembers the latest id of a kind and its key. The lines of a message
// often follow each other, and so do a tool call and its result.
type latestKey struct {
	kind string
	id   []byte
	key  Key
}

// maxLatestID is the length of the longest id that is remembered.
const maxLatestID = 128

// keyOf is keyOfBytes for an id of its kind.
func (l *latestKey) keyOf(id []byte) Key {
	if len(id) == 0 || len(id) > maxLatestID {
		return keyOfBytes(l.kind, id)
	}
	if !bytes.Equal(id, l.id) {
		l.id, l.key = append(l.id[:0], id...), keyOfBytes(l.kind, id)
	}
	return l.key
}

func digest(b []byte) Key {
	sum := sha256.Sum256(b)
	return Key(sum[:8])
}

// IsZero reports whether k is the zero Key.
func (k Key) IsZero() bool { return k == Key{} }
