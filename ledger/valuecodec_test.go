package ledger

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ccwatchd/ccwatchd/internal/compactmap"
)

// randomCounted is a message of any size, some with the largest numbers.
func randomCounted(r *rand.Rand) countedMessage {
	m := countedMessage{file: FileID(randomBits(r)), labels: randomBits(r), final: r.IntN(2) == 0}
	for i := range m.tokens {
		if r.IntN(3) > 0 {
			m.tokens[i] = randomBits(r)
		}
	}
	if r.IntN(4) == 0 {
		m.serverTools = [2]uint16{uint16(r.Uint32()), uint16(r.IntN(2))}
	}
	return m
}

// randomBits is a number of any number of bits.
func randomBits(r *rand.Rand) uint32 { return r.Uint32() >> r.IntN(32) }

func randomCall(r *rand.Rand) toolCall {
	t := toolCall{file: FileID(randomBits(r)), state: callState(r.IntN(3))}
	if t.state == callOnly {
		t.labels, t.time = randomBits(r), int64(r.Uint64())>>r.IntN(64)
	}
	return t
}

func randomUsage(r *rand.Rand) (u sessionUsage, reported reportedUsage) {
	u.file, u.reported, reported.file = FileID(randomBits(r)), r.IntN(2) == 0, FileID(randomBits(r))
	for i := range u.tokens {
		u.tokens[i] = r.Uint64() >> r.IntN(64) * r.Uint64N(2)
	}
	for i := range reported.totals {
		reported.totals[i] = r.Uint64() >> r.IntN(64) * r.Uint64N(2)
	}
	return u, reported
}

func randomTotals(r *rand.Rand) sessionTotals {
	t := sessionTotals{
		file: FileID(randomBits(r)), attrs: randomBits(r), labels: randomBits(r), context: r.Uint64() >> r.IntN(64),
		first: int64(r.Uint64()) >> r.IntN(64), last: int64(r.Uint64()) >> r.IntN(64),
	}
	for i := range t.counts {
		t.counts[i] = r.Uint64() >> r.IntN(64) * r.Uint64N(2)
	}
	return t
}

// An encoded value has as many varints as its first byte says, and decodes to itself.
func TestValues(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for range 10_000 {
		checkValue(t, randomCounted(r))
		checkValue(t, randomCall(r))
		checkValue(t, FileID(randomBits(r)))
		usage, reported := randomUsage(r)
		checkValue(t, usage)
		checkValue(t, reported)
		checkValue(t, randomTotals(r))
	}
	const most = math.MaxUint32
	largest := counts{[6]uint32{most, 1, 0, 2, 3, most}, [2]uint16{0, math.MaxUint16}}
	checkValue(t, countedMessage{counts: largest, file: most, labels: most})
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
		t.Errorf("%+v is %x: got %d varints, want %d", want, b, n, ends)
	}
	if got, size := want.Decode(append(b, 0xff)); got != want || size != len(b) {
		t.Errorf("decoding %x: got %+v of %d bytes, want %+v", b, got, size, want)
	}
	for cut := range b {
		if _, size := want.Decode(b[:cut]); size != 0 {
			t.Errorf("decoding %d bytes of %x: got a size of %d, want 0", cut, b, size)
		}
	}
}
