package table

import (
	"fmt"
	"slices"
)

// A Set is the tables of a state.
type Set struct {
	members   []member // by number
	recording bool
}

// A member is a table of any type with its number.
type member struct {
	anyTable
	number Number
}

type anyTable interface {
	Len() int
	appendRows(b []byte) []byte
	appendChanges(b []byte) []byte
	apply(b []byte) error
	load(b []byte) error
	split(b []byte, visit func(Entry)) error
	swap()
	commit()
}

func (s *Set) add(n Number, t anyTable) {
	at, taken := slices.BinarySearchFunc(s.members, n, func(m member, n Number) int { return int(m.number - n) })
	if taken {
		panic("two tables have the same number")
	}
	s.members = slices.Insert(s.members, at, member{t, n})
}

// Len returns the number of rows of all tables.
func (s *Set) Len() (n int) {
	for _, m := range s.members {
		n += m.Len()
	}
	return n
}

// Record begins or ends recording changes.
func (s *Set) Record(on bool) { s.recording = on }

// Code visits all rows of all tables, in fields of the message. A reader replaces them.
func (s *Set) Code(c *Coder) {
	for _, m := range s.members {
		Raw(c, m.number, m.appendRows, m.load)
	}
}

// CodeChanges writes the changes since the last Commit, or reads and applies changes.
// After an error the tables have some of the changes.
func (s *Set) CodeChanges(c *Coder) {
	for _, m := range s.members {
		Raw(c, m.number, m.appendChanges, m.apply)
	}
}

// Split calls visit for each entry of a table in a snapshot or frame, without applying
// it. It returns an error that wraps ErrUnsupported if the set does not have the table.
func (s *Set) Split(n Number, b []byte, visit func(Entry)) error {
	for _, m := range s.members {
		if m.number == n {
			return m.split(b, visit)
		}
	}
	return fmt.Errorf("table %d: %w", n, ErrUnsupported)
}

// Commit forgets the changes: they were written, or need not be.
func (s *Set) Commit() {
	for _, m := range s.members {
		m.commit()
	}
}

// Swap exchanges the changed rows with the rows at the last Commit, so the tables
// return to that state. Another Swap exchanges them back. Between the two calls nothing
// may be changed or encoded; interners keep their new values.
func (s *Set) Swap() {
	for _, m := range s.members {
		m.swap()
	}
}
