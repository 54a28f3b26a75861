package ledger

import (
	"maps"

	"github.com/ccwatchd/ccwatchd/state/codec"
)

// codeTimings visits the timings, the causes, and the number of bytes that were read
// until then. As with open turns, reading drops them if an older version went on
// reading, and those of files that it has forgotten.
func (l *Ledger) codeTimings(c *codec.Coder, first codec.Number) {
	u := &l.unknown
	codec.Map(c, first, &l.timings, &u.timings, codeTiming)
	codec.Map(c, first+1, &l.causes, &u.causes, codeCause)
	upTo := l.bytesRead()
	if codec.Uint(c, first+2, &upTo); !c.Reading() {
		return
	}
	if upTo != l.bytesRead() {
		clear(l.timings)
		clear(l.causes)
		u.timings, u.causes = nil, nil
	}
	maps.DeleteFunc(l.timings, func(of conversation, _ *requestTiming) bool { return !l.hasFile(of) })
	maps.DeleteFunc(l.causes, func(of conversation, _ int64) bool { return !l.hasFile(of) })
}

func (l *Ledger) hasFile(of conversation) bool {
	_, known := l.files[of.file()]
	return known
}

func codeConversation(c *codec.Coder, of *conversation) {
	id, side := of.file(), *of&1 != 0
	codec.Uint(c, 1, &id)
	if codec.Bool(c, 2, &side); c.Reading() {
		*of = conversationOf(id, side)
	}
}

func codeTiming(c *codec.Coder, of *conversation, timing **requestTiming) {
	if codeConversation(c, of); c.Reading() {
		*timing = new(requestTiming)
	}
	t := *timing
	codec.Fixed64(c, 3, &t.message)
	codec.Int(c, 4, &t.start)
	codec.Int(c, 5, &t.first)
	codec.Int(c, 6, &t.last)
	codec.String(c, 7, &t.model)
	codec.Uint(c, 8, &t.output)
	codec.Bool(c, 9, &t.final)
}

func codeCause(c *codec.Coder, of *conversation, at *int64) {
	codeConversation(c, of)
	codec.Int(c, 3, at)
}
