package table

import (
	"testing"
)

// frame makes about the changes of a live line and returns their encoding.
func frame(w *world, n uint64, buf []byte) []byte {
	for i := range uint32(8) {
		w.accounts.Put(i, account{n: n, name: "a longer text that stays"})
	}
	for i := range uint64(5) {
		w.flags.Put(pair{uint32(i), n}, true)
		w.flags.Delete(pair{uint32(i), n - 1})
	}
	w.hashes.Put(1<<63, int64(n))
	w.hashed.Put(1<<63, account{n: n})
	c := NewWriter(buf)
	w.set.CodeChanges(c)
	w.set.Commit()
	return c.Bytes()
}

// Encoding a frame does not allocate for each row.
func TestFrameDoesNotAllocate(t *testing.T) {
	w := filled(1)
	w.set.Record(true)
	buf, n := make([]byte, 0, 1<<12), uint64(1)
	if got := testing.AllocsPerRun(200, func() {
		frame(w, n, buf)
		n++
	}); got > 1 {
		t.Errorf("got %v allocations", got)
	}
}

func BenchmarkFrame(b *testing.B) {
	w := filled(1)
	w.set.Record(true)
	var buf []byte
	n := uint64(1)
	b.ReportAllocs()
	for b.Loop() {
		buf = frame(w, n, buf[:0])
		n++
	}
	b.ReportMetric(float64(len(buf)), "bytes/frame")
}

func BenchmarkApply(b *testing.B) {
	w := filled(1)
	other := filled(1)
	w.set.Record(true)
	var buf []byte
	n := uint64(1)
	b.ReportAllocs()
	for b.Loop() {
		buf = frame(w, n, buf[:0])
		n++
		if err := other.apply(buf); err != nil {
			b.Fatal(err)
		}
	}
}
