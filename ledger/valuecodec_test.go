package ledger

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ccwatchd/ccwatchd/internal/compactmap"
)

// randomCounted is a message of any size, some with the largest numbers.
func randomCounted(r *rand.Rand) countedMessage {
	m := countedMessage{file: FileID(r.Uint32() >> r.IntN(32)), labels: r.Uint32() >> r.IntN(32), final: r.IntN(2) == 0}
	for _, n := range m.coded() {
		if r.IntN(3) > 0 {
			*n = r.Uint32() >> r.IntN(32)
		}
	}
	if r.IntN(4) == 0 {
		m.searches, m.fetches = uint16(r.Uint32()), uint16(r.IntN(2))
	}
	return m
}

func randomPaired(r *rand.Rand) toolCall {
	t := toolCall{file: FileID(r.Uint32() >> r.IntN(32)), state: callState(r.IntN(3))}
	if t.state == callOnly {
		t.labels, t.time = r.Uint32()>>r.IntN(32), int64(r.Uint64())>>r.IntN(64)
	}
	return t
}

// What is coded takes as many numbers as its first byte says, and comes back.
func TestValues(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for range 10_000 {
		checkValue(t, randomCounted(r))
		checkValue(t, randomPaired(r))
		checkValue(t, FileID(r.Uint32()>>r.IntN(32)))
	}
	checkValue(t, countedMessage{counts: counts{math.MaxUint32, 1, 0, 2, 3, math.MaxUint32, 0, math.MaxUint16}, file: math.MaxUint32, labels: math.MaxUint32})
}

func checkValue[V compactmap.Value[V]](t *testing.T, want V) {
	t.Helper()
	b := want.Append(nil)
	ends := 0
	for _, c := range b {
		if c < 0x80 {
			ends++
		}
	}
	if n := want.Varints(b[0]); n != ends {
		t.Errorf("%+v is %x: %d numbers, and not %d", want, b, ends, n)
	}
	if got, size := want.Decode(append(b, 0xff)); got != want || size != len(b) {
		t.Errorf("%+v is %x, and comes back as %+v of %d bytes", want, b, got, size)
	}
	for cut := range b {
		if _, size := want.Decode(b[:cut]); size != 0 {
			t.Errorf("%d bytes of %x are taken for %d", cut, b, size)
		}
	}
}
