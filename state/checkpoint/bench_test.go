package checkpoint

import (
	"bytes"
	"fmt"
	"testing"
)

func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{200, 5 << 10, 256 << 10} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			s := open(b, b.TempDir())
			rotate(b, s)
			frame := bytes.Repeat([]byte("x"), size)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if err := s.Append(frame); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	dir := b.TempDir()
	s := open(b, dir)
	if err := s.Commit(rotate(b, s), bytes.Repeat([]byte("x"), 9<<20)); err != nil {
		b.Fatal(err)
	}
	for range 1000 {
		if err := s.Append(bytes.Repeat([]byte("x"), 5<<10)); err != nil {
			b.Fatal(err)
		}
	}
	nothing := func(uint32, []byte) error { return nil }
	for b.Loop() {
		if r, err := s.Load(nothing, nothing); err != nil || r.Frames != 1000 {
			b.Fatal(r, err)
		}
	}
}
