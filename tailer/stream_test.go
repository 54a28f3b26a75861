package tailer

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

func TestStreamLines(t *testing.T) {
	long := strings.Repeat("x", blockSize+7)
	for name, tt := range map[string]struct {
		content string
		maxLine int
		want    []Line // Bytes as copied
		rest    Line
	}{
		"empty":                       {"", 9, nil, Line{Bytes: []byte{}}},
		"lines":                       {"ab\n\nc\n", 9, []Line{{Bytes: []byte("ab"), End: 3}, {Bytes: []byte{}, Start: 3, End: 4}, {Bytes: []byte("c"), Start: 4, End: 6}}, Line{Bytes: []byte{}, Start: 6, End: 6}},
		"rest":                        {"ab\nc", 9, []Line{{Bytes: []byte("ab"), End: 3}}, Line{Bytes: []byte("c"), Start: 3, End: 4}},
		"a line as long as the limit": {"abc\nabc", 3, []Line{{Bytes: []byte("abc"), End: 4}}, Line{Bytes: []byte("abc"), Start: 4, End: 7}},
		"too long":                    {"abcd\nab\nabcd", 3, []Line{{End: 5, TooLong: true}, {Bytes: []byte("ab"), Start: 5, End: 8}}, Line{Start: 8, End: 12, TooLong: true}},
		"beyond a block":              {long + "\na\n", 2 * blockSize, []Line{{Bytes: []byte(long), End: int64(len(long)) + 1}, {Bytes: []byte("a"), Start: int64(len(long)) + 1, End: int64(len(long)) + 3}}, Line{Bytes: []byte{}, Start: int64(len(long)) + 3, End: int64(len(long)) + 3}},
		"beyond a block and too long": {long + "\na\n", 99, []Line{{End: int64(len(long)) + 1, TooLong: true}, {Bytes: []byte("a"), Start: int64(len(long)) + 1, End: int64(len(long)) + 3}}, Line{Bytes: []byte{}, Start: int64(len(long)) + 3, End: int64(len(long)) + 3}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(tt.content), iotest.HalfReader(strings.NewReader(tt.content))} {
				var got []Line
				rest, err := StreamLines(r, tt.maxLine, func(l Line) error {
					if l.Bytes != nil {
						l.Bytes = append([]byte{}, l.Bytes...)
					}
					got = append(got, l)
					return nil
				})
				if len(rest.Bytes) == 0 && !rest.TooLong {
					rest.Bytes = []byte{}
				}
				if err != nil || !reflect.DeepEqual(got, tt.want) || !reflect.DeepEqual(rest, tt.rest) {
					t.Errorf("got %v, rest %v, %v", got, rest, err)
				}
			}
		})
	}
	bad := errors.New("bad")
	n := 0
	if _, err := StreamLines(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(bad)), 9, func(Line) error { n++; return nil }); !errors.Is(err, bad) || n != 1 {
		t.Errorf("got %v after %d lines", err, n)
	}
	if _, err := StreamLines(strings.NewReader("a\n"), 9, func(Line) error { return bad }); !errors.Is(err, bad) {
		t.Errorf("got %v", err)
	}
}
