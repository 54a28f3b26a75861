package ledger

import (
	"maps"

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

// keys remembers what was seen, and in which file first.
type keys map[transcript.Key]FileID

// first notes that k was seen in f, and reports whether that was the first time.
func (l *Ledger) first(seen keys, k transcript.Key, f FileID) bool {
	before, again := seen[k]
	if again {
		l.kin.join(before, f)
	} else {
		seen[k] = f
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
	stale := func(_ transcript.Key, f FileID) bool { return gone(f) }
	for i := range l.seen {
		maps.DeleteFunc(l.seen[i], stale)
	}
	maps.DeleteFunc(l.paired, stale)
	maps.DeleteFunc(l.calls, func(_ transcript.Key, c call) bool { return gone(c.file) })
	maps.DeleteFunc(l.counted, func(_ transcript.Key, m message) bool { return gone(m.file) })
	maps.DeleteFunc(l.kin, func(f, _ FileID) bool { return gone(f) })
}
