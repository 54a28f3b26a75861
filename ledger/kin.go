package ledger

import (
	"encoding/binary"
	"maps"
	"math"

	"github.com/ccwatchd/ccwatchd/internal/compactmap"
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

// Layout implements [compactmap.Value].
func (FileID) Layout() uint32 { return 1 }

// Varints implements [compactmap.Value]: things that are counted by their key
// alone are kept with the first file that had them.
func (FileID) Varints(byte) int { return 1 }

// Append implements [compactmap.Value].
func (f FileID) Append(b []byte) []byte { return binary.AppendUvarint(b, uint64(f)) }

// Decode implements [compactmap.Value].
func (FileID) Decode(b []byte) (FileID, int) {
	d := compactmap.NewDecoder(b)
	f := FileID(d.Uint(math.MaxUint32)) //nolint:gosec // at most as much
	return f, d.Size()
}

// first notes that a thing of a kind was seen in f, and reports whether that was
// the first time.
func (l *Ledger) first(kind int, k transcript.Key, f FileID) bool {
	seen, key := &l.seen[kind], digestOf(k)
	before, again := seen.Get(key)
	if again {
		l.kin.join(before, f)
	} else {
		seen.Add(key, f)
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
		l.seen[i].DeleteFunc(gone)
	}
	l.tools.DeleteFunc(func(t tool) bool { return gone(t.file) })
	l.counted.DeleteFunc(func(m message) bool { return gone(m.file) })
	maps.DeleteFunc(l.kin, func(f, _ FileID) bool { return gone(f) })
}
