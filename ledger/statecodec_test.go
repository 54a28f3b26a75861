package ledger

import (
	"errors"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/table"
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

// spoilable returns a ledger with rows in many tables: a sub-agent, agent, has three
// slots. Their holders are the files 11, which is missing, 12 and 13.
func spoilable() (l *Ledger, agent hash64) {
	l = newWith(finalMessage, `{"type":"system","subtype":"turn_duration","durationMs":2000,"uuid":"1"}`)
	l.AddBatch(inSession("s", birth, birth))
	agentsFound(l, 11, 3)
	for i := range FileID(3) {
		l.FinalizeFile(11+i, birth)
	}
	l.MarkMissing(11)
	l.Settle()
	for agent = range l.agents.slots.agents {
		break
	}
	return l, agent
}

// Inconsistent state is refused when it is read.
func TestInvalidState(t *testing.T) {
	const corrupt, valid = false, true
	for _, tt := range []struct {
		name  string
		spoil func(l *Ledger, agent hash64)
		want  bool
	}{
		{"nothing", func(*Ledger, hash64) {}, valid},
		{"a file in a group", func(l *Ledger, _ hash64) { l.groups.join(2, 1) }, valid},
		{"a group that loops", func(l *Ledger, _ hash64) { l.groups.parents.Put(1, 1) }, corrupt},
		{"a file without its attributes", func(l *Ledger, _ hash64) { l.files.Put(9, fileState{attrs: 100}) }, corrupt},
		{"labels without their price", func(l *Ledger, _ hash64) { l.labelSets.ID(messageLabels{price: 2}) }, corrupt},
		{"labels without their attribution", func(l *Ledger, _ hash64) { l.labelSets.ID(messageLabels{attribution: 7}) }, corrupt},
		{"a held message", func(l *Ledger, _ hash64) {
			l.messages.held.Put(5, heldMessage{details: l.messages.details.ID(recordDetails{model: "m"})})
		}, valid},
		{"a held message without its labels", func(l *Ledger, _ hash64) {
			l.messages.held.Put(5, heldMessage{details: l.messages.details.ID(recordDetails{}), labels: 100})
		}, corrupt},
		{"a held message with an unknown reason", func(l *Ledger, _ hash64) {
			l.messages.held.Put(5, heldMessage{details: l.messages.details.ID(recordDetails{}), miss: missContext{reason: toolsChange + 1}})
		}, corrupt},
		{"a message without its labels", func(l *Ledger, _ hash64) { l.messages.counted.Put(5, countedMessage{labels: 100}) }, corrupt},
		{"a charge of a message that is not known", func(l *Ledger, _ hash64) { l.messages.charges.Put(5, charge{}) }, valid},
		{"a message that waits for a price and is not known", func(l *Ledger, _ hash64) { l.messages.unpriced.Put(5, unpricedMessage{}) }, corrupt},
		{"a message that waits and has a price", func(l *Ledger, _ hash64) {
			l.messages.unpricedRequests.ID(unpricedRequest{})
			l.messages.counted.Put(5, countedMessage{labels: l.labelSets.ID(messageLabels{})})
			l.messages.unpriced.Put(5, unpricedMessage{})
		}, corrupt},
		{"a message without its request", func(l *Ledger, _ hash64) {
			id := priceID(l.messages.known.ID(pricing.Price{Unknown: true}) + 1)
			l.messages.counted.Put(5, countedMessage{labels: l.labelSets.ID(messageLabels{price: id})})
			l.messages.unpriced.Put(5, unpricedMessage{request: 1})
		}, corrupt},
		{"a call without its labels", func(l *Ledger, _ hash64) { partOf[*tools](l).calls.Put(5, toolCall{labels: 100, state: callOnly}) }, corrupt},
		{"a search without its labels", func(l *Ledger, _ hash64) { partOf[*tools](l).searches.calls.Put(5, searchCall{labels: 100}) }, corrupt},
		{"an orphan without its labels", func(l *Ledger, _ hash64) { partOf[*tools](l).orphans.Put(5, orphan{labels: 100}) }, corrupt},
		{"a side chain of a file that is not known", func(l *Ledger, _ hash64) { partOf[*lastRequests](l).sideRequests.Put(99, lastRequest{}) }, valid},
		{"a turn without its attributes", func(l *Ledger, _ hash64) { partOf[*turns](l).open.Put(1, openTurn{attrs: 100}) }, corrupt},
		{"a turn of a file that is not known", func(l *Ledger, _ hash64) { partOf[*turns](l).open.Put(99, openTurn{}) }, valid},
		{"totals of a session", func(l *Ledger, _ hash64) {
			l.sessions.totals.Put(5, sessionTotals{model: uint32(l.sessions.models.Len())})
		}, valid},
		{"totals without their attributes", func(l *Ledger, _ hash64) { l.sessions.totals.Put(5, sessionTotals{attrs: 100}) }, corrupt},
		{"totals without their model", func(l *Ledger, _ hash64) { l.sessions.totals.Put(5, sessionTotals{model: 100}) }, corrupt},
		{"totals without their interval", func(l *Ledger, _ hash64) { l.sessions.totals.Put(5, sessionTotals{interval: 7}) }, corrupt},
		{"an interval of no session", func(l *Ledger, _ hash64) { l.sessions.used.Put(5, sessionInterval{}) }, corrupt},
		{"an interval that follows itself", func(l *Ledger, _ hash64) {
			l.sessions.totals.Put(5, sessionTotals{interval: 7})
			l.sessions.used.Put(intervalKey(5, 7), sessionInterval{previous: 7})
		}, corrupt},
		{"an interval of two sessions", func(l *Ledger, _ hash64) {
			l.sessions.totals.Put(5, sessionTotals{interval: 7})
			l.sessions.used.Put(intervalKey(5, 7), sessionInterval{previous: 8})
			l.sessions.totals.Put(6, sessionTotals{interval: 8})
			l.sessions.used.Put(intervalKey(6, 8), sessionInterval{})
		}, corrupt},
		{"a vacant slot", func(l *Ledger, agent hash64) { l.agents.slots.counts.Put(agent, 4) }, valid},
		{"more holders than slots", func(l *Ledger, agent hash64) { l.agents.slots.counts.Put(agent, 2) }, corrupt},
		{"holders without slots", func(l *Ledger, agent hash64) { l.agents.slots.counts.Delete(agent) }, corrupt},
		{"a present holder that is a missing file", func(l *Ledger, _ hash64) { l.agents.slots.markPresent(11) }, corrupt},
		{"a missing holder that is a present file", func(l *Ledger, _ hash64) { l.agents.slots.markMissing(12) }, corrupt},
		{"two holders at one position", func(l *Ledger, agent hash64) {
			l.agents.slots.holders.Put(slotKey{A: agent, B: 12}, 1)
		}, corrupt},
		{"a holder at a position beyond the end", func(l *Ledger, agent hash64) {
			l.agents.slots.holders.Put(slotKey{A: agent, B: 11}, 2)
		}, corrupt},
		{"a holder that is not known", func(l *Ledger, agent hash64) {
			l.agents.slots.remove(agent, 12)
			l.agents.slots.holders.Put(slotKey{A: agent, B: 19}, 0)
		}, corrupt},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, agent := spoilable()
			tt.spoil(l, agent)
			err := decode(New(Options{}, 0), encode(l))
			if tt.want == valid && err != nil || tt.want == corrupt && !errors.Is(err, table.ErrCorrupt) {
				t.Errorf("got %v, want it to be valid: %t", err, tt.want)
			}
		})
	}
}

