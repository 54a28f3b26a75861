package ledger

import (
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ccwatchd/ccwatchd/state/codec"
)

// A version that does not know turns carries the open ones. What it reads itself is
// missing in their answers, so they are dropped. If it reads nothing, they go on.
func TestTurnsCarriedByOlderVersion(t *testing.T) {
	p2 := prompt("p2", "2026-05-01T10:01:00.000Z", "next")
	for _, tt := range []struct {
		name   string
		unseen []string // read by the older version
		then   []string
		want   uint64
		sums   [3]uint64
	}{
		{"nothing", nil, turnLines[2:], 1, [3]uint64{3000, 2, 1}},
		{"part of the answer", turnLines[2:3], turnLines[3:], 0, [3]uint64{}},
		{"another prompt", append(turnLines[2:4:4], p2), []string{answer("m3", "2026-05-01T10:01:05.000Z")}, 0, [3]uint64{}},
		{"next turn is whole", turnLines[2:], []string{p2, answer("m3", "2026-05-01T10:01:05.000Z")}, 1, [3]uint64{5000, 1, 0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := testFile(1, "a.jsonl")
			newer := encode(newWith(turnLines[:2]...))
			l := readBy(t, olderVersion(t, newer, f, tt.unseen))
			l.AddBatch(batchOf(f, birth, tt.then...))
			l.FinalizeFile(f.ID, birth)
			if n, sums := countedTurns(t, l); n != tt.want || sums != tt.sums {
				t.Errorf("got %d turns with %d, want %d with %d", n, sums, tt.want, tt.sums)
			}
		})
	}
}

func readBy(t *testing.T, b []byte) *Ledger {
	t.Helper()
	l := New(testOptions(), 0)
	if err := decode(l, b); err != nil {
		t.Fatal(err)
	}
	return l
}

// olderVersion returns what a version that does not know turns saves after it has read
// some lines: it carries what it does not know unchanged.
func olderVersion(t *testing.T, newer []byte, f File, lines []string) []byte {
	t.Helper()
	const first, last codec.Number = 29, 30
	isCarried := func(n codec.Number) bool { return n >= first && n <= last }
	l := readBy(t, newer)
	clear(l.turns)
	if len(lines) > 0 {
		l.AddBatch(batchOf(f, birth, lines...))
	}
	older := encode(l)
	b := fields(t, older, func(n codec.Number) bool { return n < first })
	b = append(b, fields(t, newer, isCarried)...)
	return append(b, fields(t, older, func(n codec.Number) bool { return n > last })...)
}

// fields returns some fields of a message.
func fields(t *testing.T, b []byte, wanted func(codec.Number) bool) (some []byte) {
	t.Helper()
	for len(b) > 0 {
		n, _, size := protowire.ConsumeField(b)
		if size < 0 {
			t.Fatal(protowire.ParseError(size))
		}
		if wanted(n) {
			some = append(some, b[:size]...)
		}
		b = b[size:]
	}
	return some
}
