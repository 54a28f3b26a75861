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
	wire.Map(c, &l.values, wire.String, func(c *wire.Coder, values *map[string]struct{}) {
		wire.Map(c, values, wire.String, func(*wire.Coder, *struct{}) {})
	})
	wire.Map(c, &l.files, wire.Uint, pointed(codeFile))
	kin := map[FileID]FileID(l.kin)
	wire.Map(c, &kin, wire.Uint, wire.Uint)
	l.kin = kin
	wire.Map(c, &l.held, codeKey, pointed(codeHeld))
	wire.Slice(c, &l.ready, codeKey)
	wire.Map(c, &l.counted, codeKey, codeMessage)
	wire.Slice(c, &l.origins, codeOrigin)
	wire.Map(c, &l.calls, codeKey, codeCall)
	codeKeys(c, &l.paired)
	wire.Map(c, &l.orphans, codeKey, pointed(codeOrphan))
	for i := range l.seen {
		codeKeys(c, &l.seen[i])
	}
	wire.Map(c, &l.live, codeKey, pointed(codeLive))
	l.codeTables(c)
	if !c.Reading() {
		return
	}
	if !l.sound() {
		c.Fail()
	}
	l.index()
}

// sound reports whether what was read fits together, so that whatever is
// counted next finds what it needs.
func (l *Ledger) sound() bool {
	for _, m := range l.counted {
		if m.origin.index() >= len(l.origins) {
			return false
		}
	}
	for i := range l.tables {
		t := &l.tables[i]
		for _, s := range t.series {
			if len(s.labels) != len(t.Labels) || t.Type == Histogram && len(s.counts) != len(t.Buckets)+1 {
				return false
			}
		}
	}
	return true
}

// index builds again what is not saved because it follows from the rest.
func (l *Ledger) index() {
	for i, o := range l.origins {
		l.originNumbers[o] = originNumber(i)
	}
	for i := range l.tables {
		t := &l.tables[i]
		t.unshown = 0
		t.inOrder = t.inOrder[:0]
		for _, id := range slices.Sorted(maps.Keys(t.series)) {
			s := t.series[id]
			t.inOrder = append(t.inOrder, s)
			if !s.shown && t.Type != Gauge {
				t.unshown++
			}
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
		wire.Map(c, &t.series, wire.String, pointed(codeSeries))
	}
}

func codeSeries(c *wire.Coder, s *series) {
	wire.Slice(c, &s.labels, wire.String)
	wire.String(c, &s.source)
	wire.Uint(c, &s.value)
	wire.Uint(c, &s.sum)
	wire.Slice(c, &s.counts, wire.Uint)
	c.Int(&s.created)
	c.Bool(&s.shown)
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
	wire.Map(c, &o.Buckets, wire.String, func(c *wire.Coder, b *[]float64) {
		wire.Slice(c, b, func(c *wire.Coder, f *float64) { c.Float(f) })
	})
	wire.String(c, &o.UnknownProject)
	c.Int(&o.ActiveFor)
}

// Code visits what a file is opened with.
func (f *File) Code(c *wire.Coder) {
	wire.Uint(c, &f.ID)
	wire.String(c, &f.Kind)
	codeKey(c, &f.Path)
	wire.String(c, &f.Source)
}

func codeFile(c *wire.Coder, f *file) {
	f.Code(c)
	wire.String(c, &f.project)
	c.Bool(&f.placed)
	codeKey(c, &f.open)
	wire.Slice(c, &f.left, codeKey)
	wire.Slice(c, &f.orphans, codeKey)
	c.Bool(&f.dialogue)
	c.Bool(&f.prompted)
	c.Bool(&f.warmup)
	c.Bool(&f.counted)
}

func codeHeld(c *wire.Coder, h *heldMessage) {
	codeMessageRecord(c, &h.best)
	wire.Uint(c, &h.file)
	codeOrigin(c, &h.origin)
	c.Int(&h.when)
}

func codeOrigin(c *wire.Coder, o *origin) {
	wire.String(c, &o.model)
	wire.String(c, &o.project)
	wire.String(c, &o.agent)
	wire.String(c, &o.source)
}

func codeMessage(c *wire.Coder, m *message) {
	for _, n := range [...]*uint32{&m.input, &m.output, &m.read, &m.write5m, &m.write1h, &m.thinking} {
		wire.Uint(c, n)
	}
	wire.Uint(c, &m.searches)
	wire.Uint(c, &m.fetches)
	wire.Uint(c, &m.file)
	wire.Uint(c, &m.origin)
}

func codeCall(c *wire.Coder, k *call) {
	c.Int(&k.time)
	wire.String(c, &k.name)
	wire.String(c, &k.mcpServer)
	wire.Uint(c, &k.file)
	c.Bool(&k.answered)
}

func codeOrphan(c *wire.Coder, o *orphan) {
	codeResult(c, &o.result)
	c.Int(&o.time)
	c.Int(&o.when)
	wire.String(c, &o.project)
	wire.String(c, &o.agent)
	wire.String(c, &o.source)
	wire.Uint(c, &o.file)
}

func codeLive(c *wire.Coder, s *liveSession) {
	c.Int(&s.last)
	wire.String(c, &s.project)
	wire.String(c, &s.source)
	wire.String(c, &s.model)
	wire.Uint(c, &s.context)
}

func codeKeys(c *wire.Coder, k *keys) {
	m := map[transcript.Key]FileID(*k)
	wire.Map(c, &m, codeKey, wire.Uint)
	*k = m
}

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
