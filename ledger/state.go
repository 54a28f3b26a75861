package ledger

import (
	"maps"
	"slices"

	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/wire"
)

// Code visits everything that makes up the ledger, so that one that is read
// back goes on exactly where the one that was written stood. The bytes hold
// numbers, digests and label values; no text, path or id.
func (l *Ledger) Code(c *wire.Coder) {
	l.opts.Code(c)
	c.Int(&l.birth)
	for i := range l.labels {
		wire.Map(c, &l.labels[i].values, wire.String, func(*wire.Coder, *struct{}) {})
	}
	codeNumbering(c, &l.places, codePlace)
	wire.Map(c, &l.files, wire.Uint, codeFile)
	l.groups.code(c)
	codeNumbering(c, &l.origins, codeOrigin)
	l.codeMessages(c)
	codeNumbering(c, &l.toolNames, codeToolName)
	l.tools.Code(c, func(t tool) bool { return int(t.name) < len(l.toolNames.all) || t.state != called })
	wire.Map(c, &l.orphans, wire.Uint, codeOrphan)
	wire.Map(c, &l.waiting, wire.Uint, codeKeys)
	for i := range l.seen {
		l.seen[i].Code(c, func(FileID) bool { return true })
	}
	l.reported.Code(c, func(reportedUsage) bool { return true })
	l.usage.Code(c, func(sessionUsage) bool { return true })
	l.copies.code(c, l.files)
	l.live.code(c)
	for _, n := range [...]*uint64{&l.zeroFirst.newest, &l.zeroFirst.exposed, &l.zeroFirst.released} {
		wire.Uint(c, n)
	}
	l.codeTables(c)
	if !c.Reading() {
		return
	}
	if !l.sound() {
		c.Fail()
	}
	l.index()
}

// codeMessages visits the messages that are held and those that were counted.
func (l *Ledger) codeMessages(c *wire.Coder) {
	if n := c.Len(l.held.Len()); c.Reading() {
		for range n {
			var h heldMessage
			var m transcript.Message
			codeHeld(c, &h, &m)
			if c.Err() != nil {
				return
			}
			key := digestOf(m.Key)
			l.note(key, &h, &m)
			l.held.Put(key, h)
		}
	}
	if !c.Reading() {
		for key, h := range l.held.All() {
			m := l.record(key, h)
			codeHeld(c, h, &m)
		}
	}
	codeKeys(c, &l.ready)
	wire.Map(c, &l.left, wire.Uint, codeKeys)
	l.counted.Code(c, func(m message) bool { return int(m.origin) < len(l.origins.all) })
}

// sound reports whether what was read fits together, so that whatever is
// counted next finds what it needs.
func (l *Ledger) sound() bool {
	if z := &l.zeroFirst; z.released > z.exposed || z.exposed > z.newest || !l.live.sound(len(l.places.all)) {
		return false
	}
	for _, f := range l.files {
		if int(f.place) >= len(l.places.all) {
			return false
		}
	}
	for _, h := range l.held.All() {
		if int(h.origin) >= len(l.origins.all) {
			return false
		}
	}
	for _, o := range l.orphans {
		if int(o.origin) >= len(l.origins.all) {
			return false
		}
	}
	for i := range l.tables {
		t := &l.tables[i]
		for _, s := range t.series {
			if len(s.labels) != len(t.Labels) || t.Type == Histogram && len(s.counts) != len(t.Buckets)+1 || s.number > l.zeroFirst.newest {
				return false
			}
		}
	}
	return true
}

// index builds again what is not saved because it follows from the rest.
func (l *Ledger) index() {
	l.limit()
	l.live.index()
	for i := range l.labels {
		l.labels[i].latest = ""
	}
	for i := range l.tables {
		t := &l.tables[i]
		clear(t.recent[:])
		clear(t.sources)
		t.full = false
		t.inOrder = t.inOrder[:0]
		for _, id := range slices.Sorted(maps.Keys(t.series)) {
			t.enter(t.series[id])
		}
	}
}

// codeTables visits the series, family by family under their names.
func (l *Ledger) codeTables(c *wire.Coder) {
	for i := range l.tables {
		t := &l.tables[i]
		name := t.Name
		wire.String(c, &name)
		if name != t.Name {
			c.Fail()
			return
		}
		wire.Slice(c, &t.Buckets, func(c *wire.Coder, b *float64) { c.Float(b) })
		wire.Map(c, &t.series, wire.String, pointed(l.codeSeries))
	}
}

