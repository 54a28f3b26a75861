package transcript

import (
	"bytes"
	"math/bits"
	"slices"
	"strings"
	"testing"
)

// refMark is marker.mark, a byte at a time. ok is false for a line without marks.
func refMark(b []byte) (m marks, ok bool) {
	m.chunks = make([]chunk, (len(b)+chunkSize-1)/chunkSize+1)
	escaped := false
	for i, c := range b {
		chunk, bit := &m.chunks[i/chunkSize], uint64(1)<<(i%chunkSize)
		switch {
		case c < ' ', escaped && !strings.ContainsRune(`"\/bfnrtu`, rune(c)):
			return marks{}, false
		case escaped && c == 'u':
			if len(b)-i < 5 || slices.ContainsFunc(b[i+1:i+5], func(c byte) bool { return !strings.ContainsRune("0123456789abcdefABCDEF", rune(c)) }) {
				return marks{}, false
			}
			m.units = true
		case !escaped && c == '"':
			chunk.quotes |= bit
		case c >= 0x80:
			chunk.high |= bit
		}
		if escaped {
			chunk.escaped |= bit
		}
		escaped = c == '\\' && !escaped
	}
	return m, !escaped
}

// newMarker returns a marker, and skips the test if this machine has no vector
// instructions that it could use.
func newMarker(tb testing.TB) *marker {
	tb.Helper()
	if !canMark() {
		tb.Skip("needs vector instructions")
	}
	return &marker{enabled: true}
}

// checkMarks compares the marks of a line with the marks of refMark, and the results of
// the marks' methods with the line's bytes.
func checkMarks(t *testing.T, m *marker, b []byte) {
	t.Helper()
	checkChunks(t, b)
	given := bytes.Clone(b)
	got := m.mark(b)
	want, ok := refMark(b)
	if !ok {
		equal(t, "marked", got.present(), false)
		return
	}
	for k := range want.chunks {
		want.chunks[k].common = got.chunks[k].common // nothing uses it any more
	}
	if got.units != want.units || !slices.Equal(got.chunks, want.chunks) || !bytes.Equal(b, given) {
		t.Errorf("marks of %q\n   = %+v\nwant %+v", given, got, want)
	}
	checkStrings(t, b, got)
}

// checkChunks checks that markChunks sets exactly the expected bits.
func checkChunks(t *testing.T, b []byte) {
	t.Helper()
	b = append(bytes.Clone(b), bytes.Repeat([]byte("n"), chunkSize-len(b)%chunkSize)...)
	n := len(b) / chunkSize
	got, want := make([]chunk, n+1), make([]chunk, n+1)
	for i, c := range b {
		chunk, bit := &want[i/chunkSize], uint64(1)<<(i%chunkSize)
		switch {
		case c == '"':
			chunk.quotes |= bit
		case c == '\\':
			chunk.escaped |= bit
		case c == 'n', c == 't':
			chunk.common |= bit
		case c >= 0x80:
			chunk.high |= bit
		}
	}
	lowest := markChunks(&got[0], &b[0], n)
	if lowest != slices.Min(b) || !slices.Equal(got, want) {
		t.Errorf("chunks of %q\n   = %x, lowest byte %d\nwant %x", b, got, lowest, want)
	}
}

// stringScans are the results of all scans of a string.
type stringScans struct {
	end, nameEnd, lengthEnd, length int
	escaped                         bool
}

func (s *scanner) scanAll(i int) (r stringScans) {
	r.end = s.scanString(i)
	r.nameEnd, r.escaped = s.scanName(i)
	r.lengthEnd, r.length = s.scanLength(i)
	return r
}

