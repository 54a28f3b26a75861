package tailer

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

func repeat(s string, n int) string { return strings.Repeat(s, n) }

func TestCheck(t *testing.T) {
	long := repeat("0123456789abcde\n", 200) // 3200 bytes
	for _, tt := range []struct {
		name   string
		was    string
		offset int64
		is     string
		want   Verdict
	}{
		{"never read", "", 0, "", Unchanged},
		{"never read, grown", "", 0, "new\n", Unchanged},
		{"same", "a\nb\n", 4, "a\nb\n", Unchanged},
		{"grown", "a\nb\n", 4, "a\nb\nc\n", Unchanged},
		{"grown past the head", "a\nb\n", 4, "a\nb\n" + long, Unchanged},
		{"the unread rest is other", "a\nb\nrest", 4, "a\nb\nREST", Unchanged},
		{"the unread rest is gone", "a\nb\nrest", 4, "a\nb\n", Unchanged},
		{"shorter by one", "a\nb\n", 4, "a\nb", Truncated},
		{"empty", "a\nb\n", 4, "", Truncated},
		{"other beginning, shorter", "a\nb\n", 4, "x", Truncated},
		{"other beginning", "a\nb\n", 4, "x\nb\n", Replaced},
		{"other end", "a\nb\n", 4, "a\nx\n", Replaced},
		{"long, same", long, 3200, long, Unchanged},
		{"long, first byte", long, 3200, "x" + long[1:], Replaced},
		{"long, last byte of the head", long, 3200, long[:1023] + "x" + long[1024:], Replaced},
		{"long, in the unmarked middle", long, 3200, long[:1024] + "x" + long[1025:], Unchanged},
		{"long, first byte of the last", long, 3200, long[:2944] + "x" + long[2945:], Replaced},
		{"long, last byte", long, 3200, long[:3199] + "x", Replaced},
		{"cut and grown again with the same head", long, 3200, long[:2000] + repeat("y", 2000), Replaced},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, err := NewFingerprint(strings.NewReader(tt.was), tt.offset)
			if err != nil {
				t.Fatal(err)
			}
			got, err := m.Check(strings.NewReader(tt.is), int64(len(tt.is)))
			if err != nil || got != tt.want {
				t.Fatalf("Check = %v, %v; want %v", got, err, tt.want)
			}
		})
	}
}

func TestNewMark(t *testing.T) {
	content := repeat("x", 2000)
	for _, tt := range []struct {
		offset     int64
		head, last uint32
	}{
		{0, 0, 0}, {1, 1, 1}, {255, 255, 255}, {256, 256, 256}, {257, 257, 256},
		{1023, 1023, 256}, {1024, 1024, 256}, {1025, 1024, 256}, {2000, 1024, 256},
	} {
		m, err := NewFingerprint(strings.NewReader(content), tt.offset)
		if err != nil || m.Offset != tt.offset || m.Head.Len != tt.head || m.Last.Len != tt.last {
			t.Errorf("NewFingerprint(%d) = %+v, %v; want lengths %d and %d", tt.offset, m, err, tt.head, tt.last)
		}
	}
	if m, err := NewFingerprint(strings.NewReader(content), 2001); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("NewFingerprint behind the end = %+v, %v; want io.ErrUnexpectedEOF", m, err)
	}
}

// A Mark outlives the program that took it, so that its sums may never change.
func TestMarkIsStable(t *testing.T) {
	m, err := NewFingerprint(strings.NewReader("123456789"), 9)
	if err != nil {
		t.Fatal(err)
	}
	// The check value of CRC-32C.
	want := Checksum{Sum: 0xe3069283, Len: 9}
	if m.Head != want || m.Last != want {
		t.Fatalf("mark %+v, want both prints %+v", m, want)
	}
}

// A Mark that was stored may come back as anything.
func TestCheckOfDamagedMark(t *testing.T) {
	content := bytes.Repeat([]byte("x"), 4096)
	for _, m := range []Fingerprint{
		{Offset: -1},
		{Offset: 10, Head: Checksum{Len: 11}},
		{Offset: 10, Last: Checksum{Len: 11}},
		{Offset: 4096, Head: Checksum{Len: 1 << 31}},
		{Offset: 4096, Last: Checksum{Len: 1 << 31}},
	} {
		if got, err := m.Check(bytes.NewReader(content), 4096); got != Replaced || err != nil {
			t.Errorf("Check of %+v = %v, %v; want replaced", m, got, err)
		}
	}
}

