package transcript

import (
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	long := strings.Repeat("x", 128)
	for _, tt := range []struct{ name, in, want string }{
		{"empty", "", ""},
		{"plain", "claude-opus-4-6", "claude-opus-4-6"},
		{"quotes stay", `a"b\c`, `a"b\c`},
		{"controls", "\x00a\tb\nc\x1fd\x7fe", "abcde"},
		{"controls of C1", "a\u0080b\u0085c\u009f\u00a0", "abc\u00a0"},
		{"invisible characters stay", "a\u202eb\u200b", "a\u202eb\u200b"},
		{"only controls", "\n\n", ""},
		{"invalid", "a\xffb\xc3", "a\ufffdb\ufffd"},
		{"invalid in a row", "\xff\xff", "\ufffd\ufffd"},
		{"longest", long, long},
		{"too long", long + "y", long},
		{"too long only before", long + "\n", long},
		{"cut at a character", long[1:] + "é", long[1:]},
		{"character that fits", long[2:] + "é", long[2:] + "é"},
		{"nothing behind the cut", long[1:] + "éa", long[1:]},
		{"invalid at the cut", long[2:] + "\xff", long[2:]},
		{"four bytes", strings.Repeat("😀", 40), strings.Repeat("😀", 32)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			equal(t, "clean", Clean(tt.in), tt.want)
			equal(t, "clean again", Clean(tt.want), tt.want)
		})
	}
}

func FuzzClean(f *testing.F) {
	for _, seed := range []string{"", "a\nb", "\xff\xc3", "😀😀", "\x7f\u0085"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		if len(got) > MaxLabel || !isClean(got) || Clean(got) != got {
			t.Errorf("Clean(%q) = %q", s, got)
		}
	})
}
