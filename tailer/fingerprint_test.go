package tailer

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func newFingerprint(t *testing.T, content string, offset int64) Fingerprint {
	t.Helper()
	p, err := NewFingerprint(strings.NewReader(content), offset)
	noError(t, err)
	return p
}

func checkVerdict(t *testing.T, p Fingerprint, content string, want Verdict) {
	t.Helper()
	if got, err := p.Check(strings.NewReader(content), int64(len(content))); got != want || err != nil {
		t.Errorf("%+v.Check(%d bytes) = %v, %v, want %v", p, len(content), got, err, want)
	}
}

func TestCheck(t *testing.T) {
	long := strings.Repeat("0123456789abcde\n", 200) // 3200 bytes
	for _, tt := range []struct {
		name   string
		before string
		offset int64
		after  string
		want   Verdict
	}{
		{"never read", "", 0, "", Unchanged},
		{"never read, grown", "", 0, "new\n", Unchanged},
		{"same", "a\nb\n", 4, "a\nb\n", Unchanged},
		{"grown", "a\nb\n", 4, "a\nb\nc\n", Unchanged},
		{"grown beyond the head", "a\nb\n", 4, "a\nb\n" + long, Unchanged},
		{"unterminated rest changed", "a\nb\nrest", 4, "a\nb\nREST", Unchanged},
		{"unterminated rest removed", "a\nb\nrest", 4, "a\nb\n", Unchanged},
		{"one byte shorter", "a\nb\n", 4, "a\nb", Truncated},
		{"empty", "a\nb\n", 4, "", Truncated},
		{"start changed, shorter", "a\nb\n", 4, "x", Truncated},
		{"start changed", "a\nb\n", 4, "x\nb\n", Replaced},
		{"end changed", "a\nb\n", 4, "a\nx\n", Replaced},
		{"long, same", long, 3200, long, Unchanged},
		{"long, first byte changed", long, 3200, "x" + long[1:], Replaced},
		{"long, last byte of the head changed", long, 3200, long[:1023] + "x" + long[1024:], Replaced},
		{"long, byte without checksum changed", long, 3200, long[:1024] + "x" + long[1025:], Unchanged},
		{"long, first byte of the end changed", long, 3200, long[:2944] + "x" + long[2945:], Replaced},
		{"long, last byte changed", long, 3200, long[:3199] + "x", Replaced},
		{"truncated and grown with the same head", long, 3200, long[:2000] + strings.Repeat("y", 2000), Replaced},
	} {
		t.Run(tt.name, func(t *testing.T) {
			checkVerdict(t, newFingerprint(t, tt.before, tt.offset), tt.after, tt.want)
		})
	}
	if got, err := newFingerprint(t, "a\nb\n", 4).Check(strings.NewReader("a\n"), 4); got != Truncated || err != nil {
		t.Errorf("truncated after stat: got %v, %v, want %v", got, err, Truncated)
	}
}

func TestNewFingerprint(t *testing.T) {
	content := strings.Repeat("x", 2000)
	for _, tt := range []struct {
		offset     int64
		head, last uint32
	}{
		{0, 0, 0}, {1, 1, 1}, {255, 255, 255}, {256, 256, 256}, {257, 257, 256},
		{1023, 1023, 256}, {1024, 1024, 256}, {1025, 1024, 256}, {2000, 1024, 256},
	} {
		p := newFingerprint(t, content, tt.offset)
		if p.Offset != tt.offset || p.Head.Len != tt.head || p.Last.Len != tt.last {
			t.Errorf("NewFingerprint(%d) = %+v, want lengths %d and %d", tt.offset, p, tt.head, tt.last)
		}
	}
	if p, err := NewFingerprint(strings.NewReader(content), 2001); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("NewFingerprint beyond the end = %+v, %v, want io.ErrUnexpectedEOF", p, err)
	}
}

// Fingerprints are stored, so the checksum algorithm must never change.
func TestFingerprintIsStable(t *testing.T) {
	p := newFingerprint(t, "123456789", 9)
	want := Checksum{Sum: 0xe3069283, Len: 9} // the check value of CRC-32C
	if p.Head != want || p.Last != want {
		t.Errorf("got %+v, want %+v twice", p, want)
	}
}

