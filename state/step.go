package state

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
	apply(*fold)
	code(*codec.Coder)
}

// A stepKind identifies the type of a step in the journal. It is a field number: it is
// never changed and never reused. Its meaning does not change either, since newer
// versions replay the journals of older ones: a step that means something else gets
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

// ignorable is the field that allows versions that do not know the kind of a step to
// skip the step. They refuse to replay any other: they would count wrongly.
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

// encodeStep returns the step as it is written to the journal: a message in which the
// field with the number of its kind holds the step.
func encodeStep(s step, buf []byte) []byte {
	c := codec.NewWriter(buf)
	k := s.kind()
	skip := stepKinds[k].ignorable
	codec.Required(c, codec.Number(k), &s, codeStep)
	codec.Bool(c, ignorable, &skip)
	return c.Bytes()
}

func codeStep(c *codec.Coder, s *step) { (*s).code(c) }

// decodeStep returns a step of the journal; nil if this version does not know its kind
// and may skip it.
func decodeStep(b []byte) (step, error) {
	c := codec.NewReader(b)
	k := stepKind(c.Next())
	s := newStep(k)
	var skip bool
	if s != nil {
		c.Closed()
		codec.Required(c, codec.Number(k), &s, codeStep)
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

// An openStep adds a file, or updates where it is.
type openStep struct {
	file     ledger.File
	path     transcript.Key // digest of its path
	identity tailer.ID
	modified int64 // nanoseconds since the epoch
}

func (*openStep) kind() stepKind { return kindOpen }

func (s *openStep) apply(to *fold) {
	to.files.put(s.file.ID, s.path, s.identity).Modified = s.modified
	to.nextID = max(to.nextID, s.file.ID+1)
	to.ledger.Open(s.file)
}

func (s *openStep) code(c *codec.Coder) {
	codec.Message(c, 1, &s.file, func(c *codec.Coder, f *ledger.File) { f.Code(c) })
	codec.Fixed64(c, 2, &s.path)
	codeIdentity(c, 3, &s.identity)
	codec.Int(c, 5, &s.modified)
}

// A readStep is a batch of entries of a file, and how far the file was read.
type readStep struct {
	batch    ledger.Batch
	mark     tailer.Fingerprint
	modified int64 // nanoseconds since the epoch
	// settle: the counters are served while this is read.
	settle bool
}

func (*readStep) kind() stepKind { return kindRead }

func (s *readStep) apply(to *fold) {
	to.ledger.AddBatch(&s.batch)
	if s.settle {
		to.ledger.Settle()
	}
	if f := to.files.get(s.batch.File); f != nil {
		f.Mark, f.Modified = s.mark, s.modified
	}
}

func (s *readStep) code(c *codec.Coder) {
	codec.Message(c, 1, &s.batch, func(c *codec.Coder, b *ledger.Batch) { b.Code(c) })
	codeMark(c, 2, &s.mark)
	codec.Int(c, 7, &s.modified)
	codec.Bool(c, 8, &s.settle)
}

// A resetStep has a file read from its beginning.
type resetStep struct {
	id     ledger.FileID
	reason string
	now    int64
}

func (*resetStep) kind() stepKind { return kindReset }

func (s *resetStep) apply(to *fold) {
	to.ledger.Reset(s.id, s.reason, s.now)
	if f := to.files.get(s.id); f != nil {
		f.Mark = tailer.Fingerprint{}
	}
}

func (s *resetStep) code(c *codec.Coder) {
	codec.Uint(c, 1, &s.id)
	codec.String(c, 2, &s.reason)
	codec.Int(c, 3, &s.now)
}

// A quietStep counts what is pending in a file: nothing more is expected for now.
type quietStep struct {
	id  ledger.FileID
	now int64
}

func (*quietStep) kind() stepKind        { return kindQuiet }
func (s *quietStep) apply(to *fold)      { to.ledger.FinalizeFile(s.id, s.now) }
func (s *quietStep) code(c *codec.Coder) { codec.Uint(c, 1, &s.id); codec.Int(c, 2, &s.now) }

// A goneStep says that a file was not found.
type goneStep struct {
	id  ledger.FileID
	now int64
}

func (*goneStep) kind() stepKind        { return kindGone }
func (s *goneStep) code(c *codec.Coder) { codec.Uint(c, 1, &s.id); codec.Int(c, 2, &s.now) }

func (s *goneStep) apply(to *fold) {
	to.files.lose(s.id, s.now)
	to.ledger.MarkMissing(s.id)
}

// A forgetStep drops files that have been missing for long, and the keys that only
// they could repeat.
type forgetStep struct {
	ids []ledger.FileID
	now int64
}

func (*forgetStep) kind() stepKind { return kindForget }

func (s *forgetStep) apply(to *fold) {
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
func (s *releaseStep) apply(to *fold)      { to.ledger.Release(s.upTo) }
func (s *releaseStep) code(c *codec.Coder) { codec.Uint(c, 1, &s.upTo) }

// A configureStep puts other options in force.
type configureStep struct{ options ledger.Options }

func (*configureStep) kind() stepKind        { return kindConfigure }
func (s *configureStep) apply(to *fold)      { to.ledger.Configure(s.options) }
func (s *configureStep) code(c *codec.Coder) { s.options.Code(c) }

// A settleStep counts the messages that were held back while catching up.
type settleStep struct{}

func (*settleStep) kind() stepKind    { return kindSettle }
func (*settleStep) apply(to *fold)    { to.ledger.Settle() }
func (*settleStep) code(*codec.Coder) {}
