package state

import (
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A KnownFile is a file that was read, whether or not it still exists. There may be
// tens of thousands, nearly all of which never change again, so it is small and holds
// no name.
type KnownFile struct {
	Fingerprint tailer.Fingerprint // how far it was read
	identity    tailer.ID          // zero if another file has it now
	Path        transcript.Key     // digest of its last path
	Modified    int64              // its modification time when it was last read, in nanoseconds since the epoch
	ID          ledger.FileID

	// These fields are not encoded.

	root   uint16 // index of the root it was found below
	traits traits
}

// traits describe a file in this process.
type traits uint8

const (
	present traits = 1 << iota // found, and not missing since
	seen                       // found by the current walk
	opened                     // opened in the ledger with the current configuration
	agent                      // transcript of a sub-agent
	typed                      // its type was found in its description since it was opened
)

func (f *KnownFile) is(t traits) bool { return f.traits&t == t }

// IsOpened reports whether the file is open in the ledger with the current
// configuration.
func (f *KnownFile) IsOpened() bool { return f.is(opened) }

// IsDescribed reports whether the type of a sub-agent was found, see MarkDescribed.
func (f *KnownFile) IsDescribed() bool { return f.is(typed) }

// LooksUnchanged reports whether a sighting has the size and modification time that the
// file had when it was read to its end.
func (f *KnownFile) LooksUnchanged(found *Sighting) bool {
	return f.Fingerprint.Offset == found.Size && f.Modified == found.Modified
}
