package ledger

import (
	"cmp"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// A fork begins with copies of the lines of another session, which keep their times.
// The session starts with the first line that is no copy. docs/design/requests.md
// states how copies are recognized.

// begin processes a prompt or line of dialogue of a session at a time that it states.
// No own line of a session is older than the copies in it.
func (t *sessionTotals) begin(when int64, copied bool) {
	switch {
	case copied && t.first <= when:
		t.first = min(t.first, -when) // what seemed to be the start was a copy, too
	case !copied && (t.first <= 0 && when >= -t.first || when < t.first):
		t.first = when
	}
}

// hasOnlyCopies reports whether nothing has followed the copies in a session.
func (t *sessionTotals) hasOnlyCopies() bool { return t.first < 0 }

// start returns when a session starts: after its copies, if it has nothing else. It is
// 0 if that is not known.
func (t *sessionTotals) start() int64 { return max(t.first, -t.first) }

// prepareCopied sets whether a line is dialogue, and a copy from another session.
func (p *prompts) prepareCopied(l *line, e *transcript.Entry) {
	l.dialogue = e.IsConversation() || e.Prompt != nil && !l.side
	l.copied = l.dialogue && !e.Session.IsZero() && l.time != 0 && p.isCopy(l, e)
}

// isCopy reports whether a prompt or line of dialogue is a copy from another session.
// The lines after a copy are copies, too, up to a prompt that is no copy. In a file
// whose messages show that they are copies, they are copies up to a message that is no
// copy.
func (p *prompts) isCopy(l *line, e *transcript.Entry) bool {
	f, prompt := l.file, e.Prompt
	switch {
	case l.side:
		return e.Copied
	case e.Copied, isBeforeFile(l):
		f.set(fileForked|fileCopying, true)
	case prompt != nil && prompt.Kind != transcript.Interruption:
		f.set(fileCopying, p.isOfAnotherSession(l, e))
	case e.Message != nil && f.has(fileForked):
		f.set(fileCopying, false)
	}
	return e.Copied || f.has(fileCopying) && f.isOf(e.SessionID)
}

// isBeforeFile reports whether a line at the beginning of a file is older than the
// file: in print mode, operations on the queue come first.
func isBeforeFile(l *line) bool {
	f := l.file
	return l.older && (f.has(fileCopying) || !f.has(fileDialogue) && f.queueOp != (shortHash{}))
}

// isOfAnotherSession reports whether the file of another session had a prompt first. If
// the prompt is read again, its own file may have been the first with its uuid, but not
// with its text.
func (p *prompts) isOfAnotherSession(l *line, e *transcript.Entry) bool {
	return l.file.isOf(e.SessionID) &&
		(p.isFromOther(l, p.uuidsOf(e.Prompt), e.UUID) || p.isFromOther(l, p.texts, e.Prompt.TextKey))
}

// isFromOther reports whether another session's file had a key of a prompt first. That
// is no evidence if that file is the fork, or belongs to another source.
func (p *prompts) isFromOther(l *line, keys *dedupKeys, k transcript.Key) bool {
	holder, known := keys.Get(hashOf(k))
	other, exists := p.files.Get(holder)
	return known && exists && other.name != l.file.name && !other.has(fileForked) && p.attrsOf(&other).source == l.source
}

// isOf reports whether a file has the name of the transcript of a session.
func (f *fileState) isOf(session string) bool {
	name := transcript.NameKey(transcript.FileName(session))
	return f.name == shortHash(name[:])
}

// countSession counts the session of a line of dialogue. A fork whose file shows which
// lines are copies counts with its first line after them.
func (p *sessions) countSession(l *line, e *transcript.Entry) {
	key := hashOf(e.Session)
	if l.file.has(fileForked) && l.file.has(fileCopying) && !p.isCounted(key, l.source) && l.file.isOf(e.SessionID) {
		p.waiting.Put(l.id, key)
		return
	}
	if waits, _ := p.waiting.Get(l.id); waits == key {
		p.waiting.Delete(l.id)
	}
	p.countNew(key, l.id, l.when, l.source, l.project)
}

// isCounted reports whether a session was counted in a source.
func (p *sessions) isCounted(session hash64, source SourceLabels) bool {
	_, _, known := p.seen.find(session, source)
	return known
}

// countNew counts a session, unless it was counted.
func (p *sessions) countNew(session hash64, id FileID, when int64, source SourceLabels, project string) {
	if p.first(p.seen, p.seen.inSource(keyOf(session), source), id) {
		p.add(p.families.sessions, 1, when, source, project)
		p.compactions.addSeries(when, source, project)
	}
}

// finalize counts the session of a fork that has only copies.
func (p *sessions) finalize(id FileID, f *fileState, now int64) {
	key, waits := p.waiting.Get(id)
	p.waiting.Delete(id)
	if !waits {
		return
	}
	attrs := p.attrsOf(f)
	_, t, _ := p.totals.find(key, attrs.source)
	when := min(cmp.Or(t.start(), f.around()), now)
	p.countNew(key, id, when, attrs.source, cmp.Or(attrs.project, p.opts.UnknownProject))
}

func (p *sessions) hasPending(id FileID, _ *fileState) bool { return p.waiting.Has(id) }

func (p *sessions) reset(id FileID, _ *fileState) { p.waiting.Delete(id) }
