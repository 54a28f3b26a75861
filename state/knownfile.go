package state

import (
	"github.com/ccwatchd/ccwatchd/ledger"
)

// A KnownFile is a file that was read, whether or not it still exists, at one moment.
type KnownFile struct {
	ID ledger.FileID
	fileRow
	sighting
}

// A sighting is how this process has found a file. It is not saved.
type sighting struct {
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

func (s sighting) is(t traits) bool { return s.traits&t == t }

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
