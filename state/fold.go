package state

import (
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state/codec"
	"github.com/ccwatchd/ccwatchd/tailer"
)

// A fold is the result of all steps, and the content of a snapshot.
type fold struct {
	ledger  *ledger.Ledger
	files   *fileTable
	nextID  ledger.FileID
	started bool   // the first catch-up is complete: new series start at 0
	unknown []byte // fields written by a newer version
}

func newFold(o ledger.Options, now int64) *fold {
	return &fold{ledger: ledger.New(o, now), files: newFileTable(), nextID: 1}
}

// code encodes or decodes the fold.
func (f *fold) code(c *codec.Coder) {
	c.Unknown(&f.unknown)
	f.files.code(c) // field 1
	codec.Uint(c, 2, &f.nextID)
	codec.Bool(c, 3, &f.started)
	codec.Large(c, 4, f.ledger.SizeHint(), f.ledger, func(c *codec.Coder, l *ledger.Ledger) { l.Code(c) })
}

// codeIdentity encodes or decodes two fields, the first with the given number.
func codeIdentity(c *codec.Coder, first codec.Number, id *tailer.ID) {
	codec.Uint(c, first, &id.Device)
	codec.Uint(c, first+1, &id.Inode)
}

// codeFingerprint encodes or decodes five fields, the first with the given number.
func codeFingerprint(c *codec.Coder, first codec.Number, p *tailer.Fingerprint) {
	codec.Int(c, first, &p.Offset)
	codec.Uint(c, first+1, &p.Head.Sum)
	codec.Uint(c, first+2, &p.Head.Len)
	codec.Uint(c, first+3, &p.Last.Sum)
	codec.Uint(c, first+4, &p.Last.Len)
}
