package state

import (
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state/codec"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A step is one change of the state. Steps are plain data: applied in the same order
// they give the same state.
type step interface {
	kind() stepKind
	apply(*fold)
	code(*codec.Coder)
}

// A stepKind identifies the type of a step in the journal. It is a field number, so it
// is never changed or reused. Its meaning does not change either, since newer versions
// replay the journals of older ones: a step with another meaning gets another kind.
type stepKind codec.Number

const (
	kindOpen stepKind = iota + 1
	kindBatch
	kindReset
	kindFinalize
	kindMissing
	kindForget
	kindConfigure
	kindSettle
	kindRelease

	kindEndSessions stepKind = 20
)

// ignorable is the field that allows a version to skip a step of an unknown kind. Other
// unknown steps are refused: without them the counters would be wrong.
const ignorable codec.Number = 1000

// stepKinds lists all kinds of steps.
var stepKinds = [...]struct {
	empty     func() step
	ignorable bool // no counter depends on it
}{
	kindOpen:      {empty: func() step { return new(openStep) }},
	kindBatch:     {empty: func() step { return new(batchStep) }},
	kindReset:     {empty: func() step { return new(resetStep) }},
	kindFinalize:  {empty: func() step { return new(finalizeStep) }},
	kindMissing:   {empty: func() step { return new(missingStep) }},
	kindForget:    {empty: func() step { return new(forgetStep) }},
	kindConfigure: {empty: func() step { return new(configureStep) }},
	kindSettle:    {empty: func() step { return new(settleStep) }},
	kindRelease:   {empty: func() step { return new(releaseStep) }},

	kindEndSessions: {empty: func() step { return new(endSessionsStep) }},
}

// newStep returns an empty step of a kind, or nil if the kind is unknown.
func newStep(k stepKind) step {
	if int(k) >= len(stepKinds) || stepKinds[k].empty == nil {
		return nil
	}
	return stepKinds[k].empty()
}

// encodeStep encodes a step for the journal: a message whose field with the number of
// the kind contains the step.
func encodeStep(s step, buf []byte) []byte {
	c := codec.NewWriter(buf)
	k := s.kind()
	skip := stepKinds[k].ignorable
	codec.Required(c, codec.Number(k), &s, codeStep)
	codec.Bool(c, ignorable, &skip)
	return c.Bytes()
}

func codeStep(c *codec.Coder, s *step) { (*s).code(c) }

// decodeStep decodes a step of the journal. It returns nil for an ignorable step of an
// unknown kind.
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

// An openStep adds a file, or changes its path.
type openStep struct {
	file     ledger.File
	path     transcript.Key // digest of the path
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

// A batchStep counts a batch of entries of a file and records how far it was read.
type batchStep struct {
	batch       ledger.Batch
	fingerprint tailer.Fingerprint
	modified    int64 // nanoseconds since the epoch
	settle      bool  // count final messages now: the counters are being served
}

func (*batchStep) kind() stepKind { return kindBatch }

func (s *batchStep) apply(to *fold) {
	to.ledger.AddBatch(&s.batch)
	if s.settle {
		to.ledger.Settle()
	}
	if f := to.files.get(s.batch.File); f != nil {
		f.Fingerprint, f.Modified = s.fingerprint, s.modified
	}
}

func (s *batchStep) code(c *codec.Coder) {
	codec.Message(c, 1, &s.batch, func(c *codec.Coder, b *ledger.Batch) { b.Code(c) })
	codeFingerprint(c, 2, &s.fingerprint)
	codec.Int(c, 7, &s.modified)
	codec.Bool(c, 8, &s.settle)
}

// A resetStep records that a file will be read from its beginning.
type resetStep struct {
	id     ledger.FileID
	reason string
	now    int64
}

func (*resetStep) kind() stepKind { return kindReset }

func (s *resetStep) apply(to *fold) {
	to.ledger.Reset(s.id, s.reason, s.now)
	if f := to.files.get(s.id); f != nil {
		f.Fingerprint = tailer.Fingerprint{}
	}
}

func (s *resetStep) code(c *codec.Coder) {
	codec.Uint(c, 1, &s.id)
	codec.String(c, 2, &s.reason)
	codec.Int(c, 3, &s.now)
}

// A finalizeStep counts the pending messages of a file that is no longer written.
type finalizeStep struct {
	id  ledger.FileID
	now int64
}

func (*finalizeStep) kind() stepKind        { return kindFinalize }
func (s *finalizeStep) apply(to *fold)      { to.ledger.FinalizeFile(s.id, s.now) }
func (s *finalizeStep) code(c *codec.Coder) { codec.Uint(c, 1, &s.id); codec.Int(c, 2, &s.now) }

// A missingStep records that a walk did not find a file.
type missingStep struct {
	id  ledger.FileID
	now int64
}

func (*missingStep) kind() stepKind        { return kindMissing }
func (s *missingStep) code(c *codec.Coder) { codec.Uint(c, 1, &s.id); codec.Int(c, 2, &s.now) }

func (s *missingStep) apply(to *fold) {
	to.files.setMissing(s.id, s.now)
	to.ledger.MarkMissing(s.id)
}

// A forgetStep drops files that have been missing for long, and the dedup keys that
// only they could repeat.
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

// A releaseStep exposes the values of all series up to a number.
type releaseStep struct{ upTo uint64 }

func (*releaseStep) kind() stepKind        { return kindRelease }
func (s *releaseStep) apply(to *fold)      { to.ledger.Release(s.upTo) }
func (s *releaseStep) code(c *codec.Coder) { codec.Uint(c, 1, &s.upTo) }

// A configureStep changes the options of the ledger.
type configureStep struct{ options ledger.Options }

func (*configureStep) kind() stepKind        { return kindConfigure }
func (s *configureStep) apply(to *fold)      { to.ledger.Configure(s.options) }
func (s *configureStep) code(c *codec.Coder) { s.options.Code(c) }

// A settleStep counts the messages that were held back while catching up.
type settleStep struct{}

func (*settleStep) kind() stepKind    { return kindSettle }
func (*settleStep) apply(to *fold)    { to.ledger.Settle() }
func (*settleStep) code(*codec.Coder) {}

// An endSessionsStep observes the sessions that have been quiet for a day, and counts
// the runs of sub-agents that have waited for as long.
type endSessionsStep struct{ now int64 }

func (*endSessionsStep) kind() stepKind        { return kindEndSessions }
func (s *endSessionsStep) apply(to *fold)      { to.ledger.EndSessions(s.now) }
func (s *endSessionsStep) code(c *codec.Coder) { codec.Int(c, 1, &s.now) }