// Frames that leave an inconsistent state are refused, too.
func TestInvalidFrames(t *testing.T) {
	for name, spoil := range map[string]func(l *Ledger, agent hash64){
		"": func(l *Ledger, _ hash64) { l.groups.join(2, 1) },
		"a file without its attributes": func(l *Ledger, _ hash64) {
			l.files.Put(9, fileState{attrs: 100})
		},
		"a turn without its attributes": func(l *Ledger, _ hash64) { partOf[*turns](l).open.Put(1, openTurn{attrs: 100}) },
		"a message without its labels":  func(l *Ledger, _ hash64) { l.messages.counted.Put(5, countedMessage{labels: 100}) },
		"totals without their model":    func(l *Ledger, _ hash64) { l.sessions.totals.Put(5, sessionTotals{model: 100}) },
		"a present holder that is a missing file": func(l *Ledger, agent hash64) {
			l.agents.slots.holders.Put(slotKey{A: agent, B: 11}, 0)
		},
	} {
		l, agent := spoilable()
		shadow := reopened(t, l)
		l.Record(true)
		l.Commit()
		spoil(l, agent)
		err := shadow.ApplyFrame(l.AppendFrame(nil))
		if err == nil {
			err = shadow.Restored()
		}
		if name == "" && err != nil || name != "" && !errors.Is(err, table.ErrCorrupt) {
			t.Errorf("%s: got %v", name, err)
		}
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
		if err := decode(New(Options{}, 0), b[:cut]); !errors.Is(err, table.ErrCorrupt) && !whole[cut] {
			t.Fatalf("cut at %d of %d: got %v, want %v", cut, len(b), err, table.ErrCorrupt)
		}
	}
}
