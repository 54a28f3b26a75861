package ledger

import (
	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// olderKeys keeps the keys of messages that an older version of this program has read.
// That version identified every line by its message id or uuid, also a line that names
// its request. A line that names its request belongs to such a message if a message is
// known under the older key, and the line
//
//   - is not later than the latest line that the older version has read, or
//   - continues, as a later block, the latest message of its file.
//
// Limits: A gateway that gives every response the same long id loses requests that are
// not later than that latest line and were not read. The older version counted none of
// them, either. A message that the upgrade interrupts counts twice if lines of another
// message are between its blocks.
type olderKeys struct {
	messages *messages
	files    *table.Table[FileID, fileState]
	rows     *table.Table[uint32, uint32] // one row, with the key 0: until
	until    uint32                       // time of the latest line that an older version has read, in seconds since the epoch; 0 if none
	isSaved  bool                         // the row exists
}

func newOlderKeys(c *core, m *messages) *olderKeys {
	return &olderKeys{
		messages: m, files: c.files,
		rows: table.New(c.tables, tableOlderKeys, table.UintKey[uint32](), func(c *table.Coder, until *uint32) { table.Uint(c, 1, until) }),
	}
}

// save saves until. It is called before a file gets a later line or is dropped, since
// until is derived from the times of the files.
func (p *olderKeys) save() {
	if !p.isSaved {
		p.rows.Put(0, p.until)
		p.isSaved = true
	}
}

// mayHave reports whether an older version may have read the message of a line that
// names its request.
func (p *olderKeys) mayHave(l *line, r *transcript.Response) bool {
	if p.until == 0 {
		return false
	}
	return seconds(l.when) <= p.until || r.Block == transcript.LaterBlock && l.file.message != r.Ref
}

// has reports whether an older version has read the message of a line under its older
// key, if mayHave is true.
func (p *olderKeys) has(l *line, key transcript.Key) bool {
	if seconds(l.when) > p.until && l.file.message != key {
		return false
	}
	return p.messages.held.Has(hashOf(key)) || p.messages.counted.Has(hashOf(key))
}

func (p *olderKeys) reindex() bool {
	if p.until, p.isSaved = p.rows.Get(0); !p.isSaved {
		for _, f := range p.files.All() {
			p.until = max(p.until, f.latest)
		}
	}
	return true
}
