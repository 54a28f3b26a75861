package state

import (
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A KnownFile is a file that was read, whether it still exists or not. There may be
// tens of thousands, and nearly all of them never change again, so it is small and
// holds no name.
type KnownFile struct {
	Mark     tailer.Fingerprint // how far it was read
	identity tailer.ID          // the zero one if another file has it now
	Path     transcript.Key     // digest of its last path
	Modified int64              // its modification time when it was last read, in nanoseconds since the epoch
	ID       ledger.FileID

	// The following is not encoded.

	root   uint16 // index of the directory it was found in
	traits traits
}

// Traits are what this process knows of a file.
type traits uint8

const (
	there  traits = 1 << iota // it was found, and not missed since
	seen                      // the current walk has found it
	opened                    // the ledger knows it as it is configured now
	agent                     // it is a sub-agent's
)

func (f *KnownFile) is(t traits) bool { return f.traits&t == t }

// IsOpened reports whether the ledger knows the file as it is configured now.
func (f *KnownFile) IsOpened() bool { return f.is(opened) }

// LooksUnchanged reports whether a walk has found a file with the size and modification
// time that this one had when it was read to its end.
func (f *KnownFile) LooksUnchanged(found *Sighting) bool {
	return f.Mark.Offset == found.Size && f.Modified == found.Modified
}
