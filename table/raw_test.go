package table

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// A raw field is a bytes field with its content, whatever its size, between other
// fields.
func TestRaw(t *testing.T) {
	for _, size := range []int{0, 1, 126, 127, 128, 16383, 16384, 1 << 20} {
		text := strings.Repeat("x", size)
		want := []byte{0x08, 1}
		if size > 0 {
			want = protowire.AppendString(append(want, 0x12), text)
		}
		want = append(want, 0x18, 2)
		visit := func(c *Coder, first, last *uint8, content *string) {
			Uint(c, 1, first)
			Raw(c, 2, func(b []byte) []byte { return append(b, *content...) }, func(b []byte) error {
				*content = string(b)
				return nil
			})
			Uint(c, 3, last)
		}
		w := NewWriter(nil)
		visit(w, new(uint8(1)), new(uint8(2)), &text)
		if !bytes.Equal(w.Bytes(), want) {
			t.Errorf("%d bytes: got an encoding of %d bytes, want %d", size, len(w.Bytes()), len(want))
		}
		first, last, got := uint8(0), uint8(0), "replaced"
		r := NewReader(want)
		if visit(r, &first, &last, &got); r.Done() != nil || first != 1 || last != 2 || got != text {
			t.Errorf("%d bytes: read %d, %d bytes, %d, %v", size, first, len(got), last, r.Err())
		}
	}
}

// An error of the read function ends reading. After an error it is not called.
func TestRawFails(t *testing.T) {
	failure := errors.New("no")
	read := func(b []byte) error {
		if len(b) == 0 {
			return nil
		}
		return failure
	}
	c := NewReader([]byte("\x0a\x01a\x10\x01"))
	Raw(c, 1, nil, read)
	Raw(c, 2, nil, func([]byte) error {
		t.Error("a field was read after the error")
		return nil
	})
	if !errors.Is(c.Done(), failure) {
		t.Errorf("got %v, want the error of the function", c.Err())
	}
}
