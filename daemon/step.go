package daemon

import (
	"github.com/ccwatchd/ccwatchd/codec"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A step is one change of the state. Steps are values: applied in the same
// order they give the same state.
type step interface {
	kind() stepKind
	apply(*state)
	code(*codec.Coder)
}

// A stepKind tells steps apart in the journal. It is a field number: never changed, and
// never used again. What a kind means does not change either, since journals of
// older versions are repeated by newer ones: a step that means something else is
// another kind.
type stepKind codec.Number

const (
	kindOpen stepKind = iota + 1
	kindRead
	kindReset
	kindQuiet
	kindGone
	kindForget
	kindConfigure
	kindSettle
	kindRelease
)

// ignorable is the field of a step by which versions that do not know its kind see
// that they may skip it. They refuse to repeat any other: they would count wrongly.
const ignorable codec.Number = 1000

// stepKinds are all kinds of steps.
var stepKinds = [...]struct {
	empty     func() step
	ignorable bool // nothing that is counted depends on it
}{
	kindOpen:      {empty: func() step { return new(openStep) }},
	kindRead:      {empty: func() step { return new(readStep) }},
	kindReset:     {empty: func() step { return new(resetStep) }},
	kindQuiet:     {empty: func() step { return new(quietStep) }},
	kindGone:      {empty: func() step { return new(goneStep) }},
	kindForget:    {empty: func() step { return new(forgetStep) }},
	kindConfigure: {empty: func() step { return new(configureStep) }},
	kindSettle:    {empty: func() step { return new(settleStep) }},
	kindRelease:   {empty: func() step { return new(releaseStep) }},
}

// newStep returns an empty step of a kind, nil if there is no such kind.
func newStep(k stepKind) step {
	if int(k) >= len(stepKinds) || stepKinds[k].empty == nil {
		return nil
	}
	return stepKinds[k].empty()
}

// encodeStep returns the step as it stands in the journal: a message in which the
// field with the number of the kind is the step.
func encodeStep(s step, buf []byte) []byte {
	c := codec.NewWriter(buf)
	k := s.kind()
	skip := stepKinds[k].ignorable
	codec.Always(c, codec.Number(k), &s, codeStep)
	codec.Bool(c, ignorable, &skip)
	return c.Bytes()
}

func codeStep(c *codec.Coder, s *step) { (*s).code(c) }

// decodeStep returns a step of the journal, nil if it is of a kind that this version
// does not know and may skip.
func decodeStep(b []byte) (step, error) {
	c := codec.NewReader(b)
	k := stepKind(c.Next())
	s := newStep(k)
	var skip bool
	if s != nil {
		c.Closed()
		codec.Always(c, codec.Number(k), &s, codeStep)
		codec.Bool(c, ignorable, &skip)
		return s, c.Done()
	}
	if codec.Bool(c, ignorable, &skip); k == 0 {
		c.Fail()
	}
	if !skip && c.Done() == nil {
		c.Unsupported("step of kind %d", k)
	}
	return nil, c.Done()
}

// An openStep makes a file known, or tells that it is elsewhere now.
type openStep struct {
	file     ledger.File
	path     transcript.Key // digest of where it is
	identity tailer.ID
	modified int64 // nanoseconds since the epoch
}

func (*openStep) kind() stepKind { return kindOpen }

func (s *openStep) apply(to *state) {
	to.files.put(s.file.ID, s.path, s.identity).modified = s.modified
	to.next = max(to.next, s.file.ID+1)
	to.ledger.Open(s.file)
}

func (s *openStep) code(c *codec.Coder) {
	codec.Message(c, 1, &s.file, func(c *codec.Coder, f *ledger.File) { f.Code(c) })
	codec.Fixed64(c, 2, &s.path)
	codeIdentity(c, 3, &s.identity)
	codec.Int(c, 5, &s.modified)
}

// A readStep is some lines of a file, and where it was read to.
type readStep struct {
	batch    ledger.Batch
	mark     tailer.Mark
	modified int64 // nanoseconds since the epoch
	// settle: somebody looks at the counters while this is read.
	settle bool
}

func (*readStep) kind() stepKind { return kindRead }

func (s *readStep) apply(to *state) {
	to.ledger.Read(&s.batch)
	if s.settle {
		to.ledger.Settle()
	}
	if f := to.files.get(s.batch.File); f != nil {
		f.mark, f.modified = s.mark, s.modified
	}
}

func (s *readStep) code(c *codec.Coder) {
	codec.Message(c, 1, &s.batch, func(c *codec.Coder, b *ledger.Batch) { b.Code(c) })
	codeMark(c, 2, &s.mark)
	codec.Int(c, 7, &s.modified)
	codec.Bool(c, 8, &s.settle)
}

// A resetStep begins a file anew.
type resetStep struct {
	id     ledger.FileID
	reason string
	now    int64
}

func (*resetStep) kind() stepKind { return kindReset }

func (s *resetStep) apply(to *state) {
	to.ledger.Reset(s.id, s.reason, s.now)
	if f := to.files.get(s.id); f != nil {
		f.mark = tailer.Mark{}
	}
}

func (s *resetStep) code(c *codec.Coder) {
	codec.Uint(c, 1, &s.id)
	codec.String(c, 2, &s.reason)
	codec.Int(c, 3, &s.now)
}

// A quietStep says that nothing more is expected from a file for now.
type quietStep struct {
	id  ledger.FileID
	now int64
}

func (*quietStep) kind() stepKind        { return kindQuiet }
func (s *quietStep) apply(to *state)     { to.ledger.Quiet(s.id, s.now) }
func (s *quietStep) code(c *codec.Coder) { codec.Uint(c, 1, &s.id); codec.Int(c, 2, &s.now) }

// A goneStep says that a file was not found any more.
type goneStep struct {
	id  ledger.FileID
	now int64
}

func (*goneStep) kind() stepKind        { return kindGone }
func (s *goneStep) code(c *codec.Coder) { codec.Uint(c, 1, &s.id); codec.Int(c, 2, &s.now) }

func (s *goneStep) apply(to *state) {
	to.files.lose(s.id, s.now)
	to.ledger.Gone(s.id)
}

// A forgetStep drops files that have been gone for long, and what only they
// could repeat.
type forgetStep struct {
	ids []ledger.FileID
	now int64
}

func (*forgetStep) kind() stepKind { return kindForget }

func (s *forgetStep) apply(to *state) {
	to.ledger.Forget(s.ids, s.now)
	to.files.forget(s.ids)
}

func (s *forgetStep) code(c *codec.Coder) {
	codec.Uints(c, 1, &s.ids)
	codec.Int(c, 2, &s.now)
}

// A releaseStep exposes the values of the series up to a number.
type releaseStep struct{ upTo uint64 }

func (*releaseStep) kind() stepKind        { return kindRelease }
func (s *releaseStep) apply(to *state)     { to.ledger.Release(s.upTo) }
func (s *releaseStep) code(c *codec.Coder) { codec.Uint(c, 1, &s.upTo) }

// A configureStep puts other options in force.
type configureStep struct{ options ledger.Options }

func (*configureStep) kind() stepKind        { return kindConfigure }
func (s *configureStep) apply(to *state)     { to.ledger.Configure(s.options) }
func (s *configureStep) code(c *codec.Coder) { s.options.Code(c) }

// A settleStep counts what was held back while nobody looked.
type settleStep struct{}

func (*settleStep) kind() stepKind    { return kindSettle }
func (*settleStep) apply(to *state)   { to.ledger.Settle() }
func (*settleStep) code(*codec.Coder) {}
