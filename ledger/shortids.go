package ledger

import (
	"strconv"

	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// shortIDs prepares the keys of messages and tool calls whose ids may not be unique,
// see [transcript.Response]: some gateways give every response the same message id, or
// number the tool calls of each response. Claude's own message ids have at least 20
// characters, its ids of tool calls at least 13.
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

// A shortID is the meaning of a short id in the lines of a file read so far:
//
//   - of a short message id: its latest message;
//   - of a line with a short message id: its message;
//   - of a short tool id: its latest call.
type shortID struct {
	file FileID
	key  transcript.Key // of the message or call

	// These are of a message id. The digests are zero in rows of versions that did not
	// compare them.
	final            bool      // some line of the message had a stop reason
	request, numbers shortHash // of the latest line: Request, and Counts if final is set, else Sent, of its Response
}

func newShortIDs(c *core, m *messages) *shortIDs {
	p := &shortIDs{
		basic: basic{c}, older: newOlderKeys(c, m),
		known: owned(c, tableShortIDs, codeShortID, func(s shortID) FileID { return s.file }),
	}
	c.countRows("short_id", p.known)
	return p
}

// hashInFile returns the hash of an id or a line, which means another thing in every
// file. Keys contain their kind, so the keys of messages, tools and lines differ.
func hashInFile(id FileID, k transcript.Key) hash64 {
	return hashOf(transcript.KeyOf("in file", strconv.FormatUint(uint64(id), 10), string(k[:])))
}

// prepare sets the keys of what a line states, and whether a message starts.
func (p *shortIDs) prepare(l *line, e *transcript.Entry) {
	p.older.save()
	if e.Message != nil {
		l.message = e.Message.Key
	}
	if e.Response != nil {
		l.message = p.message(l, e.Response)
	}
	l.startsMessage = e.Message != nil && l.file.message != l.message
	for i := range e.Uses {
		l.uses = append(l.uses, p.callKey(l, e, &e.Uses[i]))
	}
	for i := range e.Results {
		l.results = append(l.results, p.resultKey(l.id, &e.Results[i]))
	}
	for i := range e.Facts {
		key := e.Facts[i].Key
		if e.Facts[i].Kind == transcript.BackgroundFact && len(l.results) > 0 {
			key = l.results[0]
		}
		l.facts = append(l.facts, key)
	}
}

// message returns the key of the message that a line begins or continues.
func (p *shortIDs) message(l *line, r *transcript.Response) transcript.Key {
	if !r.Ref.IsZero() && !p.older.mayHave(l, r) {
		return r.Ref
	}
	key := r.Key
	if !r.ID.IsZero() {
		key = p.continued(l.id, r)
	}
	if !r.Ref.IsZero() && !p.older.has(l, key) {
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

// isContinuedBy reports whether a line that states neither its block nor a parent in
// the message continues the latest message with its id: if it has the same request or,
// if one of the two states no request, the same numbers. Before a line has a stop
// reason, the output may grow.
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

// callKey returns the key of a call. A short id identifies it within its message.
func (p *shortIDs) callKey(l *line, e *transcript.Entry, u *transcript.ToolUse) transcript.Key {
	if u.ID.IsZero() || e.Response == nil {
		return u.Key
	}
	key := transcript.KeyOf("tool of message", string(l.message[:]), string(u.ID[:]))
	p.known.Put(hashInFile(l.id, u.ID), shortID{file: l.id, key: key})
	return key
}

// keyBeforeCall returns the key of a result that precedes its call, which has a short
// id.
func keyBeforeCall(id FileID, tool transcript.Key) transcript.Key {
	return keyOf(hashInFile(id, tool))
}

// resultKey returns the key of a result. With a short id it belongs to the latest call
// with this id in the file.
func (p *shortIDs) resultKey(id FileID, r *transcript.ToolResult) transcript.Key {
	if r.ID.IsZero() {
		return r.Key
	}
	if call, ok := p.known.Get(hashInFile(id, r.ID)); ok {
		return call.key
	}
	return keyBeforeCall(id, r.ID)
}

func (p *shortIDs) reindex() bool { return p.older.reindex() }

func (p *shortIDs) forget(FileID, *fileState, int64) { p.older.save() }

// reset drops the short ids of a file.
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
