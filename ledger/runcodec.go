package ledger

import (
	"maps"

	"github.com/ccwatchd/ccwatchd/state/codec"
)

// codeRuns visits the open runs, and the number of bytes that were read until then: an
// older version carries both unread. As with turns, reading drops the runs if that
// version went on reading, and those of files that it has forgotten.
func (l *Ledger) codeRuns(c *codec.Coder, first codec.Number) {
	codec.Map(c, first, &l.runs, &l.unknown.runs, codeOpenRun)
	upTo := l.bytesRead()
	if codec.Uint(c, first+1, &upTo); !c.Reading() {
		return
	}
	if upTo != l.bytesRead() {
		clear(l.runs)
		l.unknown.runs = nil
	}
	maps.DeleteFunc(l.runs, func(id FileID, r *openRun) bool {
		if r.end >= runEnds || r.answer > ends || r.first > r.last {
			c.Fail()
		}
		_, known := l.files[id]
		return !known
	})
}

func codeOpenRun(c *codec.Coder, id *FileID, run **openRun) {
	if codec.Uint(c, 1, id); c.Reading() {
		*run = new(openRun)
	}
	r := *run
	codec.String(c, 2, &r.agentType)
	codec.Int(c, 3, &r.first)
	codec.Int(c, 4, &r.last)
	codec.Fixed64(c, 5, &r.message)
	codec.Uint(c, 6, &r.answer)
	codec.Uint(c, 7, &r.end)
	codec.Bool(c, 8, &r.isNew)
	codec.Bool(c, 9, &r.over)
	codec.Bool(c, 10, &r.again)
	codec.Bool(c, 11, &r.waits)
}
