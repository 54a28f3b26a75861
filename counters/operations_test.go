package counters

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/test/difftest"
)

// A set that records and applies its operations equals a set that applies them at once.
// A third set that gets the operations from some border on equals them too, but exposes
// no series as 0.
func TestOperations(t *testing.T) {
	for seed := range uint64(15) {
		r := rand.New(rand.NewPCG(seed, 1))
		direct, recording, restored := newWorld(), newWorld(), newWorld()
		recording.set.Record(true)
		now := int64(birth)
		for border := range 60 {
			now += r.Int64N(dayMillis / 8)
			for _, w := range []*world{direct, recording} {
				steps := rand.New(rand.NewPCG(seed, uint64(border)))
				if steps.IntN(10) == 0 {
					w.configure(steps)
				}
				for range steps.IntN(20) {
					w.act(steps, now)
				}
			}
			restored.set.opts = recording.set.opts // operations do not contain options
			if border == 20 {
				start(t, direct, recording, restored)
			}
			if r.IntN(15) == 0 {
				restored = reopened(t, restored)
			}
			encoded := bytes.Clone(recording.set.Operations())
			recording.set.ApplyRecorded()
			if err := restored.set.Apply(encoded); err != nil {
				t.Fatalf("seed %d, border %d: %v", seed, border, err)
			}
			if len(recording.set.Operations()) > 0 {
				t.Fatal("operations are pending after they were applied")
			}
			if r.IntN(3) == 0 {
				direct.set.Release(direct.set.Pending())
				recording.set.Release(recording.set.Pending())
			}
			compare(t, direct, recording, restored, border%8 == 0)
		}
	}
}

func start(t *testing.T, all ...*world) {
	t.Helper()
	all[1].set.ApplyRecorded()
	for _, w := range all[:2] {
		w.set.Start()
	}
	again, err := decode(encode(all[1].set))
	if err != nil {
		t.Fatal(err)
	}
	again.set.opts = all[1].set.opts
	*all[2] = *again
}

// compare checks that three sets are the same, except that the last set exposes no
// series as 0. Comparing all parts takes much longer than comparing only the encodings.
func compare(t *testing.T, direct, recording, restored *world, all bool) {
	t.Helper()
	same := func(name string, got, want *Set) {
		t.Helper()
		if !bytes.Equal(encode(got), encode(want)) {
			t.Fatalf("%s: the encoding differs", name)
		}
		if !all {
			return
		}
		if d := difftest.Diff(dump(want), dump(got)); d != "" {
			t.Fatalf("%s: %s", name, d)
		}
		if d := difftest.Diff(historyText(want), historyText(got)); d != "" {
			t.Fatalf("%s: history: %s", name, d)
		}
	}
	same("recording", recording.set, direct.set)
	if n := restored.set.Pending(); n != 0 {
		t.Fatalf("restored: series up to %d are exposed as 0", n)
	}
	released := *direct.set
	released.Release(released.published)
	same("restored", restored.set, &released)
}

// Recorded operations change nothing before they are applied.
func TestRecord(t *testing.T) {
	w := newWorld()
	w.set.Add(w.runs, 1, birth, "")
	before, history := dump(w.set), historyText(w.set)
	w.set.Record(true)
	w.set.Add(w.runs, 2, birth, "")
	w.set.Add(w.durations, 2, birth, "", "a")
	w.set.Expose()
	if dump(w.set) != before || historyText(w.set) != history || w.set.Pending() != 1 {
		t.Errorf("got %d pending series, want 1\n%s%s", w.set.Pending(), difftest.Diff(before, dump(w.set)), difftest.Diff(history, historyText(w.set)))
	}
	w.set.Record(false)
	w.set.ApplyRecorded()
	w.set.Add(w.runs, 4, birth, "")
	if got := values(w.set, w.runs)[""]; got != 7 {
		t.Errorf("got %d, want 7", got)
	}
}

