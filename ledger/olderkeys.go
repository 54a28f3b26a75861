package ledger

import (
	"github.com/ccwatchd/ccwatchd/state/codec"
	"github.com/ccwatchd/ccwatchd/state/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// olderKeys recognizes messages that an older version has read, which identified lines
// that name their request by message id or uuid, like other lines. Such a message keeps
// its key. It is one that is known under that key, and of which the line
//
//   - is not later than the latest line which that version has read, or
//   - follows, as a later block, a line of the message in its file.
//
// A gateway that gives every response one long id loses requests that are not later
// than that line and were not read: the older version counted none of them, either.
type olderKeys struct {
	messages *messages
	files    *table.Table[FileID, fileState]
	rows     *table.Table[uint32, uint32] // the only one, 0, has until
	until    uint32                       // time of the latest line in seconds since the epoch; 0 if no older version has read any
	isSaved  bool                         // rows has until
}

func newOlderKeys(c *core, m *messages) *olderKeys {
	return &olderKeys{
		messages: m, files: c.files,
		rows: table.New(c.tables, tableOlderKeys, table.Uint[uint32](), func(c *codec.Coder, until *uint32) { codec.Uint(c, 1, until) }),
	}
}

// save saves until before this version changes the times of which it is the latest.
func (p *olderKeys) save() {
	if !p.isSaved {
		p.rows.Put(0, p.until)
		p.isSaved = true
	}
}

// mayHave reports whether an older version may have read the message of a line that
// names its request.
func (p *olderKeys) mayHave(lc *lineContext, r *transcript.Response) bool {
	if p.until == 0 {
		return false
	}
	return seconds(lc.when) <= p.until || r.Block == transcript.LaterBlock && lc.file.message != r.Ref
}

// has reports whether an older version has read the message of a line, if it may have,
// of which key is the older key.
func (p *olderKeys) has(lc *lineContext, key transcript.Key) bool {
	if seconds(lc.when) > p.until && lc.file.message != key {
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
