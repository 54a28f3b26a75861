package ledger

import (
	"encoding/binary"
	"maps"
	"math"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// kin joins files that hold the same things: a fork and its parent, a file and
// its copy. A key is noted with the first file that had it, and remembered
// until every file of that one's kin is gone, since each could repeat it. The
// map leads from a file to another one of its kin; the eldest is not in it.
type kin map[FileID]FileID

// eldest returns the file that stands for all kin of f.
func (k kin) eldest(f FileID) FileID {
	for {
		elder, ok := k[f]
		if !ok {
			return f
		}
		f = elder
	}
}

// join notes that two files are kin.
func (k kin) join(a, b FileID) {
	if a == b {
		return
	}
	if a, b = k.eldest(a), k.eldest(b); a != b {
		k[max(a, b)] = min(a, b)
	}
}

// A FileID is also what is remembered of a thing that is counted by its key
// alone: the file that had it first.
func (FileID) numbers(byte) int { return 1 }

func (f FileID) appendTo(b []byte) []byte { return binary.AppendUvarint(b, uint64(f)) }

func (FileID) decode(b []byte) (FileID, int) {
	d := decoder{rest: b}
	f := FileID(d.number(math.MaxUint32)) //nolint:gosec // at most as much
	return f, d.size(b)
}

// first notes that a thing of a kind was seen in f, and reports whether that was
// the first time.
func (l *Ledger) first(kind int, k transcript.Key, f FileID) bool {
	seen, key := &l.seen[kind], digestOf(k)
	before, again := seen.get(key)
	if again {
		l.kin.join(before, f)
	} else {
		seen.add(key, f)
	}
	return !again
}

// forget drops the keys that no file the ledger knows could repeat.
func (l *Ledger) forget() {
	living := make(map[FileID]struct{}, len(l.files))
	for f := range l.files {
		living[l.kin.eldest(f)] = struct{}{}
	}
	gone := func(f FileID) bool {
		_, lives := living[l.kin.eldest(f)]
		return !lives
	}
	for i := range l.seen {
		l.seen[i].drop(gone)
	}
	l.tools.drop(func(t tool) bool { return gone(t.file) })
	l.counted.drop(func(m message) bool { return gone(m.file) })
	l.reported.drop(func(r reportedUsage) bool { return gone(r.file) })
	l.usage.drop(func(u sessionUsage) bool { return gone(u.file) })
	maps.DeleteFunc(l.kin, func(f, _ FileID) bool { return gone(f) })
}
