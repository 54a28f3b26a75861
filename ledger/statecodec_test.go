package ledger

import (
	"errors"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ccwatchd/ccwatchd/codec"
)

// FuzzCode reads a ledger from any bytes, and goes on with what it got.
func FuzzCode(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(encode(apply(New(testOptions(), birth), newReplayer(generateSessions(seed), seed, seed).randomSteps(20))), seed)
	}
	f.Fuzz(func(_ *testing.T, b []byte, seed uint64) {
		l := New(Options{}, 0)
		c := codec.NewReader(b)
		if l.Code(c); c.Done() != nil {
			return
		}
		apply(l, newReplayer(generateSessions(seed), seed, seed).randomSteps(20)).Snapshot(birth)
	})
}

// FuzzBatch reads a batch from any bytes, and counts what it says.
func FuzzBatch(f *testing.F) {
	r := newReplayer(generateSessions(1), 1, 1)
	for _, file := range r.files {
		c := codec.NewWriter(nil)
		parsed(file.file, file.lines, 0, len(file.lines), r.now).Code(c)
		f.Add(c.Bytes())
	}
	f.Fuzz(func(_ *testing.T, encoded []byte) {
		var b Batch
		c := codec.NewReader(encoded)
		if b.Code(c); c.Done() != nil {
			return
		}
		l := New(testOptions(), birth)
		l.Open(testFile(b.File, "agent-1.jsonl"))
		l.AddBatch(&b)
		l.FinalizeFile(b.File, birth)
		releaseAll(l)
		l.Snapshot(birth)
	})
}

// State that does not fit together is refused, and not found out later.
func TestUnsoundState(t *testing.T) {
	filled := func() *Ledger {
		l := New(testOptions(), birth)
		f := testFile(1, "a.jsonl")
		l.Open(f)
		l.AddBatch(batchOf(f, birth, `{"type":"assistant","message":{"id":"m1","model":"m","stop_reason":"end_turn","usage":{"output_tokens":1}}}`,
			`{"type":"system","subtype":"turn_duration","durationMs":2000,"uuid":"1"}`))
		l.Settle()
		releaseAll(l)
		return l
	}
	for _, tt := range []struct {
		name  string
		spoil func(*Ledger)
		want  error
	}{
		{"sound", func(*Ledger) {}, nil},
		{"a message without its origin", func(l *Ledger) { l.messageLabels = interner[messageLabels]{} }, codec.ErrCorrupt},
		{"a histogram with fewer buckets", func(l *Ledger) { l.tables[turnDuration].Buckets = nil }, codec.ErrCorrupt},
		{"a series with fewer labels", func(l *Ledger) { l.tables[tokens].at(0, "", []string{"input"}) }, codec.ErrCorrupt},
		{"more released than exposed", func(l *Ledger) { l.zeroFirst.released++ }, codec.ErrCorrupt},
		{"more exposed than there are", func(l *Ledger) { l.zeroFirst.exposed++ }, codec.ErrCorrupt},
		{"a number that no series has", func(l *Ledger) {
			l.add(sessions, 1, birth, "", "p")
			l.zeroFirst.newest--
		}, codec.ErrCorrupt},
		{"files in a group", func(l *Ledger) { l.groups.join(2, 1) }, nil},
		{"a file without its place", func(l *Ledger) { l.files[9] = fileState{attrs: 100} }, codec.ErrCorrupt},
		{"a message that is held without its origin", func(l *Ledger) { l.held.Put(5, heldMessage{outcome: l.outcomes.id(outcome{}), labels: 100}) }, codec.ErrCorrupt},
		{"an orphan without its origin", func(l *Ledger) { l.orphans[5] = orphan{labels: 100} }, codec.ErrCorrupt},
		{"a family that is not known", func(l *Ledger) { l.tables[tokens].Name = "other" }, nil},
		{"a family twice", func(l *Ledger) { l.tables[tokens].Name = l.tables[requests].Name }, codec.ErrCorrupt},
		{"a family of another type", func(l *Ledger) { l.tables[tokens].Type = Gauge }, codec.ErrUnsupported},
		{"a file in a group without its root", func(l *Ledger) { l.unknown.ledger = []byte{0x32, 1, 5} }, codec.ErrCorrupt},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := filled()
			tt.spoil(l)
			again := New(Options{}, 0)
			c := codec.NewReader(encode(l))
			if again.Code(c); !errors.Is(c.Done(), tt.want) {
				t.Errorf("got %v, want %v", c.Done(), tt.want)
			}
		})
	}
}

// Truncated state is refused, but for a cut between two fields of the ledger: that
// nothing is missing behind them is for the checksum of the snapshot to say.
func TestTruncatedState(t *testing.T) {
	r := newReplayer(generateSessions(1), 1, 1)
	b := encode(apply(New(testOptions(), birth), r.randomSteps(40)))
	whole := map[int]bool{0: true}
	for at := 0; at < len(b); {
		_, _, size := protowire.ConsumeField(b[at:])
		at += size
		whole[at] = true
	}
	for cut := 0; cut < len(b); cut += 1 + len(b)/500 {
		l := New(Options{}, 0)
		c := codec.NewReader(b[:cut])
		if l.Code(c); !errors.Is(c.Done(), codec.ErrCorrupt) && !whole[cut] {
			t.Fatalf("cut at %d of %d: %v", cut, len(b), c.Done())
		}
	}
}
