package ledger

import (
	"github.com/ccwatchd/ccwatchd/codec"
	"github.com/ccwatchd/ccwatchd/internal/compactmap"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// Code visits everything that makes up the ledger, so that one that is read
// back goes on exactly where the one that was written stood. The bytes hold
// numbers, digests and label values; no text, path or id.
//
// Label values, dedup keys and families go by name, see codeNamed. What this
// version does not know is kept in l.unknown and written back.
func (l *Ledger) Code(c *codec.Coder) {
	u := &l.unknown
	c.Unknown(&u.ledger)
	codec.Message(c, 1, &l.opts, func(c *codec.Coder, o *Options) { o.Code(c) })
	codec.Int(c, 2, &l.birth)
	l.codeLabels(c)
	codeInterner(c, 4, &l.fileAttrs, codeFileAttrs)
	codec.Map(c, 5, &l.files, &u.files, codeFile)
	l.groups.code(c, 6)
	codeInterner(c, 8, &l.messageLabels, codeMessageLabels)
	l.codeHeld(c)
	codec.Fixed64s(c, 10, &l.ready)
	codec.Map(c, 11, &l.openBeforeReset, &u.openBeforeReset, codeKeysOfFile)
	codec.Large(c, 12, l.counted.SizeHint(), &l.counted, func(c *codec.Coder, m *compactmap.Map[countedMessage]) {
		m.Code(c, func(m countedMessage) bool { return int(m.labels) < len(l.messageLabels.values) })
	})
	codeInterner(c, 13, &l.toolLabels, codeToolLabels)
	codec.Large(c, 14, l.tools.SizeHint(), &l.tools, func(c *codec.Coder, m *compactmap.Map[toolCall]) {
		m.Code(c, func(t toolCall) bool { return int(t.labels) < len(l.toolLabels.values) || t.state != callOnly })
	})
	codec.Map(c, 15, &l.orphans, &u.orphans, codeOrphan)
	codec.Map(c, 16, &l.orphansOf, &u.orphansOf, codeKeysOfFile)
	l.codeSeen(c)
	l.live.code(c, 18, u)
	l.copies.code(c, 20, &u.copies, l.files)
	codec.Large(c, 21, l.reported.SizeHint(), &l.reported, func(c *codec.Coder, m *compactmap.Map[reportedUsage]) {
		m.Code(c, func(reportedUsage) bool { return true })
	})
	codec.Large(c, 22, l.usage.SizeHint(), &l.usage, func(c *codec.Coder, m *compactmap.Map[sessionUsage]) {
		m.Code(c, func(sessionUsage) bool { return true })
	})
	for i, n := range [...]*uint64{&l.zeroFirst.newest, &l.zeroFirst.exposed, &l.zeroFirst.released} {
		codec.Uint(c, 23+codec.Number(i), n)
	}
	l.codeFamilies(c) // field 26
	codec.Uint(c, 27, &l.zeroFirst.call)
	if !c.Reading() {
		return
	}
	l.zeroFirst.call = max(l.zeroFirst.call, l.zeroFirst.newest)
	l.numberNewFamilies()
	if !l.valid() {
		c.Fail()
	}
	l.index()
}

// SizeHint returns about how many bytes Code writes.
func (l *Ledger) SizeHint() int {
	size := l.counted.SizeHint() + l.tools.SizeHint() + l.reported.SizeHint() + l.usage.SizeHint()
	for i := range l.seen {
		size += l.seen[i].SizeHint()
	}
	return size
}

// codeHeld visits the messages that are held.
func (l *Ledger) codeHeld(c *codec.Coder) {
	type stored struct {
		held heldMessage
		best transcript.Message
	}
	u := &l.unknown
	if c.Reading() {
		u.held, u.iterations = nil, nil
	}
	all := func(yield func(*stored) bool) {
		var s stored
		for key, h := range l.held.All() {
			if s = (stored{*h, l.record(key, h)}); !yield(&s) {
				return
			}
		}
	}
	add := func(s *stored) {
		key := hashOf(s.best.Key)
		if l.held.Get(key) != nil {
			c.Fail()
			return
		}
		l.note(key, &s.held, &s.best)
		l.held.Put(key, s.held)
	}
	codec.Stream(c, 9, all, add, func(c *codec.Coder, s *stored) {
		u.held.Carry(c, s.best.Key)
		codeMessage(c, &s.best, &u.iterations)
		codec.Uint(c, 101, &s.held.file)
		codec.Uint(c, 102, &s.held.labels)
		codec.Int(c, 103, &s.held.when)
		session := keyOf(s.held.session)
		if codec.Fixed64(c, 104, &session); c.Reading() && !session.IsZero() {
			s.held.session = hashOf(session)
		}
		u.held.Rest(c, s.best.Key)
	})
}

// sound reports whether what was read fits together, so that whatever is
// counted next finds what it needs.
func (l *Ledger) valid() bool {
	if z := &l.zeroFirst; z.released > z.exposed || z.exposed > z.newest || !l.live.valid(len(l.fileAttrs.values)) {
		return false
	}
	for _, f := range l.files {
		if int(f.attrs) >= len(l.fileAttrs.values) {
			return false
		}
	}
	for _, h := range l.held.All() {
		if int(h.labels) >= len(l.messageLabels.values) {
			return false
		}
	}
	for _, o := range l.orphans {
		if int(o.labels) >= len(l.messageLabels.values) {
			return false
		}
	}
	for i := range l.tables {
		if !l.tables[i].valid(l.zeroFirst.newest) {
			return false
		}
	}
	return true
}

// index builds again what is not saved because it follows from the rest.
func (l *Ledger) index() {
	l.applyLimits()
	l.live.index()
	for i := range l.labels {
		l.labels[i].latest = ""
	}
	for i := range l.tables {
		l.tables[i].index()
	}
}

// Code visits the options. Unknown fields are not kept: a daemon puts the options of
// its own configuration in force when it starts.
func (o *Options) Code(c *codec.Coder) {
	codec.Map(c, 1, &o.Limits, nil, func(c *codec.Coder, label *string, n *int) {
		codec.String(c, 1, label)
		codec.Int(c, 2, n)
	})
	codec.Int(c, 2, &o.MaxSeries)
	codec.Map(c, 3, &o.Buckets, nil, func(c *codec.Coder, family *string, bounds *[]float64) {
		codec.String(c, 1, family)
		codec.Floats(c, 2, bounds)
	})
	codec.String(c, 4, &o.UnknownProject)
	codec.Int(c, 5, &o.ActiveFor)
	codec.Int(c, 6, &o.MaxSessions)
}

// Code visits what a file is opened with.
func (f *File) Code(c *codec.Coder) {
	codec.Uint(c, 1, &f.ID)
	codec.String(c, 2, &f.Kind)
	codec.Fixed64(c, 3, &f.Name)
	codec.String(c, 4, &f.Source)
}

func codeFile(c *codec.Coder, id *FileID, f *fileState) {
	codec.Uint(c, 1, id)
	codec.Fixed32(c, 2, &f.name)
	codec.Fixed32(c, 3, &f.session)
	codec.Fixed64(c, 4, &f.message)
	codec.Uint(c, 5, &f.attrs)
	codec.Fixed32(c, 6, &f.queueOp)
	codec.Uint(c, 7, &f.queueRepeats)
	for i, flag := range [...]fileFlags{fileOpen, fileHasCopies, fileHasProject, fileDialogue, filePrompted, fileWarmup, fileCounted, fileMissing} {
		set := f.is(flag)
		codec.Bool(c, 8+codec.Number(i), &set)
		f.set(flag, set)
	}
}

func codeFileAttrs(c *codec.Coder, p *fileAttrs) {
	codec.String(c, 1, &p.project)
	codec.String(c, 2, &p.source)
	codec.String(c, 3, &p.kind)
}

func codeMessageLabels(c *codec.Coder, o *messageLabels) {
	codec.String(c, 1, &o.model)
	codec.String(c, 2, &o.project)
	codec.String(c, 3, &o.agent)
	codec.String(c, 4, &o.source)
}

func codeToolLabels(c *codec.Coder, t *toolLabels) {
	codec.String(c, 1, &t.name)
	codec.String(c, 2, &t.server)
}

func codeOrphan(c *codec.Coder, key *hash64, o *orphan) {
	codeResult(c, &o.result)
	codec.Int(c, 101, &o.time)
	codec.Int(c, 102, &o.when)
	codec.Uint(c, 103, &o.labels)
	codec.Uint(c, 104, &o.file)
	if c.Reading() {
		*key = hashOf(o.result.Key)
	}
}

func codeKeysOfFile(c *codec.Coder, f *FileID, keys *[]transcript.Key) {
	codec.Uint(c, 1, f)
	codec.Fixed64s(c, 2, keys)
}
