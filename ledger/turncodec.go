package ledger

import (
	"bytes"
	"maps"
	"slices"

	"github.com/ccwatchd/ccwatchd/codec"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A keySet is a set of keys. The zero keySet is empty.
type keySet map[transcript.Key]struct{}

func (s *keySet) add(k transcript.Key) {
	if *s == nil {
		*s = make(keySet)
	}
	(*s)[k] = struct{}{}
}

// code visits the keys in order.
func (s *keySet) code(c *codec.Coder, n codec.Number) {
	order := func(a, b transcript.Key) int { return bytes.Compare(a[:], b[:]) }
	keys := slices.SortedFunc(maps.Keys(*s), order)
	if codec.Fixed64s(c, n, &keys); !c.Reading() {
		return
	}
	*s = nil
	for i, k := range keys {
		if i > 0 && order(keys[i-1], k) >= 0 {
			c.Fail()
		}
		s.add(k)
	}
}

// codeTurns visits the open turns. Reading drops those of files that an older version,
// which carries them unread, has forgotten.
func (l *Ledger) codeTurns(c *codec.Coder, n codec.Number) {
	codec.Map(c, n, &l.turns, &l.unknown.turns, codeOpenTurn)
	if !c.Reading() {
		return
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
}
