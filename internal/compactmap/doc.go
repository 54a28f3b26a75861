// Package compactmap implements a sorted map from 64-bit hashes to small values that
// takes a few bytes for each of millions of entries. It is a kind of log-structured
// merge tree.
//
// A Map has two parts. New and changed entries are in a table, an
// interpolation-probed sorted array. All others are in segments: immutable,
// sorted blocks of bytes with an index by the first bits of the key. Compact
// turns a large table into a segment and merges it with older segments that are
// not much larger, so there are few segments, and each entry is copied a few
// times in its life. There are no pointers for the garbage collector to follow.
//
// Keys must be uniformly distributed, like the output of a hash function: the position
// of an entry is estimated from its key. A key is never 0.
//
// A Store is for large values, which a table would move whenever it grows.
//
// The layout of a Map follows from the calls alone, so equal calls produce equal
// bytes. The zero values are empty and ready to use. None is safe for concurrent use.
package compactmap

// A Key is the hash that identifies an entry. It is not 0.
type Key uint64
