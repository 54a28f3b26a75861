package ledger

import (
	"cmp"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// A preparer sets fields of a line, and keeps what they need of the lines before. It
// counts nothing, and does not change the entry. New lists the preparers.
type preparer func(l *line, e *transcript.Entry)

// prepare returns the line of an entry. It is valid until the next call.
func (l *Ledger) prepare(b *Batch, f *fileState, e *transcript.Entry) *line {
	attrs, n := l.attrsOf(f), &l.line
	uses, results, facts := n.uses[:0], n.results[:0], n.facts[:0]
	*n = line{}
	n.id, n.session, n.file, n.now = b.File, e.Owner(), f, b.Now
	if b.Modified >= minTime {
		n.modified = b.Modified
	}
	n.kind, n.source, n.project, n.side = attrs.kind, attrs.source, attrs.project, e.Sidechain || attrs.kind.IsAgent()
	n.uses, n.results, n.facts = uses, results, facts
	for _, prepare := range l.preparers {
		prepare(n, e)
	}
	return n
}

// pauseAfter is the time without a line in a file, in seconds, that is a pause. It is
// the default time after which a file is quiet, so a daemon that followed the file has
// finalized it then.
const pauseAfter = 10 * 60

// prepareTime sets the times of a line, and whether the line follows a pause in its
// file. Reading at rest counts the same as reading while the file grows: further lines
// of the message before the pause do not belong to its turn, its request or its run,
// and do not change how the request was made. Times that no line can have are no
// evidence of a pause.
func (c *core) prepareTime(l *line, e *transcript.Entry) {
	l.setTimes(e.Time)
	l.priced = l.when
	if l.time == 0 {
		return
	}
	before, when := l.file.latest, seconds(l.when)
	l.file.latest, l.older = max(before, when), when < before
	l.afterPause = before > 0 && when > before && when-before > pauseAfter
}

// prepareProject sets the project of a line: its own, or the project of an earlier
// line, which l has. After an upgrade the label may not have the project any more.
func (c *core) prepareProject(l *line, e *transcript.Entry) {
	f := l.file
	if e.HasProject && (!f.has(fileHasProject) || e.Project != l.project || !c.set.Has(c.labels.project, l.source, e.Project)) {
		attrs := c.attrsOf(f)
		attrs.project = c.bounded(c.labels.project, l.source, e.Project, l.when)
		f.attrs, l.project = c.fileAttrs.ID(attrs), attrs.project
		f.set(fileHasProject, true)
	}
	if !f.has(fileHasProject) {
		l.project = c.opts.UnknownProject
	}
}

// prepareDialogue sets the agent of a line, and records the beginning of the file's
// dialogue.
func (c *core) prepareDialogue(l *line, e *transcript.Entry) {
	f := l.file
	if e.IsConversation() {
		f.set(fileDialogue, true)
		f.began = cmp.Or(f.began, seconds(l.when))
		if f.session == (shortHash{}) {
			f.session = shortHash(e.Session[:])
		}
		if e.Type == "user" && !f.has(filePrompted) && l.kind.IsAgent() {
			f.set(filePrompted, true)
			f.set(fileWarmup, e.Warmup)
			l.startsAgent = true
		}
	}
	l.agent = f.agent(l.kind, e.Sidechain)
}

// prepareMode records the permission mode of the requests that follow in a file.
func (c *core) prepareMode(l *line, e *transcript.Entry) {
	if e.PermissionMode != transcript.EnumUnknown {
		l.file.mode = e.PermissionMode
	}
	if e.LeavesPlan && l.file.mode == transcript.PlanMode {
		l.file.mode = transcript.EnumUnknown
	}
}
