package terminal

import (
	"testing"
	"unicode/utf8"
)

func TestBar(t *testing.T) {
	for _, test := range []struct {
		share float64
		want  string
	}{
		{-1, ""}, {0, ""}, {1e-9, "▏"}, {0.5, "████"}, {0.55, "████▍"}, {1, "████████"}, {7, "████████"},
	} {
		if got := Bar(test.share, 8); got != test.want {
			t.Errorf("%v: got %s, want %s", test.share, got, test.want)
		}
	}
	if n := utf8.RuneCountInString(Bar(1, 40)); n != 40 {
		t.Errorf("got %d characters", n)
	}
}

// The width of a text is its number of terminal columns, not of bytes or characters.
func TestFit(t *testing.T) {
	for _, test := range []struct{ text, left, right string }{
		{"", "    ", "    "}, {"web", "web ", " web"}, {"abcde", "abc…", "abc…"}, {"日本", "日本", "日本"}, {"日本語", "日… ", " 日…"},
		{"e\u0301te\u0301", "e\u0301te\u0301 ", " e\u0301te\u0301"},
	} {
		if got := Left(test.text, 4); got != test.left || Width(got) != 4 {
			t.Errorf("%q on the left: got %q, want %q", test.text, got, test.left)
		}
		if got := Right(test.text, 4); got != test.right || Width(got) != 4 {
			t.Errorf("%q on the right: got %q, want %q", test.text, got, test.right)
		}
	}
}