func TestCheckDamagedFingerprint(t *testing.T) {
	for _, p := range []Fingerprint{
		{Offset: -1},
		{Offset: 10, Head: Checksum{Len: 11}},
		{Offset: 10, Last: Checksum{Len: 11}},
		{Offset: 4096, Head: Checksum{Len: 1 << 31}},
		{Offset: 4096, Last: Checksum{Len: 1 << 31}},
	} {
		checkVerdict(t, p, strings.Repeat("x", 4096), Replaced)
	}
}

var errDisk = errors.New("disk failure")

// A failingReader cannot be read at or after an offset.
type failingReader struct {
	io.ReaderAt
	from int64
}

func (r failingReader) ReadAt(p []byte, off int64) (int, error) {
	if off >= r.from {
		return 0, errDisk
	}
	n, _ := r.ReaderAt.ReadAt(p[:min(int64(len(p)), r.from-off)], off)
	if n < len(p) {
		return n, errDisk
	}
	return n, nil
}

func TestFingerprintReadError(t *testing.T) {
	content := strings.Repeat("x", 2000)
	p := newFingerprint(t, content, 2000)
	for _, from := range []int64{0, 500, 1900} {
		r := failingReader{strings.NewReader(content), from}
		if _, err := NewFingerprint(r, 2000); !errors.Is(err, errDisk) {
			t.Errorf("NewFingerprint, unreadable from %d: got error %v, want %v", from, err, errDisk)
		}
		if _, err := p.Check(r, 2000); !errors.Is(err, errDisk) {
			t.Errorf("Check, unreadable from %d: got error %v, want %v", from, err, errDisk)
		}
	}
}

func TestVerdictString(t *testing.T) {
	for v, want := range map[Verdict]string{
		Unchanged: "unchanged", Truncated: "truncated", Replaced: "replaced", 7: "verdict(7)",
	} {
		if got := v.String(); got != want {
			t.Errorf("Verdict(%d): got %q, want %q", int(v), got, want)
		}
	}
}

// Extend uses the last line as it was read, so a file rewritten before Extend is
// detected.
func TestExtend(t *testing.T) {
	long := strings.Repeat("0123456789abcde\n", 200) // 3200 bytes
	for _, tt := range []struct {
		name     string
		from, to int64
		current  string // content when Extend is called
		last     string // the last line as it was read
		after    string // content when Check is called
		want     Verdict
	}{
		{"last line not given", 0, 8, "neo\nowt\n", "", "neo\nowt\n", Unchanged},
		{"rewritten after the read", 0, 8, "neo\nowt\n", "two\n", "neo\nowt\n", Replaced},
		{"not rewritten", 0, 8, "neo\nowt\n", "owt\n", "neo\nowt\nmore", Unchanged},
		{"long line", 0, 8, "neo\nowt\n", strings.Repeat("x", 3*lastLen), "neo\nowt\n", Replaced},
		{"short head extended", 16, 3200, long, "de\n", long, Unchanged},
		{"short head extended, then changed", 16, 3200, long, "de\n", long[:16] + "x" + long[17:], Replaced},
		{"full head kept", 2000, 3200, long, "de\n", long, Unchanged},
		{"full head is that of the first fingerprint", 2000, 3200, "x" + long[1:], "de\n", "x" + long[1:], Replaced},
		{"full head, last line not given", 2000, 3200, long, "", long, Unchanged},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := newFingerprint(t, long, tt.from).Extend(strings.NewReader(tt.current), tt.to, []byte(tt.last))
			if err != nil || p.Offset != tt.to {
				t.Fatalf("Extend = %+v, %v, want offset %d", p, err, tt.to)
			}
			checkVerdict(t, p, tt.after, tt.want)
		})
	}
}

func TestExtendReadsNothingTwice(t *testing.T) {
	p := newFingerprint(t, strings.Repeat("x", 2000), 1500)
	_, err := p.Extend(failingReader{nil, 0}, 2000, []byte("x"))
	noError(t, err)
}
