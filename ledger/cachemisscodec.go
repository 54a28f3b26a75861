package ledger

import (
	"maps"

	"github.com/ccwatchd/ccwatchd/state/codec"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// codeLastRequest visits the fields of r, from a number on.
func codeLastRequest(c *codec.Coder, first codec.Number, r *lastRequest) {
	codec.Uint(c, first, &r.ended)
	codec.Uint(c, first+1, &r.cached)
	codec.Uint(c, first+2, &r.model)
	codec.Uint(c, first+3, &r.flags)
}

// codeRequests visits the latest requests of side chains in sessions, and the number of
// bytes that were read until then: an older version carries all latest requests and
// permission modes unread. Reading drops them if that version went on reading, since
// they are not the latest any more.
func (l *Ledger) codeRequests(c *codec.Coder, first codec.Number) {
	codec.Map(c, first, &l.sideRequests, &l.unknown.sideRequests, codeSideRequest)
	upTo := l.bytesRead()
	if codec.Uint(c, first+1, &upTo); !c.Reading() {
		return
	}
	if upTo != l.bytesRead() {
		clear(l.sideRequests)
		l.unknown.sideRequests = nil
		for id, f := range l.files {
			f.dropLatest()
			l.files[id] = f
		}
	}
	maps.DeleteFunc(l.sideRequests, func(id FileID, _ lastRequest) bool {
		_, known := l.files[id]
		return !known
	})
}

// dropLatest drops what an older version, which has read lines since, does not keep.
func (f *fileState) dropLatest() {
	f.request, f.mode, f.latest = lastRequest{}, transcript.UnknownCircumstance, 0
	f.request.set(requestsMissed, !f.message.IsZero())
}

func codeSideRequest(c *codec.Coder, id *FileID, r *lastRequest) {
	codec.Uint(c, 1, id)
	codeLastRequest(c, 2, r)
}