// codeSeries visits a series. The number of one that has been released says no more
// than 0 does.
func (l *Ledger) codeSeries(c *wire.Coder, s *series) {
	wire.Slice(c, &s.labels, wire.String)
	wire.String(c, &s.source)
	wire.Uint(c, &s.value)
	wire.Uint(c, &s.sum)
	wire.Slice(c, &s.counts, wire.Uint)
	c.Int(&s.created)
	number := s.number
	if !l.zeroFirst.hides(s) {
		number = 0
	}
	if wire.Uint(c, &number); c.Reading() {
		s.number = number
	}
}

// Code visits the options.
func (o *Options) Code(c *wire.Coder) {
	wire.Map(c, &o.Limits, wire.String, func(c *wire.Coder, n *int) {
		v := int64(*n)
		c.Int(&v)
		if c.Reading() {
			*n = int(v)
		}
	})
	series := int64(o.MaxSeries)
	if c.Int(&series); c.Reading() {
		o.MaxSeries = int(series)
	}
	wire.Map(c, &o.Buckets, wire.String, func(c *wire.Coder, b *[]float64) {
		wire.Slice(c, b, func(c *wire.Coder, f *float64) { c.Float(f) })
	})
	wire.String(c, &o.UnknownProject)
	c.Int(&o.ActiveFor)
	sessions := int64(o.MaxSessions)
	if c.Int(&sessions); c.Reading() {
		o.MaxSessions = int(sessions)
	}
}

// Code visits what a file is opened with.
func (f *File) Code(c *wire.Coder) {
	wire.Uint(c, &f.ID)
	wire.String(c, &f.Kind)
	codeKey(c, &f.Name)
	wire.String(c, &f.Source)
}

func codeFile(c *wire.Coder, f *file) {
	c.Fixed(f.name[:])
	c.Fixed(f.parent[:])
	codeKey(c, &f.message)
	c.Fixed(f.queue[:])
	wire.Uint(c, &f.queued)
	wire.Uint(c, &f.place)
	for _, b := range [...]*bool{&f.open, &f.repeats, &f.placed, &f.dialogue, &f.prompted, &f.warmup, &f.counted, &f.gone} {
		c.Bool(b)
	}
}

func codePlace(c *wire.Coder, p *place) {
	wire.String(c, &p.project)
	wire.String(c, &p.source)
	wire.String(c, &p.kind)
}

func codeHeld(c *wire.Coder, h *heldMessage, best *transcript.Message) {
	codeMessageRecord(c, best)
	wire.Uint(c, &h.file)
	wire.Uint(c, &h.origin)
	c.Int(&h.when)
	wire.Uint(c, &h.session)
}

func codeOrigin(c *wire.Coder, o *origin) {
	wire.String(c, &o.model)
	wire.String(c, &o.project)
	wire.String(c, &o.agent)
	wire.String(c, &o.source)
}

func codeToolName(c *wire.Coder, t *toolName) {
	wire.String(c, &t.name)
	wire.String(c, &t.server)
}

func codeOrphan(c *wire.Coder, o *orphan) {
	codeResult(c, &o.result)
	c.Int(&o.time)
	c.Int(&o.when)
	wire.Uint(c, &o.origin)
	wire.Uint(c, &o.file)
}

// codeNumbering visits the values of a numbering.
func codeNumbering[T comparable](c *wire.Coder, n *numbering[T], each func(*wire.Coder, *T)) {
	all := n.all
	wire.Slice(c, &all, each)
	if c.Reading() {
		*n = numbering[T]{all: all, numbers: make(map[T]uint32, len(all))}
		for i, v := range all {
			n.numbers[v] = uint32(i)
		}
	}
}

func codeKeys(c *wire.Coder, k *[]transcript.Key) { wire.Slice(c, k, codeKey) }

func codeKey(c *wire.Coder, k *transcript.Key) { c.Fixed(k[:]) }

// pointed makes a description of values one of pointers to them.
func pointed[T any](each func(*wire.Coder, *T)) func(*wire.Coder, **T) {
	return func(c *wire.Coder, p **T) {
		if c.Reading() {
			*p = new(T)
		}
		each(c, *p)
	}
}
