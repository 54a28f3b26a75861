package table

import (
	"slices"

	"github.com/ccwatchd/ccwatchd/state/codec"
)

// A Set is the tables of a state.
type Set struct {
	members   []member // by number
	recording bool
}

// A member is a table of any type.
type member interface {
	number() codec.Number
	appendRows(b []byte) []byte
	appendChanges(b []byte) []byte
	apply(b []byte) error
	clear()
	swap()
	commit()
}

// coded is a member that writes its own message to a snapshot.
type coded interface{ codeRows(c *codec.Coder) }

func (s *Set) add(m member) {
	at, taken := slices.BinarySearchFunc(s.members, m.number(), func(m member, n codec.Number) int { return int(m.number() - n) })
	if taken {
		panic("two tables have the same number")
	}
	s.members = slices.Insert(s.members, at, m)
}

// Record begins or ends recording what changes.
func (s *Set) Record(on bool) { s.recording = on }

// Code visits all rows of all tables, in fields of the message.
func (s *Set) Code(c *codec.Coder) {
	for _, m := range s.members {
		if own, ok := m.(coded); ok {
			codec.Message(c, m.number(), &own, func(c *codec.Coder, own *coded) { (*own).codeRows(c) })
			continue
		}
		codec.Raw(c, m.number(), m.appendRows, func(b []byte) error {
			m.clear()
			return m.apply(b)
		})
	}
}

// CodeChanges writes what has changed since the last Commit, or reads and applies it.
func (s *Set) CodeChanges(c *codec.Coder) {
	for _, m := range s.members {
		codec.Raw(c, m.number(), m.appendChanges, func(b []byte) error {
			if len(b) == 0 {
				return nil
			}
			return m.apply(b)
		})
	}
}

// Commit forgets what has changed: it has been written, or need not be.
func (s *Set) Commit() {
	for _, m := range s.members {
		m.commit()
	}
}

// Swap exchanges the changed rows with those at the last Commit, so that the tables are
// what they were then. Another Swap exchanges them back.
func (s *Set) Swap() {
	for _, m := range s.members {
		m.swap()
	}
}
