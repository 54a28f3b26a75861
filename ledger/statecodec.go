package ledger

import (
	"bytes"
	"iter"

	"github.com/ccwatchd/ccwatchd/internal/compactmap"
	"github.com/ccwatchd/ccwatchd/state/codec"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// Code visits everything that makes up the ledger: one that is read continues exactly
// where the one that was written left off. The bytes hold numbers, hashes and label
// values, but no text, path or id.
//
// Label values, dedup keys and families are identified by name, see codeNamed. What
// this version does not know is kept in l.unknown and written back.
func (l *Ledger) Code(c *codec.Coder) {
	u := &l.unknown
	c.Unknown(&u.ledger)
	codec.Message(c, 1, &l.opts, func(c *codec.Coder, o *Options) { o.Code(c) })
	codec.Int(c, 2, &l.birth)
	l.codeLabels(c) // field 3
	l.fileAttrs.code(c, 4, codeFileAttrs)
	codec.Map(c, 5, &l.files, &u.files, codeFile)
	l.groups.code(c, 6)
	l.messageLabels.code(c, 8, codeMessageLabels)
	if c.Reading() {
		u.iterations = nil // of held messages
	}
	codeTable(c, 9, &l.held, &u.held, l.codeHeld)
	codec.Fixed64s(c, 10, &l.ready)
	codec.Map(c, 11, &l.openBeforeReset, &u.openBeforeReset, codeKeysOfFile)
	codeMap(c, 12, &l.counted, func(m countedMessage) bool { return int(m.labels) < len(l.messageLabels.values) })
	l.toolLabels.code(c, 13, codeToolLabels)
	codeMap(c, 14, &l.tools, func(t toolCall) bool { return int(t.labels) < len(l.toolLabels.values) || t.state != callOnly })
	codec.Map(c, 15, &l.orphans, &u.orphans, codeOrphan)
	codec.Map(c, 16, &l.orphansOf, &u.orphansOf, codeKeysOfFile)
	l.codeSeen(c) // field 17
	codeTable(c, 18, &l.live.active, &u.active, codeActivity)
	codec.Map(c, 19, &l.live.details, &u.live, codeLiveSession)
	l.copies.code(c, 20, &u.copies, l.files)
	codeMap(c, 21, &l.reported, nil)
	codeMap(c, 22, &l.usage, nil)
	codec.Uint(c, 23, &l.zeroFirst.newest)
	codec.Uint(c, 24, &l.zeroFirst.exposed)
	codec.Uint(c, 25, &l.zeroFirst.released)
	l.codeFamilies(c) // field 26
	codec.Uint(c, 27, &l.zeroFirst.call)
	l.prices.code(c, 28, codePrice)
	l.codeTurns(c, 29) // fields 29 and 30, after the families
	l.codeCharges(c, 31)
	codec.Uint(c, 32, &l.fineFrom)
	l.codeTotals(c, 33)
	l.codeRequests(c, 40)
	l.codeTimings(c, 45) // fields 45 to 47
	l.codeRuns(c, 50)    // fields 50 and 51, after the families
	l.attributions.code(c, 52, codeAttribution)
	l.codeVersions(c, 55)
	if !c.Reading() {
		return
	}
	l.latestPrice = latestPrice{}
	l.zeroFirst.call = max(l.zeroFirst.call, l.zeroFirst.newest)
	l.numberNewFamilies()
	if !l.valid() {
		c.Fail()
	}
	l.index()
}

// SizeHint returns about how many bytes Code writes.
func (l *Ledger) SizeHint() int {
	size := 0
	for _, m := range l.compactMaps() {
		size += m.SizeHint()
	}
	return size
}

// codeMap visits a map. A reader fails if a value is not valid; nil accepts any.
func codeMap[V compactmap.Value[V]](c *codec.Coder, n codec.Number, m *compactmap.Map[V], valid func(V) bool) {
	codec.Large(c, n, m.SizeHint(), m, func(c *codec.Coder, m *compactmap.Map[V]) { m.Code(c, valid) })
}

// codeTable is codec.Map for a [compactmap.Table] or a [compactmap.Store].
func codeTable[V any](
	c *codec.Coder, n codec.Number, t interface {
		All() iter.Seq2[hash64, *V]
		Get(k hash64) *V
		Put(k hash64, v V)
	}, unknown *codec.Unknowns[hash64],
	describe func(*codec.Coder, *hash64, *V),
) {
	type entry struct {
		key   hash64
		value V
	}
	if c.Reading() {
		*unknown = nil
	}
	all := func(yield func(*entry) bool) {
		var e entry
		for key, v := range t.All() {
			if e = (entry{key, *v}); !yield(&e) {
				return
			}
		}
	}
	add := func(e *entry) {
		if e.key == 0 || t.Get(e.key) != nil {
			c.Fail()
			return
		}
		t.Put(e.key, e.value)
	}
	codec.Stream(c, n, all, add, func(c *codec.Coder, e *entry) {
		unknown.Carry(c, e.key)
		describe(c, &e.key, &e.value)
		unknown.Rest(c, e.key)
	})
}

// codeHash visits a hash as the key of which it was made. A hash of 0 is missing.
func codeHash(c *codec.Coder, n codec.Number, h *hash64) {
	k := keyOf(*h)
	if codec.Fixed64(c, n, &k); !c.Reading() {
		return
	}
	if *h = 0; !k.IsZero() {
		*h = hashOf(k)
	}
}

func (l *Ledger) codeHeld(c *codec.Coder, key *hash64, h *heldMessage) {
	var m transcript.Message
	var day int64
	var how circumstances
	if !c.Reading() {
		o := &l.outcomes.values[h.outcome]
		m, day, how = l.record(*key, h), o.day, o.circumstances
		m.Circumstances = how.stated()
	}
	codeMessage(c, &m, &l.unknown.iterations)
	codec.Uint(c, 101, &h.file)
	codec.Uint(c, 102, &h.labels)
	codec.Int(c, 103, &h.when)
	codeHash(c, 104, &h.session)
	codec.Int(c, 105, &day)
	codec.Uint(c, 110, &h.miss.reason)
	codec.Uint(c, 111, &h.miss.cached)
	codeHeldCircumstances(c, &how)
	if c.Reading() {
		how.setStated(&m.Circumstances)
		*key = hashOf(m.Key)
		l.setRecord(*key, h, &m, day, how)
	}
}

// valid reports whether the decoded parts are consistent, so that counting can
// continue.
func (l *Ledger) valid() bool {
	for _, f := range l.files {
		if int(f.attrs) >= len(l.fileAttrs.values) {
			return false
		}
	}
	for _, m := range l.messageLabels.values {
		if int(m.price) > len(l.prices.values) || int(m.attribution) > len(l.attributions.values) {
			return false
		}
	}
	for _, h := range l.held.All() {
		if int(h.labels) >= len(l.messageLabels.values) || int(h.miss.reason) >= len(MissReasons) {
			return false
		}
	}
	for _, o := range l.orphans {
		if int(o.labels) >= len(l.messageLabels.values) {
			return false
		}
	}
	return l.live.valid(len(l.fileAttrs.values)) && l.zeroFirst.valid(l.tables)
}

// index rebuilds the derived fields, which are not saved.
func (l *Ledger) index() {
	l.applyLimits()
	l.live.index()
	clear(l.names)
	for i := range l.labels {
		l.labels[i].latest = ""
	}
	for i := range l.tables {
		l.tables[i].index()
	}
}

// Code visits the options. Unknown fields are not kept: at its start a daemon applies
// its configuration.
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
	codec.Optional(c, 7, &o.Prices, codePriceTable)
	codec.Int(c, 8, &o.FineHistory)
}

