package counters

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ccwatchd/ccwatchd/table"
)

// An operationReader decodes operations.
type operationReader struct {
	rest     []byte
	last     int64 // time of the previous operation
	sameTime bool
	err      error
}

func (r *operationReader) fail() {
	if r.err == nil {
		r.err = table.ErrCorrupt
	}
}

func (r *operationReader) uint() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.fail()
		r.rest = nil
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

// take returns the next n bytes, and none if there are fewer.
func (r *operationReader) take(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.fail()
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *operationReader) time() int64 {
	if !r.sameTime {
		r.last += protowire.DecodeZigZag(r.uint())
	}
	return r.last
}

// reductions returns at least one.
func (r *operationReader) reductions() (less []Reduction) {
	for n := min(r.uint(), uint64(len(r.rest))); n > 0 && r.err == nil; n-- {
		less = append(less, Reduction{r.uint(), r.time()})
	}
	if len(less) == 0 {
		r.fail()
	}
	return less
}

func (r *operationReader) string() string { return string(r.take(r.uint())) }

// floats returns n numbers, where n has at most 60 bits.
func (r *operationReader) floats(n uint64) (all []float64) {
	for b := r.take(8 * n); len(b) > 0; b = b[8:] {
		all = append(all, math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	return all
}
