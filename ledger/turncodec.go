package ledger

import (
	"bytes"
	"maps"
	"slices"

	"github.com/ccwatchd/ccwatchd/state/codec"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// code visits the keys in order.
func (s *keySet) code(c *codec.Coder, n codec.Number) {
	order := func(a, b transcript.Key) int { return bytes.Compare(a[:], b[:]) }
	keys := slices.SortedFunc(maps.Keys(s.keys), order)
	if codec.Fixed64s(c, n, &keys); !c.Reading() {
		return
	}
	s.keys = make(map[transcript.Key]struct{}, len(keys))
	for i, k := range keys {
		if i > 0 && order(keys[i-1], k) >= 0 {
			c.Fail()
		}
		s.keys[k] = struct{}{}
	}
}

// codeTurns visits the open turns, and the number of bytes that were read until then:
// an older version carries both unread. Reading drops the turns if that version went on
// reading, since their next lines may be missing, and those of files that it has
// forgotten.
func (l *Ledger) codeTurns(c *codec.Coder, first codec.Number) {
	codec.Map(c, first, &l.turns, &l.unknown.turns, codeOpenTurn)
	upTo := l.bytesRead()
	if codec.Uint(c, first+1, &upTo); !c.Reading() {
		return
	}
	if upTo != l.bytesRead() {
		clear(l.turns)
		l.unknown.turns = nil
	}
	maps.DeleteFunc(l.turns, func(id FileID, t *openTurn) bool {
		if int(t.attrs) >= len(l.fileAttrs.values) || t.outcome > ends {
			c.Fail()
		}
		_, known := l.files[id]
		return !known
	})
}

func codeOpenTurn(c *codec.Coder, id *FileID, turn **openTurn) {
	if codec.Uint(c, 1, id); c.Reading() {
		*turn = new(openTurn)
	}
	t := *turn
	codec.Fixed64(c, 2, &t.uuid)
	codec.Fixed64(c, 3, &t.text)
	codec.Uint(c, 4, &t.attrs)
	codec.Int(c, 5, &t.began)
	codec.Int(c, 6, &t.ended)
	codec.Fixed64(c, 7, &t.message)
	codec.Uint(c, 8, &t.outcome)
	t.messages.code(c, 9)
	t.calls.code(c, 10)
	codec.Uint(c, 11, &t.messages.beyond)
	codec.Uint(c, 12, &t.calls.beyond)
}

// bytesRead returns the number of bytes read from transcripts by any version.
func (l *Ledger) bytesRead() (n uint64) {
	for _, s := range l.tables[readBytes].series {
		n = SaturatingAdd(n, s.Value)
	}
	return n
}
