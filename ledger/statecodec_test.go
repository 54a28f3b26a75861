package ledger

import (
	"errors"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/state/codec"
)

// FuzzCode reads a ledger from any bytes and applies steps to it.
func FuzzCode(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(encode(apply(New(testOptions(), birth), newReplayer(seed, seed).randomSteps(20))), seed)
	}
	f.Fuzz(func(_ *testing.T, b []byte, seed uint64) {
		l := New(Options{}, 0)
		if decode(l, b) != nil {
			return
		}
		apply(l, newReplayer(seed, seed).randomSteps(20)).Snapshot(birth)
	})
}

// FuzzBatch reads a batch from any bytes and counts it.
func FuzzBatch(f *testing.F) {
	r := newReplayer(1, 1)
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

// Inconsistent state is refused when it is read.
func TestInvalidState(t *testing.T) {
	slots := func(l *Ledger) *agentSlots {
		for _, s := range l.copies.agents {
			return s
		}
		return nil
	}
	for _, tt := range []struct {
		name  string
		spoil func(*Ledger)
		want  error
	}{
		{"valid", func(*Ledger) {}, nil},
		{"a message without its labels", func(l *Ledger) { l.messageLabels = interner[messageLabels]{} }, codec.ErrCorrupt},
		{"labels without their price", func(l *Ledger) { l.messageLabels.values[0].price = 2 }, codec.ErrCorrupt},
		{"a histogram with fewer buckets", func(l *Ledger) { l.tables[turnDuration].Buckets = nil }, codec.ErrCorrupt},
		{"a series with fewer labels", func(l *Ledger) { l.tables[tokens].at(0, "", []string{"input"}) }, codec.ErrCorrupt},
		{"more released than exposed", func(l *Ledger) { l.zeroFirst.released++ }, codec.ErrCorrupt},
		{"more exposed than created", func(l *Ledger) { l.zeroFirst.exposed++ }, codec.ErrCorrupt},
		{"a number that is too large", func(l *Ledger) {
			l.add(sessions, 1, birth, "", "p")
			l.zeroFirst.newest--
		}, codec.ErrCorrupt},
		{"files in a group", func(l *Ledger) { l.groups.join(2, 1) }, nil},
		{"a file in a group without its root", func(l *Ledger) { l.unknown.ledger = []byte{0x32, 1, 5} }, codec.ErrCorrupt},
		{"a file without its attributes", func(l *Ledger) { l.files[9] = fileState{attrs: 100} }, codec.ErrCorrupt},
		{"a held message without its labels", func(l *Ledger) {
			l.held.Put(5, heldMessage{outcome: l.outcomes.id(outcome{}), labels: 100})
		}, codec.ErrCorrupt},
		{"a held message with an unknown reason", func(l *Ledger) {
			l.held.Put(5, heldMessage{outcome: l.outcomes.id(outcome{}), miss: missContext{reason: modelChange + 1}})
		}, codec.ErrCorrupt},
		{"a side chain of a file that is not known", func(l *Ledger) { l.sideRequests[99] = lastRequest{} }, nil},
		{"an orphan without its labels", func(l *Ledger) { l.orphans[5] = orphan{labels: 100} }, codec.ErrCorrupt},
		{"an unknown family", func(l *Ledger) { l.tables[tokens].Name = "other" }, nil},
		{"a repeated family", func(l *Ledger) { l.tables[tokens].Name = l.tables[requests].Name }, codec.ErrCorrupt},
		{"a family of another type", func(l *Ledger) { l.tables[tokens].Type = counters.Gauge }, codec.ErrUnsupported},
		{"sessions without details", func(l *Ledger) { clear(l.live.details) }, nil},
		{"details of an inactive session", func(l *Ledger) { l.live.details[5] = &liveSession{} }, codec.ErrCorrupt},
		{"details without a session", func(l *Ledger) { l.live.details[0] = &liveSession{} }, codec.ErrCorrupt},
		{"a session without its attributes", func(l *Ledger) { l.live.active.Put(5, activity{attrs: 100}) }, codec.ErrCorrupt},
		{"a vacant slot", func(l *Ledger) { slots(l).count++ }, nil},
		{"more holders than slots", func(l *Ledger) { slots(l).count-- }, codec.ErrCorrupt},
		{"a present holder that is a missing file", func(l *Ledger) { slots(l).markPresent(11) }, codec.ErrCorrupt},
		{"a missing holder that is a present file", func(l *Ledger) { slots(l).markMissing(12) }, codec.ErrCorrupt},
		{"a file with two slots", func(l *Ledger) { slots(l).missing = append(slots(l).missing, 11) }, codec.ErrCorrupt},
		{"a holder that is not known", func(l *Ledger) { slots(l).remove(12); slots(l).holders[19] = 0 }, codec.ErrCorrupt},
		{"a turn without its attributes", func(l *Ledger) { l.turns[1] = &openTurn{attrs: 100} }, codec.ErrCorrupt},
		{"a turn with an unknown outcome", func(l *Ledger) { l.turns[1] = &openTurn{outcome: ends + 1} }, codec.ErrCorrupt},
		{"a turn of a file that is not known", func(l *Ledger) { l.turns[99] = &openTurn{} }, nil},
		{"a charge without a message", func(l *Ledger) { l.charges[0] = charge{} }, codec.ErrCorrupt},
		{"a charge of a message that is not known", func(l *Ledger) { l.charges[5] = charge{} }, nil},
		{"totals of a session", func(l *Ledger) { l.totals.Add(5, sessionTotals{labels: uint32(len(l.messageLabels.values))}) }, nil},
		{"totals without their attributes", func(l *Ledger) { l.totals.Add(5, sessionTotals{attrs: 100}) }, codec.ErrCorrupt},
		{"totals without their labels", func(l *Ledger) { l.totals.Add(5, sessionTotals{labels: 100}) }, codec.ErrCorrupt},
		{"slots without an agent", func(l *Ledger) { l.copies.agents[0] = &agentSlots{} }, codec.ErrCorrupt},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newWith(finalMessage, `{"type":"system","subtype":"turn_duration","durationMs":2000,"uuid":"1"}`)
			l.AddBatch(inSession("s", birth, birth))
			agentsFound(l, 11, 3)
			for i := range FileID(3) {
				l.FinalizeFile(11+i, birth)
			}
			l.MarkMissing(11)
			l.Settle()
			releaseAll(l)
			tt.spoil(l)
			if err := decode(New(Options{}, 0), encode(l)); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

// Truncated state is refused, except for a cut between two fields of the ledger: only
// the checksum of the snapshot shows that fields are missing at its end.
func TestTruncatedState(t *testing.T) {
	r := newReplayer(1, 1)
	b := encode(apply(New(testOptions(), birth), r.randomSteps(40)))
	whole := map[int]bool{0: true}
	for at := 0; at < len(b); {
		_, _, size := protowire.ConsumeField(b[at:])
		at += size
		whole[at] = true
	}
	for cut := 0; cut < len(b); cut += 1 + len(b)/500 {
		if err := decode(New(Options{}, 0), b[:cut]); !errors.Is(err, codec.ErrCorrupt) && !whole[cut] {
			t.Fatalf("cut at %d of %d: got %v, want %v", cut, len(b), err, codec.ErrCorrupt)
		}
	}
}
