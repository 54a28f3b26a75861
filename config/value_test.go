package config

import (
	"testing"
	"time"
)

func TestSize(t *testing.T) {
	for _, test := range []struct {
		text string
		want Size
		ok   bool
	}{
		{"0", 0, true},
		{"1048576", 1 << 20, true},
		{"1B", 1, true},
		{"10kB", 10_000, true},
		{"10KB", 10_000, true},
		{"10MB", 10_000_000, true},
		{"2gb", 2_000_000_000, true},
		{"64MiB", 64 << 20, true},
		{"64 MiB", 64 << 20, true},
		{"1kib", 1 << 10, true},
		{"8589934591GiB", 8589934591 << 30, true},
		{"8589934592GiB", 0, false},
		{"9223372036854775807", 9223372036854775807, true},
		{"9223372036854775808", 0, false},
		{"", 0, false},
		{"MiB", 0, false},
		{" MiB", 0, false},
		{"-1", 0, false},
		{"+1", 0, false},
		{"1.5MiB", 0, false},
		{"1M", 0, false},
		{"1MiBB", 0, false},
		{"1_000", 0, false},
	} {
		got, ok := parseSize(test.text)
		if got != test.want || ok != test.ok {
			t.Errorf("parseSize(%q) = %d, %t, want %d, %t", test.text, got, ok, test.want, test.ok)
		}
	}
}

func TestString(t *testing.T) {
	for size, want := range map[Size]string{
		0: "0B", 1: "1B", 1000: "1000B", 1 << 10: "1KiB", 3 << 19: "1536KiB", 64 << 20: "64MiB", 1 << 40: "1024GiB",
	} {
		if got := size.String(); got != want {
			t.Errorf("%d: got %s, want %s", size, got, want)
		}
		if parsed, ok := parseSize(want); !ok || parsed != size {
			t.Errorf("%s: parsed as %d, want %d", want, parsed, size)
		}
	}
	for d, want := range map[time.Duration]string{
		0: "0s", 500 * time.Millisecond: "500ms", 90 * time.Minute: "1h30m", 60 * 24 * time.Hour: "60d",
	} {
		if got := Duration(d).String(); got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
	}
}

func TestPattern(t *testing.T) {
	for _, test := range []struct{ expr, template, text, want string }{
		{"a(.*)", "$1", "abc", "bc"},
		{"b", "x", "abc", ""},
		{"a|abc", "x", "abc", "x"},
		{"a|b", "x", "abc", ""},
		{"a(.*)c", "$1", "a\nc", "\n"},
		{"(?P<n>b)", "${n}$n", "b", "bb"},
		{"(?i)C:(.*)", "$1", "c:x", "x"},
		{"(a)?b", "$1", "b", ""},
	} {
		if got := pattern(t, test.expr).expand(test.template, test.text); got != test.want {
			t.Errorf("%q on %q: got %q, want %q", test.expr, test.text, got, test.want)
		}
	}
	if got := (Pattern{}).expand("x", ""); got != "" {
		t.Errorf("the zero pattern matches: %q", got)
	}
	if _, err := NewPattern("a)(b"); err == nil {
		t.Error("accepted an expression that closes the surrounding group")
	}
}
