package tailer

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// However a reading ends, it leaves no goroutine and no descriptor behind.
func TestNothingLeaks(t *testing.T) {
	const rounds = 1000
	enough := errors.New("enough")
	content := bytes.Repeat([]byte("0123456\n"), 100)
	name := write(t, append(content, "rest"...))
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	if err := root.Mkdir("dir", 0o700); err != nil {
		t.Fatal(err)
	}
	r := NewReader(0)
	for _, tt := range []struct {
		name string
		size int64
		fn   func(Line) error
		want error
	}{
		{"to the end", 804, func(Line) error { return nil }, nil},
		{"the file is longer", 20, func(Line) error { return nil }, nil},
		{"the file is shorter", 2000, func(Line) error { return nil }, nil},
		{"refused", 804, func(Line) error { return enough }, enough},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := descriptors(t)
			for range rounds {
				f, err := os.Open(name)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := r.Lines(f, tt.size, Cursor{}, tt.fn); !errors.Is(err, tt.want) {
					t.Fatal(err)
				}
				if err := f.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if after := descriptors(t); after != before {
				t.Errorf("%d descriptors before, %d after", before, after)
			}
			goleak.VerifyNone(t, goleak.IgnoreCurrent())
		})
	}
	t.Run("not regular", func(t *testing.T) {
		before := descriptors(t)
		for range rounds {
			if _, err := Open(root, "dir"); !errors.Is(err, ErrNotRegular) {
				t.Fatal(err)
			}
		}
		if after := descriptors(t); after != before {
			t.Errorf("%d descriptors before, %d after", before, after)
		}
	})
}
