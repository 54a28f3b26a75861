package daemon

import (
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/wire"
)

// A step is one change of the state. Steps are values: applied in the same
// order they give the same state.
type step interface {
	kind() stepKind
	apply(*state)
	code(*wire.Coder)
}

// A stepKind tells steps apart in the journal; its numbers must not change.
type stepKind uint8

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

func newStep(k stepKind) step {
	switch k {
	case kindOpen:
		return new(openStep)
	case kindRead:
		return new(readStep)
	case kindReset:
		return new(resetStep)
	case kindQuiet:
		return new(quietStep)
	case kindGone:
		return new(goneStep)
	case kindForget:
		return new(forgetStep)
	case kindConfigure:
		return new(configureStep)
	case kindSettle:
		return new(settleStep)
	case kindRelease:
		return new(releaseStep)
	}
	return nil
}

// encodeStep returns the step as it stands in the journal.
func encodeStep(s step, buf []byte) []byte {
	c := wire.NewWriter(buf)
	k := s.kind()
	wire.Uint(c, &k)
	s.code(c)
	return c.Bytes()
}

func decodeStep(b []byte) (step, error) {
	c := wire.NewReader(b)
	var k stepKind
	wire.Uint(c, &k)
	s := newStep(k)
	if s == nil {
		return nil, wire.ErrCorrupt
	}
	s.code(c)
	return s, c.Done()
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

func (s *openStep) code(c *wire.Coder) {
	s.file.Code(c)
	c.Fixed(s.path[:])
	codeIdentity(c, &s.identity)
	c.Int(&s.modified)
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

func (s *readStep) code(c *wire.Coder) {
	s.batch.Code(c)
	codeMark(c, &s.mark)
	c.Int(&s.modified)
	c.Bool(&s.settle)
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

func (s *resetStep) code(c *wire.Coder) {
	wire.Uint(c, &s.id)
	wire.String(c, &s.reason)
	c.Int(&s.now)
}

// A quietStep says that nothing more is expected from a file for now.
type quietStep struct {
	id  ledger.FileID
	now int64
}

func (*quietStep) kind() stepKind       { return kindQuiet }
func (s *quietStep) apply(to *state)    { to.ledger.Quiet(s.id, s.now) }
func (s *quietStep) code(c *wire.Coder) { wire.Uint(c, &s.id); c.Int(&s.now) }

// A goneStep says that a file was not found any more.
type goneStep struct {
	id  ledger.FileID
	now int64
}

func (*goneStep) kind() stepKind       { return kindGone }
func (s *goneStep) code(c *wire.Coder) { wire.Uint(c, &s.id); c.Int(&s.now) }

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

func (s *forgetStep) code(c *wire.Coder) {
	wire.Slice(c, &s.ids, wire.Uint)
	c.Int(&s.now)
}

// A releaseStep exposes the values of the series up to a number.
type releaseStep struct{ upTo uint64 }

func (*releaseStep) kind() stepKind       { return kindRelease }
func (s *releaseStep) apply(to *state)    { to.ledger.Release(s.upTo) }
func (s *releaseStep) code(c *wire.Coder) { wire.Uint(c, &s.upTo) }

// A configureStep puts other options in force.
type configureStep struct{ options ledger.Options }

func (*configureStep) kind() stepKind       { return kindConfigure }
func (s *configureStep) apply(to *state)    { to.ledger.Configure(s.options) }
func (s *configureStep) code(c *wire.Coder) { s.options.Code(c) }

// A settleStep counts what was held back while nobody looked.
type settleStep struct{}

func (*settleStep) kind() stepKind   { return kindSettle }
func (*settleStep) apply(to *state)  { to.ledger.Settle() }
func (*settleStep) code(*wire.Coder) {}
