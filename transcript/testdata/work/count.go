// Package transcript contains these functions in TestWorkIsLinear, which instruments
// the rest of the package to call them.
package transcript

import (
	"bytes"
	"reflect"
	"strings"
)

// work is the number of operations so far: function calls, loop iterations, and bytes
// that the standard library reads.
var work int

// counted counts an argument that a standard library function reads to its end.
func counted[T any](v T) T {
	work++
	switch r := reflect.ValueOf(&v).Elem(); r.Kind() {
	case reflect.String, reflect.Slice:
		work += r.Len()
	default:
	}
	return v
}

// found counts a search of n bytes that ended at i or, if i is negative, at the end.
func found(i, n int) int {
	if work++; i < 0 {
		work += n
	}
	work += max(i, 0)
	return i
}

// trimmed counts the bytes that were removed from s.
func trimmed[T string | []byte](rest, s T) T {
	work += 1 + len(s) - len(rest)
	return rest
}

func bytesIndex(b, sep []byte) int          { return found(bytes.Index(b, sep), len(b)) }
func bytesIndexByte(b []byte, c byte) int   { return found(bytes.IndexByte(b, c), len(b)) }
func bytesTrim(b []byte, set string) []byte { return trimmed(bytes.Trim(b, set), b) }
func bytesTrimLeft(b []byte, set string) []byte {
	return trimmed(bytes.TrimLeft(b, set), b)
}

func bytesTrimLeftFunc(b []byte, f func(rune) bool) []byte {
	return trimmed(bytes.TrimLeftFunc(b, f), b)
}
func bytesTrimSpace(b []byte) []byte { return trimmed(bytes.TrimSpace(b), b) }

func bytesCut(b, sep []byte) (before, after []byte, ok bool) {
	before, after, ok = bytes.Cut(b, sep)
	work += 1 + len(before)
	return before, after, ok
}

func stringsCut(s, sep string) (before, after string, ok bool) {
	before, after, ok = strings.Cut(s, sep)
	work += 1 + len(before)
	return before, after, ok
}

func stringsIndexFunc(s string, f func(rune) bool) int { return found(strings.IndexFunc(s, f), len(s)) }