// The size may be older than the file.
func TestCheckOfFileCutSinceItsSize(t *testing.T) {
	m, err := NewFingerprint(strings.NewReader("a\nb\n"), 4)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := m.Check(strings.NewReader("a\n"), 4); got != Truncated || err != nil {
		t.Fatalf("Check = %v, %v; want truncated", got, err)
	}
}

var errDisk = errors.New("disk on fire")

// broken is a file that cannot be read from some offset on.
type broken struct {
	io.ReaderAt
	from int64
}

func (b broken) ReadAt(p []byte, off int64) (int, error) {
	if off >= b.from {
		return 0, errDisk
	}
	n, _ := b.ReaderAt.ReadAt(p[:min(int64(len(p)), b.from-off)], off)
	if n < len(p) {
		return n, errDisk
	}
	return n, nil
}

func TestMarkOfUnreadable(t *testing.T) {
	content := strings.NewReader(repeat("x", 2000))
	m, err := NewFingerprint(content, 2000)
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []int64{0, 500, 1900} {
		r := broken{content, from}
		if _, err := NewFingerprint(r, 2000); !errors.Is(err, errDisk) {
			t.Errorf("NewFingerprint unreadable from %d: error %v", from, err)
		}
		if _, err := m.Check(r, 2000); !errors.Is(err, errDisk) {
			t.Errorf("Check unreadable from %d: error %v", from, err)
		}
	}
}

func TestVerdictString(t *testing.T) {
	for v, want := range map[Verdict]string{
		Unchanged: "unchanged", Truncated: "truncated", Replaced: "replaced", 7: "verdict(7)",
	} {
		if got := v.String(); got != want {
			t.Errorf("Verdict(%d) is %q, want %q", int(v), got, want)
		}
	}
}

// A file that is rewritten between the reading and the marking is told from
// the one that was read by how that one's last line ended.
func TestExtend(t *testing.T) {
	long := repeat("0123456789abcde\n", 200) // 3200 bytes
	for _, tt := range []struct {
		name     string
		from, to int64
		now      string // at the time of the second mark
		last     string // as it was read
		is       string // at the time of the check
		want     Verdict
	}{
		{"as it is now", 0, 8, "neo\nowt\n", "", "neo\nowt\n", Unchanged},
		{"as it was read", 0, 8, "neo\nowt\n", "two\n", "neo\nowt\n", Replaced},
		{"not rewritten", 0, 8, "neo\nowt\n", "owt\n", "neo\nowt\nmore", Unchanged},
		{"a long line", 0, 8, "neo\nowt\n", repeat("x", 3*lastLen), "neo\nowt\n", Replaced},
		{"a short beginning grows", 16, 3200, long, "de\n", long, Unchanged},
		{"a short beginning grows into another", 16, 3200, long, "de\n", long[:16] + "x" + long[17:], Replaced},
		{"a long beginning stays", 2000, 3200, long, "de\n", long, Unchanged},
		{"a long beginning is that of the first mark", 2000, 3200, "x" + long[1:], "de\n", "x" + long[1:], Replaced},
		{"a long beginning, the end as it is now", 2000, 3200, long, "", long, Unchanged},
	} {
		first, err := NewFingerprint(strings.NewReader(long), tt.from)
		if err != nil {
			t.Fatal(err)
		}
		m, err := first.Extend(strings.NewReader(tt.now), tt.to, []byte(tt.last))
		if err != nil || m.Offset != tt.to {
			t.Fatalf("%s: Extend = %+v, %v", tt.name, m, err)
		}
		if got, err := m.Check(strings.NewReader(tt.is), int64(len(tt.is))); got != tt.want || err != nil {
			t.Errorf("%s: got %v, %v, want %v", tt.name, got, err, tt.want)
		}
	}
}

// A beginning that is complete and an end that was read cost no reading.
func TestExtendReadsNothingTwice(t *testing.T) {
	m, err := NewFingerprint(strings.NewReader(repeat("x", 2000)), 1500)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Extend(broken{nil, 0}, 2000, []byte("x")); err != nil {
		t.Error(err)
	}
}
