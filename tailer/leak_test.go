package tailer

import (
	"errors"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/ccwatchd/ccwatchd/test/leaktest"
)

// Reads leave no goroutine and no descriptor behind, however they end.
func TestNothingLeaks(t *testing.T) {
	refused := errors.New("refused")
	path := writeFile(t, strings.Repeat("0123456\n", 100)+"rest")
	root := newTree(t)
	r := NewReader(0)
	lines := func(size int64, fn func(Line) error) func() error {
		return func() error {
			f, err := os.Open(path)
			noError(t, err)
			_, err = r.Lines(f, size, Cursor{}, fn)
			noError(t, f.Close())
			return err
		}
	}
	for _, tt := range []struct {
		name string
		read func() error
		want error
	}{
		{"to the end", lines(804, ignore), nil},
		{"file longer than its size", lines(20, ignore), nil},
		{"file shorter than its size", lines(2000, ignore), nil},
		{"refused line", lines(804, func(Line) error { return refused }), refused},
		{"not regular", func() error { _, _, err := Open(root, "sub"); return err }, ErrNotRegular},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := leaktest.Descriptors(t)
			for range 1000 {
				if err := tt.read(); !errors.Is(err, tt.want) {
					t.Fatalf("got error %v, want %v", err, tt.want)
				}
			}
			if after := leaktest.Descriptors(t); after != before {
				t.Errorf("got %d descriptors, want %d", after, before)
			}
			goleak.VerifyNone(t, goleak.IgnoreCurrent())
		})
	}
}
