package ledger

import (
	"strconv"

	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// shortIDs changes the keys of messages and tool calls whose ids may not be unique, see
// [transcript.Response]: some gateways give every response the same message id, or
// number the tool calls of each response. Claude's own message ids have at least 20
// characters, those of tool calls at least 13. It precedes the parts that count them.
//
//   - Lines that name their request (requestRef, since Claude Code 2.1.300) are one
//     message if they name the same one and have the same message id, which may be any,
//     or none.
//   - Otherwise a message id of less than 20 characters identifies a message together
//     with the parentUuid of its first line, see continued. Without a parentUuid, the
//     id identifies the message alone.
//   - A tool id of less than 12 characters identifies a call within its message. A
//     result belongs to the last call with the id before it, or else to the next one,
//     if that has no result.
//
// Only lines of the same file are looked at, so keys do not depend on the order in
// which files are read, and copies that keep their requests or parents have the same
// keys. Limits, the first two for lines that do not name their request:
//
//   - Several responses to the same line are one message.
//   - Copies with new uuids are other messages.
//   - A result that comes before its call is not recognized in a copy of its file: it
//     counts as a result without a call if the call has a result already. Of several
//     results of one call, the duration is that to the first one that is read.
type shortIDs struct {
	basic
	known *table.Table[hash64, shortID] // see hashInFile
	older *olderKeys
}

// A shortID is what the lines of a file read so far say about one of these:
//
//   - a short message id: its latest message;
//   - a line with one: its message;
//   - a short tool id: its latest call.
type shortID struct {
	file FileID
	key  transcript.Key // of the message or call

	// These are of a message id. The digests are zero in rows of versions that did not
	// compare them.
	final            bool      // some line of the message had a stop reason
	request, numbers shortHash // of the latest line: Request, and Counts if final is set, else Sent, of its Response
}

func newShortIDs(c *core, m *messages) *shortIDs {
	return &shortIDs{
		basic: basic{c}, older: newOlderKeys(c, m),
		known: owned(c, tableShortIDs, codeShortID, func(s shortID) FileID { return s.file }),
	}
}

// hashInFile returns the hash of an id or a line, which means another thing in every
// file. Keys contain their kind, so those of messages, tools and lines differ.
func hashInFile(id FileID, k transcript.Key) hash64 {
	return hashOf(transcript.KeyOf("in file", strconv.FormatUint(uint64(id), 10), string(k[:])))
}

// countLine sets the keys of a line. It may see an entry again.
func (p *shortIDs) countLine(lc *lineContext, e *transcript.Entry) {
	p.older.save()
	if r := e.Response; r != nil {
		key := p.message(lc, r)
		if e.Message != nil {
			e.Message.Key = key
		}
		for i := range e.Uses {
			p.qualifyCall(lc.id, key, &e.Uses[i])
		}
	}
	for i := range e.Results {
		p.qualifyResult(lc.id, &e.Results[i])
	}
	for i := range e.Facts {
		if f := &e.Facts[i]; f.Kind == transcript.BackgroundFact && len(e.Results) > 0 {
			f.Key = e.Results[0].Key
		}
	}
}

// message returns the key of the message that a line begins or continues.
func (p *shortIDs) message(lc *lineContext, r *transcript.Response) transcript.Key {
	if !r.Ref.IsZero() && !p.older.mayHave(lc, r) {
		return r.Ref
	}
	key := r.Key
	if !r.ID.IsZero() {
		key = p.continued(lc.id, r)
	}
	if !r.Ref.IsZero() && !p.older.has(lc, key) {
		return r.Ref
	}
	return key
}

// continued returns the key of the message of a line with a short id, and records the
// line. It continues the latest message with the id, or begins another.
func (p *shortIDs) continued(id FileID, r *transcript.Response) transcript.Key {
	latest, again := p.known.Get(hashInFile(id, r.ID))
	parent, follows := p.known.Get(hashInFile(id, r.Parent))
	switch {
	case !again || r.Block == transcript.FirstBlock:
		latest = shortID{key: r.Key}
	case r.Block == transcript.LaterBlock:
	case follows:
		latest.key = parent.key
	case !latest.isContinuedBy(r):
		latest = shortID{key: r.Key}
	}
	latest.file, latest.final = id, latest.final || r.Final
	latest.request, latest.numbers = shortHash(r.Request[:]), latest.numbersOf(r)
	if !r.Line.IsZero() {
		p.known.Put(hashInFile(id, r.Line), shortID{file: id, key: latest.key})
	}
	p.known.Put(hashInFile(id, r.ID), latest)
	return latest.key
}

// isContinuedBy reports whether a line continues the latest message with its id, of
// which it states neither its block nor a line: if its request is the same or, where
// one of the two states none, if its numbers are. Before a line has a stop reason, the
// output may grow.
func (s *shortID) isContinuedBy(r *transcript.Response) bool {
	switch request, none := shortHash(r.Request[:]), (shortHash{}); {
	case request != none && s.request != none:
		return request == s.request
	case s.numbers == none:
		return !s.final
	}
	return s.numbers == s.numbersOf(r)
}

// numbersOf returns the digest of the numbers of a line that the lines of the message
// have in common.
func (s *shortID) numbersOf(r *transcript.Response) shortHash {
	if s.final {
		return shortHash(r.Counts[:])
	}
	return shortHash(r.Sent[:])
}

// qualifyCall makes the id of a call one within its message.
func (p *shortIDs) qualifyCall(id FileID, message transcript.Key, u *transcript.ToolUse) {
	if u.ID.IsZero() {
		return
	}
	u.Key = transcript.KeyOf("tool of message", string(message[:]), string(u.ID[:]))
	p.known.Put(hashInFile(id, u.ID), shortID{file: id, key: u.Key})
}

// keyBeforeCall returns the key of a result that precedes its call, which has a short
// id.
func keyBeforeCall(id FileID, tool transcript.Key) transcript.Key {
	return keyOf(hashInFile(id, tool))
}

// qualifyResult makes a result one of the latest call with its id in the file.
func (p *shortIDs) qualifyResult(id FileID, r *transcript.ToolResult) {
	if r.ID.IsZero() {
		return
	}
	r.Key = keyBeforeCall(id, r.ID)
	if call, ok := p.known.Get(hashInFile(id, r.ID)); ok {
		r.Key = call.key
	}
}

func (p *shortIDs) reindex() bool { return p.older.reindex() }

func (p *shortIDs) forget(FileID, *fileState, int64) { p.older.save() }

// reset drops what the lines of a file said.
func (p *shortIDs) reset(id FileID, _ *fileState) {
	p.older.save()
	table.DeleteFunc(p.known, func(_ hash64, s shortID) bool { return s.file == id })
}

func codeShortID(c *table.Coder, s *shortID) {
	table.Uint(c, 1, &s.file)
	table.Fixed64(c, 2, &s.key)
	table.Bool(c, 3, &s.final)
	table.Fixed32(c, 4, &s.request)
	table.Fixed32(c, 5, &s.numbers)
}
