package ledger

import (
	"encoding/binary"
	"math"

	"github.com/ccwatchd/ccwatchd/internal/compactmap"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// first records that f has a key of a kind, and reports whether it is new.
func (l *Ledger) first(kind int, k transcript.Key, f FileID) bool {
	known := l.has(kind, k, f)
	if !known {
		l.seen[kind].Add(hashOf(k), f)
	}
	return !known
}

// has reports whether a key of a kind is known. If so, f has it too.
func (l *Ledger) has(kind int, k transcript.Key, f FileID) bool {
	holder, known := l.seen[kind].Get(hashOf(k))
	if known {
		l.groups.join(holder, f)
	}
	return known
}

// once is first for a line. It counts a duplicate if the key is not new.
func (l *Ledger) once(kind int, key transcript.Key, lc *lineContext) bool {
	isNew := l.first(kind, key, lc.id)
	if !isNew {
		l.duplicate(seenNames[kind], lc.when)
	}
	return isNew
}

// forgetKeys drops the keys that no known file could repeat.
func (l *Ledger) forgetKeys() {
	roots := make(map[FileID]bool, len(l.files))
	for f := range l.files {
		roots[l.groups.root(f)] = true
	}
	gone := func(f FileID) bool { return !roots[l.groups.root(f)] }
	for i := range l.seen {
		l.seen[i].DeleteFunc(gone)
	}
	l.copies.retain(func(agent hash64) bool {
		_, known := l.seen[seenSubagent].Get(agent)
		return known
	})
	l.tools.DeleteFunc(func(t toolCall) bool { return gone(t.file) })
	l.counted.DeleteFunc(func(m countedMessage) bool { return gone(m.file) })
	l.forgetCharges()
	l.reported.DeleteFunc(func(r reportedUsage) bool { return gone(r.file) })
	l.usage.DeleteFunc(func(u sessionUsage) bool { return gone(u.file) })
	l.totals.DeleteFunc(func(t sessionTotals) bool { return gone(t.file) })
	l.forgetNames()
	l.groups.retain(roots)
}

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