// HasOptions reports whether the ledger has exactly these options.
func (l *Ledger) HasOptions(o Options) bool { return bytes.Equal(l.opts.encoded(), o.encoded()) }

func (o *Options) encoded() []byte {
	c := codec.NewWriter(nil)
	o.Code(c)
	return c.Bytes()
}

// Code visits the fields of f.
func (f *File) Code(c *codec.Coder) {
	codec.Uint(c, 1, &f.ID)
	codec.String(c, 2, &f.Kind)
	codec.Fixed64(c, 3, &f.Name)
	codec.String(c, 4, &f.Source)
	codec.String(c, 5, &f.AgentType)
	codec.Int(c, 6, &f.Opened)
}

func codeFile(c *codec.Coder, id *FileID, f *fileState) {
	codec.Uint(c, 1, id)
	codec.Fixed32(c, 2, &f.name)
	codec.Fixed32(c, 3, &f.session)
	codec.Fixed64(c, 4, &f.message)
	codec.Uint(c, 5, &f.attrs)
	codec.Fixed32(c, 6, &f.queueOp)
	codec.Uint(c, 7, &f.queueRepeats)
	for bit := range 8 {
		flag := fileFlags(1) << bit
		set := f.is(flag)
		codec.Bool(c, 8+codec.Number(bit), &set)
		f.set(flag, set)
	}
	codec.Uint(c, 16, &f.began)
	codec.Uint(c, 17, &f.latest)
	codeLastRequest(c, 20, &f.request)
	codec.Uint(c, 35, &f.mode)
}

func codeFileAttrs(c *codec.Coder, a *fileAttrs) {
	codec.String(c, 1, &a.project)
	codec.String(c, 2, &a.source)
	codec.String(c, 3, &a.kind)
	codec.String(c, 40, &a.agentType)
}

func codeMessageLabels(c *codec.Coder, m *messageLabels) {
	codec.String(c, 1, &m.model)
	codec.String(c, 2, &m.project)
	codec.String(c, 3, &m.agent)
	codec.String(c, 4, &m.source)
	codec.Uint(c, 5, &m.price)
	codec.Uint(c, 8, &m.attribution)
	codec.Bool(c, 12, &m.timed)
}

func codeToolLabels(c *codec.Coder, t *toolLabels) {
	codec.String(c, 1, &t.tool)
	codec.String(c, 2, &t.mcpServer)
}

func codeOrphan(c *codec.Coder, key *hash64, o *orphan) {
	codeResult(c, &o.result)
	codec.Int(c, 101, &o.time)
	codec.Int(c, 102, &o.when)
	codec.Uint(c, 103, &o.labels)
	codec.Uint(c, 104, &o.file)
	codeHash(c, 105, &o.session)
	if c.Reading() {
		*key = hashOf(o.result.Key)
	}
}

func codeKeysOfFile(c *codec.Coder, f *FileID, keys *[]transcript.Key) {
	codec.Uint(c, 1, f)
	codec.Fixed64s(c, 2, keys)
}