// The encoding of operations is part of the format of the journal.
func TestOperationsEncoding(t *testing.T) {
	w := newWorld()
	w.set.Record(true)
	for _, tt := range []struct {
		name string
		make func()
		want string
	}{
		{"a new series", func() { w.set.Add(w.runs, 300, 5, "") }, "\x01\x0aruns_total\x00\x00\x0a" + "\x08\xac\x02"},
		{"a known series", func() { w.set.Add(w.runs, 1, -1, "") }, "\x00\x01\x01"},
		{"two at the same time", func() { w.set.Add(w.runs, 1, 2, ""); w.set.Add(w.runs, 2, 2, "") }, "\x00\x01\x04\x08\x02"},
		{"at the epoch", func() { w.set.Add(w.runs, 1, 0, "") }, "\x08\x01"},
		{"a series with a source", func() { w.set.Add(w.calls, 0, 0, "s", "t", "", "p") }, "\x39\x10tool_calls_total\x01s\x01t\x00\x01p\x00" + "\x18\x00"},
		{"less of a level", func() {
			w.set.Add(w.waiting, 5, 0, "", "t")
			w.set.Subtract(w.waiting, []Reduction{{2, 0}, {1, 7}}, "", "t")
		}, "\x19\x07waiting\x00\x01t\x00" + "\x28\x05" + "\x26\x02\x02\x00\x01\x0e"},
		{"exposed", func() { w.set.Expose() }, "\x0a"},
		{"nothing new to expose", func() { w.set.Expose() }, ""},
		{"a value", func() { w.set.Bounded(w.tool, "s", "x", 0) }, "\x6d\x04tool\x01x\x01s"},
		{"a known value", func() { w.set.Bounded(w.tool, "s", "x", 0) }, ""},
		{"other buckets", func() {
			o := options()
			o.Buckets = map[string][]float64{"tool_duration_seconds": {2}}
			w.set.Configure(o)
		}, "\x1c\x15tool_duration_seconds\x00\x00\x00\x00\x00\x00\x00\x40"},
		{"the boundary of coarse intervals", func() { w.set.Advance(4 * dayMillis) }, "\x9b\x48"},
	} {
		tt.make()
		if got := string(w.set.Operations()); got != tt.want {
			t.Errorf("%s: got %x, want %x", tt.name, got, tt.want)
		}
		w.set.ApplyRecorded()
	}
}

// Operations that this version cannot have written are refused.
func TestApplyRefuses(t *testing.T) {
	const created, level = "\x01\x0aruns_total\x00\x00\x0a", "\x11\x07waiting\x00\x01t\x00\x0a"
	for _, tt := range []struct {
		name, encoded string
		want          error
	}{
		{"nothing", "", nil},
		{"a series", created, nil},
		{"an unknown kind", "\x07", table.ErrUnsupported},
		{"less of a counter", created + "\x06\x01\x01\x00", table.ErrCorrupt},
		{"less of an unknown series", created + "\x16\x01\x01\x00", table.ErrCorrupt},
		{"nothing less", level + "\x06\x00", table.ErrCorrupt},
		{"less that is cut", level + "\x06\x02\x01\x00", table.ErrCorrupt},
		{"less than nothing", level + "\x06\x01\x01\x00", nil},
		{"an unknown family", "\x01\x04nuns\x00\x0a", table.ErrUnsupported},
		{"buckets of an unknown family", "\x0c\x04nuns", table.ErrUnsupported},
		{"an unknown label", "\x0d\x04tail\x01x", table.ErrUnsupported},
		{"an unknown series", created + "\x10\x01\x00", table.ErrCorrupt},
		{"a series twice", created + created, table.ErrCorrupt},
		{"too many labels", "\x11\x0aruns_total\x00\x01a\x00\x0a", table.ErrCorrupt},
		{"far too many labels", "\xf1\xff\xff\xff\xff\xff\xff\xff\xff\x01\x0aruns_total\x00\x01a\x00\x0a", table.ErrCorrupt},
		{"buckets of a counter", "\x1c\x0aruns_total\x00\x00\x00\x00\x00\x00\x00\x40", table.ErrCorrupt},
		{"buckets in no order", "\x2c\x15tool_duration_seconds\x00\x00\x00\x00\x00\x00\x00\x40\x00\x00\x00\x00\x00\x00\x00\x40", table.ErrCorrupt},
		{"a bucket that is no number", "\x1c\x15tool_duration_seconds\x01\x00\x00\x00\x00\x00\xf0\x7f", table.ErrCorrupt},
		{"buckets that are cut", "\x1c\x15tool_duration_seconds\x00", table.ErrCorrupt},
		{"far too many buckets", "\xfc\xff\xff\xff\xff\xff\xff\xff\xff\x01\x15tool_duration_seconds\x00", table.ErrCorrupt},
		{"a head that is cut", "\x80", table.ErrCorrupt},
		{"an amount that is missing", created + "\x00", table.ErrCorrupt},
		{"a time that is missing", created + "\x00\x01", table.ErrCorrupt},
		{"a text that is cut", "\x01\x0arun", table.ErrCorrupt},
	} {
		if err := newWorld().set.Apply([]byte(tt.encoded)); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, err, tt.want)
		}
	}
}

// Any operations either are refused or give a set that can be saved.
func FuzzApply(f *testing.F) {
	w, r := newWorld(), rand.New(rand.NewPCG(1, 1))
	w.set.Record(true)
	for range 100 {
		w.act(r, birth)
	}
	w.configure(r)
	f.Add(w.set.Operations())
	f.Add([]byte("\x01\x0aruns_total\x00\x00\x0a"))
	f.Fuzz(func(t *testing.T, b []byte) {
		w := newWorld()
		if w.set.Apply(b) != nil {
			return
		}
		before := encode(w.set)
		again, err := decode(before)
		if err != nil {
			t.Fatalf("%x: %v", b, err)
		}
		if !bytes.Equal(encode(again.set), before) {
			t.Fatalf("%x: the encoding has changed", b)
		}
	})
}
