package ledger

import (
	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/table"
)

// Tables returns the set of the ledger's tables. The owner of the ledger adds its own
// tables, with the numbers from CountersField + 1 to LastOwnField.
func (l *Ledger) Tables() *table.Set { return l.tables }

// Counters returns the counters.
func (l *Ledger) Counters() *counters.Set { return l.set }

// Code visits everything that makes up the ledger, and the tables of its owner: one
// that is read continues exactly where the one that was written left off. The bytes
// hold numbers, hashes and label values, but no text, path or id.
func (l *Ledger) Code(c *table.Coder) {
	table.Raw(c, CountersField, func(b []byte) []byte {
		w := table.NewWriter(b)
		l.set.Code(w)
		return w.Bytes()
	}, func(b []byte) error {
		r := table.NewReader(b)
		l.set.Code(r)
		return r.Done()
	})
	l.tables.Code(c)
	if c.Reading() && c.Err() == nil && !l.reindex() {
		c.Fail()
	}
}

// Record begins or ends recording changes for AppendFrame.
func (l *Ledger) Record(on bool) {
	l.set.Record(on)
	l.tables.Record(on)
}

// AppendFrame appends to b the encoding of the changes since the last Commit; empty
// without changes. It contains operations of the counters, which Commit applies.
func (l *Ledger) AppendFrame(b []byte) []byte {
	c := table.NewWriter(b)
	table.Raw(c, CountersField, func(b []byte) []byte { return append(b, l.set.Operations()...) }, nil)
	l.tables.CodeChanges(c)
	return c.Bytes()
}

// ApplyFrame applies a frame of another ledger that began with the same state.
func (l *Ledger) ApplyFrame(frame []byte) error {
	c := table.NewReader(frame)
	table.Raw(c, CountersField, nil, l.set.Apply)
	l.tables.CodeChanges(c)
	return c.Done()
}

// Commit applies the recorded operations, and forgets the changes.
func (l *Ledger) Commit() {
	l.set.ApplyRecorded()
	l.tables.Commit()
	l.messages.shrink()
}

// BeforeFrame calls f with the ledger as it was at the last Commit. The frame must not
// have been committed.
func (l *Ledger) BeforeFrame(f func()) {
	swap := func() {
		l.tables.Swap()
		l.sessions.order = sessionOrder{}
	}
	swap()
	f()
	swap()
}

// Restored completes restoring from frames.
func (l *Ledger) Restored() error {
	if !l.reindex() {
		return table.ErrCorrupt
	}
	return nil
}

// reindex rebuilds what follows from the tables. It returns false if they are not
// valid.
func (l *Ledger) reindex() bool {
	for _, f := range l.files.All() {
		if int(f.attrs) >= l.fileAttrs.Len() {
			return false
		}
	}
	valid := l.groups.reindex()
	if valid {
		l.findHeirs()
	}
	for _, k := range l.keepers {
		valid = valid && k.reindex()
	}
	return valid
}
