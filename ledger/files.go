package ledger

import (
	"slices"
)

// Open announces a file before its first batch, and again when it has moved.
func (l *Ledger) Open(f File) {
	known, again := l.files.Get(f.ID)
	attrs := fileAttrs{source: f.Source, kind: f.Kind}
	if again {
		before := l.attrsOf(&known)
		attrs.project, attrs.agentType = before.project, before.agentType
	}
	if f.AgentType != "" {
		attrs.agentType = l.bounded(l.labels.agentType, f.Source, f.AgentType, f.Opened)
	}
	name := shortHash(f.Name[:])
	renamed := known.name != name
	known.set(fileReplica, f.Replica)
	switch known.name, known.attrs = name, l.fileAttrs.ID(attrs); {
	case known.has(fileMissing): // another file may hold its slot by now
		known.set(fileMissing|fileCounted, false)
		l.agents.slots.markPresent(f.ID)
	case known.has(fileCounted) && renamed:
		l.agents.claimSlot(f.ID, &known, true)
	}
	l.files.Put(f.ID, known)
}

// MarkMissing records that a file no longer exists, until Open announces it again.
func (l *Ledger) MarkMissing(id FileID) {
	if f, ok := l.files.Get(id); ok && !f.has(fileMissing) {
		f.set(fileMissing, true)
		l.files.Put(id, f)
		l.agents.slots.markMissing(id)
	}
}

// The reasons for reading a file again from its beginning.
const (
	Truncated = "truncated"
	Replaced  = "replaced"
	Requested = "requested" // by the user
)

// ResetReasons lists them. It must not be modified.
var ResetReasons = []string{Truncated, Replaced, Requested}

// Reset records that, at the time now, a file is read again from its beginning.
func (l *Ledger) Reset(id FileID, reason string, now int64) {
	l.add(l.families.fileResets, 1, now, "", reason)
	f, ok := l.files.Get(id)
	if !ok {
		return
	}
	for _, k := range l.keepers {
		k.reset(id, &f)
	}
	// fileHasCopies and fileForked stay: its lines were found to be copies before the
	// reset, and other files may be read before it.
	l.files.Put(id, fileState{name: f.name, attrs: f.attrs, flags: f.flags & (fileHasProject | fileHasCopies | fileForked | fileReplica)})
}

// FinalizeFile counts the pending messages, tool results, turn, sub-agent and its run,
// and the session of a fork that has only copies, of a file that has been quiet for
// longer than a response takes. It does not count a message that another file has
// continued: that file may be a rewritten version of this one. A run that has not ended
// waits until EndSessions counts it.
func (l *Ledger) FinalizeFile(id FileID, now int64) {
	f, ok := l.files.Get(id)
	if !ok {
		return
	}
	for _, p := range l.parts {
		p.finalize(id, &f, now)
	}
	l.files.Put(id, f)
	l.set.Expose()
}

// HasPending reports whether FinalizeFile would count something, such as the session of
// a fork, or let a run wait.
func (l *Ledger) HasPending(id FileID) bool {
	f, ok := l.files.Get(id)
	if !ok {
		return false
	}
	for _, p := range l.parts {
		if p.hasPending(id, &f) {
			return true
		}
	}
	return false
}

// AllPending returns the files for which HasPending is true, in order.
func (l *Ledger) AllPending() (ids []FileID) {
	for id := range l.files.All() {
		if l.HasPending(id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Forget drops, at the time now, the keys that only the given files could repeat.
func (l *Ledger) Forget(files []FileID, now int64) {
	for _, id := range files {
		l.forgetFile(id, now)
	}
	if len(files) == 0 {
		return
	}
	l.dropUnknown()
	l.keysDropped()
}

// forgetFile drops a file, but not its keys.
func (l *Ledger) forgetFile(id FileID, now int64) {
	l.finish(id, now)
	l.files.Delete(id)
}

// finish counts what is pending of a file, and drops what is kept about its end.
func (l *Ledger) finish(id FileID, now int64) {
	l.FinalizeFile(id, now)
	f, known := l.files.Get(id)
	if !known {
		return
	}
	for _, k := range l.keepers {
		k.forget(id, &f, now)
	}
	l.files.Put(id, f)
}

// keysDropped lets the parts drop what belongs to dropped keys.
func (l *Ledger) keysDropped() {
	l.findHeirs()
	for _, k := range l.keepers {
		k.keysDropped()
	}
}
