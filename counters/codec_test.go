package counters

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/test/difftest"
)

// A decoded set continues exactly where the encoded set left off. Sets with the same
// past have the same encoding, whenever they were saved.
func TestCode(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 7))
		once, often := newWorld(), newWorld()
		for i := range 300 {
			step := r.Uint64()
			for _, w := range []*world{once, often} {
				r := rand.New(rand.NewPCG(step, 8))
				w.act(r, birth+int64(i)*dayMillis/40)
				if i%50 == 49 {
					w.configure(r)
				}
				if i == 150 {
					w.set.Start()
				}
			}
			if i%30 == 29 {
				often = reopened(t, often)
			}
		}
		if !bytes.Equal(encode(once.set), encode(often.set)) {
			t.Fatalf("seed %d: the encodings differ", seed)
		}
		once.set.Release(once.set.Pending())
		often.set.Release(often.set.Pending())
		if d := difftest.Diff(dump(once.set), dump(often.set)); d != "" {
			t.Fatalf("seed %d: %s", seed, d)
		}
		if d := difftest.Diff(historyText(once.set), historyText(often.set)); d != "" {
			t.Fatalf("seed %d: history: %s", seed, d)
		}
		if once.set.Birth() != birth || often.set.Birth() != birth {
			t.Errorf("got births %d and %d", once.set.Birth(), often.set.Birth())
		}
	}
}

// A set that no writer can have written is refused.
func TestCodeRefuses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		damage func(w *world)
		want   error
	}{
		{"nothing", func(*world) {}, nil},
		{"less than the increases", func(w *world) { w.set.byNumber[0].Value-- }, table.ErrCorrupt},
		{"late increases above the value", func(w *world) {
			w.set.byNumber[0].late = new(increases)
			w.set.byNumber[0].late.add(1, 9, 0, 0)
		}, table.ErrCorrupt},
		{"a label less", func(w *world) { w.set.byNumber[1].Labels = nil }, table.ErrCorrupt},
		{"a bucket less", func(w *world) { w.set.byNumber[1].Counts = []uint64{1} }, table.ErrCorrupt},
		{"an observation less", func(w *world) { w.set.byNumber[1].Native.Counts[0]++ }, table.ErrCorrupt},
		{"buckets in no order", func(w *world) { w.set.families[w.durations].Buckets[1] = 0 }, table.ErrCorrupt},
		{"buckets of a counter", func(w *world) { w.set.families[w.runs].Buckets = []float64{1} }, table.ErrCorrupt},
		{"an unknown bucket", func(w *world) { w.set.families[w.durations].Buckets = []float64{2} }, table.ErrCorrupt},
		{"bounds in no order", func(w *world) { w.set.families[w.durations].bounds[1] = 0 }, table.ErrCorrupt},
		{"a number twice", func(w *world) { w.set.byNumber[1].number = 0 }, table.ErrCorrupt},
		{"a number too large", func(w *world) { w.set.byNumber[2].number = 7 }, table.ErrCorrupt},
		{"numbers that descend", func(w *world) { w.set.byNumber[1].number, w.set.byNumber[2].number = 2, 1 }, table.ErrCorrupt},
		{"a negative number", func(w *world) { w.set.byNumber[0].number = -1 }, table.ErrCorrupt},
		{"labels twice", func(w *world) { w.set.byNumber[2].Labels = w.set.byNumber[1].Labels }, table.ErrCorrupt},
		{"too many exposed", func(w *world) { w.set.window.exposed = 4 }, table.ErrCorrupt},
		{"an unknown family", func(w *world) { w.set.byName["unknown_total"] = w.set.Declare(Family{Name: "unknown_total"}) }, table.ErrUnsupported},
		{"another type", func(w *world) { w.set.families[w.runs].Type = Gauge }, table.ErrUnsupported},
		{"another label", func(w *world) { w.set.families[w.last].Labels = []string{"model"} }, table.ErrUnsupported},
		{"an unknown label", func(w *world) { w.set.Limit("model", 5) }, table.ErrUnsupported},
	} {
		w := newWorld()
		w.set.Add(w.runs, 1, birth, "")
		w.set.Add(w.durations, 1, birth, "", "a")
		w.set.Add(w.durations, 1, birth, "", "b")
		tt.damage(w)
		if _, err := decode(encode(w.set)); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, err, tt.want)
		}
	}
}

// An older state lacks families and labels that were added later.
func TestCodeOfFewerFamilies(t *testing.T) {
	older := New(birth)
	runs := older.Declare(Family{Name: "runs_total"})
	older.Add(runs, 3, birth, "")
	w, err := decode(encode(older))
	if err != nil {
		t.Fatal(err)
	}
	w.set.Add(w.durations, 1, birth, "", "a")
	if got := sampleOf(t, reopened(t, w).set, "runs_total").Value; got != 3 {
		t.Errorf("got %d, want 3", got)
	}
}

// Any bytes either are refused or give a set that continues.
func FuzzCode(f *testing.F) {
	r, w := rand.New(rand.NewPCG(1, 9)), newWorld()
	for i := range 200 {
		w.act(r, birth+int64(i)*dayMillis/40)
	}
	f.Add(encode(w.set))
	w = newWorld()
	w.set.Add(w.durations, 1, birth, "", "a")
	f.Add(encode(w.set))
	f.Fuzz(func(t *testing.T, b []byte) {
		w, err := decode(b)
		if err != nil {
			return
		}
		r := rand.New(rand.NewPCG(1, 9))
		for range 30 {
			w.act(r, birth+dayMillis)
		}
		w.configure(r)
		if _, err := decode(encode(w.set)); err != nil {
			t.Fatalf("%x: %v", b, err)
		}
	})
}