// checkStrings compares scans of every string of b with and without marks. Between two
// strings, it scans from the end of the first string as if another string began there.
func checkStrings(t *testing.T, b []byte, m marks) {
	t.Helper()
	marked, plain := scanner{b: b, marks: m}, scanner{b: b}
	for k := range m.chunks {
		for quotes := m.chunks[k].quotes; quotes != 0; quotes &= quotes - 1 {
			i := k*chunkSize + bits.TrailingZeros64(quotes) + 1
			got, want := marked.scanAll(i), plain.scanAll(i)
			if got != want {
				t.Errorf("string of %q at %d = %+v, want %+v", b, i, got, want)
			}
			if got.end >= 0 {
				equal(t, "length of text", got.length, len(appendText(nil, b[i:got.end-1])))
			}
		}
	}
}

// Every byte at every position, at the end of the line and before other bytes.
func TestMarkBytes(t *testing.T) {
	m := newMarker(t)
	for c := range 256 {
		for length := range 2*chunkSize + 3 {
			b := bytes.Repeat([]byte(" "), length)
			checkMarks(t, m, append(b, byte(c)))
			checkMarks(t, m, append(b, byte(c), '"'))
			checkMarks(t, m, append(append(b, byte(c)), `\u00e9" é`...))
		}
	}
}

// Runs of backslashes, each at every position around the borders of chunks.
func TestMarkBackslashes(t *testing.T) {
	m := newMarker(t)
	after := []string{"", `"`, `n`, `u0041`, `u004`, `u004g`, `x`, " ", "\x00", "\x7f", "\x80", `"\"`, `"\\"`, `""`}
	for length := range 2*chunkSize + 3 {
		for run := range 2*chunkSize + 3 {
			if 4 < run && run < chunkSize-2 || chunkSize+2 < run && run < 2*chunkSize-2 {
				continue
			}
			for _, after := range after {
				line := strings.Repeat("x", length) + strings.Repeat(`\`, run) + after
				checkMarks(t, m, []byte(line))
				checkMarks(t, m, []byte(`"`+line+`" `+line))
			}
		}
	}
}

// Keys of every length at every position, which are read alike with and without marks.
func TestMarkedKeys(t *testing.T) {
	m := newMarker(t)
	for start := range chunkSize {
		for length := range chunkSize + 3 {
			for _, rest := range []string{`":1}`, `" : 1}`, `"`, `":`, `"1`, `\"":1}`, `\\":1}`, `\u00e9":1}`, "é\":1}", "\xff\":1}"} {
				b := []byte(strings.Repeat(" ", start) + `{"` + strings.Repeat("x", length) + rest)
				marked, plain := newCursor(b), newCursor(b)
				marked.marks = m.mark(b)
				got, want := marked.enter('{'), plain.enter('{')
				gotKey, wantKey := marked.key(), plain.key()
				if got != want || !bytes.Equal(gotKey, wantKey) || marked.at != plain.at {
					t.Errorf("key of %q = %q, then %d; want %q, then %d", b, gotKey, marked.at, wantKey, plain.at)
				}
			}
		}
	}
}

// A reused marker leaves nothing of an earlier line.
func TestMarkReuse(t *testing.T) {
	m := newMarker(t)
	for _, line := range oddLines() {
		checkMarks(t, m, []byte(strings.Repeat(`\"é`, 100)))
		checkMarks(t, m, []byte(line))
	}
}

func TestMarkLongLines(t *testing.T) {
	m := newMarker(t)
	line := bytes.Repeat([]byte("x"), maxReusedLine+1)
	m.mark([]byte(`""`))
	before := len(m.chunks)
	longer := m.mark(line)
	equal(t, "a longer line is marked", longer.present(), false)
	equal(t, "memory for a longer line", len(m.chunks), before)
	longest := m.mark(line[1:])
	equal(t, "the longest line is marked", longest.present(), true)
}

func FuzzMarks(f *testing.F) {
	for _, line := range oddLines() {
		f.Add([]byte(line))
	}
	for _, line := range fixtureLines(f) {
		f.Add(line)
	}
	m := newMarker(f)
	f.Fuzz(func(t *testing.T, b []byte) { checkMarks(t, m, b) })
}
