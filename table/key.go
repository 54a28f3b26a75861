package table

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"
)

// A Key is the encoding of keys. The order of keys is the order of their bytes.
type Key[K any] struct {
	append func(b []byte, k K) []byte
	// decode returns the key at the beginning of b and its size, which is 0 or negative if
	// it is not valid.
	decode func(b []byte) (K, int)
}

// UintKey returns the encoding of small numbers, as varints.
func UintKey[K ~uint32 | ~uint64]() Key[K] {
	return Key[K]{
		append: func(b []byte, k K) []byte { return binary.AppendUvarint(b, uint64(k)) },
		decode: func(b []byte) (K, int) {
			n, size := binary.Uvarint(b)
			if uint64(K(n)) != n {
				return 0, 0
			}
			return K(n), size
		},
	}
}

// HashKey returns the encoding of hashes, in eight bytes.
func HashKey[K ~uint64]() Key[K] {
	return Key[K]{
		append: func(b []byte, k K) []byte { return binary.BigEndian.AppendUint64(b, uint64(k)) },
		decode: func(b []byte) (K, int) {
			if len(b) < 8 {
				return 0, 0
			}
			return K(binary.BigEndian.Uint64(b)), 8
		},
	}
}

// compactKey is HashKey for the keys of a compactMap, which are not 0.
func compactKey() Key[Hash] {
	key := HashKey[Hash]()
	decode := key.decode
	key.decode = func(b []byte) (Hash, int) {
		k, size := decode(b)
		if k == 0 {
			return 0, 0
		}
		return k, size
	}
	return key
}

// StringKey returns the encoding of strings, with their length first.
func StringKey[K ~string]() Key[K] {
	return Key[K]{
		append: func(b []byte, k K) []byte { return protowire.AppendString(b, string(k)) },
		decode: func(b []byte) (K, int) {
			k, size := protowire.ConsumeString(b)
			return K(k), size
		},
	}
}

// A Pair is a key of two parts, such as a parent and a child.
type Pair[A, B comparable] struct {
	A A
	B B
}

// PairKey returns the encoding of pairs, one part after the other.
func PairKey[A, B comparable](a Key[A], b Key[B]) Key[Pair[A, B]] {
	return Key[Pair[A, B]]{
		append: func(to []byte, k Pair[A, B]) []byte { return b.append(a.append(to, k.A), k.B) },
		decode: func(from []byte) (k Pair[A, B], size int) {
			var n, m int
			if k.A, n = a.decode(from); n <= 0 {
				return k, 0
			}
			if k.B, m = b.decode(from[n:]); m <= 0 {
				return k, 0
			}
			return k, n + m
		},
	}
}
