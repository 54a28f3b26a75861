package difftest

import (
	"fmt"
	"strings"
	"testing"
)

// numbered returns a text of n lines, with a word in some.
func numbered(n int, word string, with ...int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d", i)
		for _, j := range with {
			if i == j {
				b.WriteString(word)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestDiff(t *testing.T) {
	type pair struct {
		Key   string
		value *int
	}
	long := strings.Repeat("x", 1e6)
	every := make([]int, 5000)
	for i := range every {
		every[i] = i
	}
	for _, test := range []struct {
		name      string
		want, got any
		shown     []string // contained in the difference; none: no difference
	}{
		{"equal texts", "a", "a", nil},
		{"equal pointers", pair{"a", new(1)}, pair{"a", new(1)}, nil},
		{"a line of many", numbered(5000, "", 0), numbered(5000, " +", 3000), []string{"-", `"line 3000",`, "+", `"line 3000 +",`}},
		{"all lines", numbered(5000, ""), numbered(5000, " +", every...), []string{"more lines)\n"}},
		{"an unexported field", pair{long, new(1)}, pair{long, new(2)}, []string{"-", "1", "+", "2"}},
		{"a long text", long, "y" + long, []string{"y"}},
		{"a missing value", map[string]int{"a": 1, "b": 2}, map[string]int{"a": 1}, []string{`"b": 2`}},
		{"a nil slice", []int{}, []int(nil), []string{"nil"}},
	} {
		d := Diff(test.want, test.got)
		if (d == "") != (len(test.shown) == 0) {
			t.Errorf("%s: got difference %q", test.name, Head(d))
		}
		for _, part := range test.shown {
			if !strings.Contains(d, part) {
				t.Errorf("%s: got\n%s\nwant it to contain %q", test.name, Head(d), part)
			}
		}
		if n := strings.Count(d, "\n"); n > 41 || len(d) > 4000 {
			t.Errorf("%s: the difference has %d lines and %d bytes", test.name, n, len(d))
		}
	}
}

func TestHead(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", ""},
		{"a\nb", "a\nb"},
		{numbered(40, ""), numbered(40, "")},
		{numbered(42, ""), numbered(40, "") + "… (2 more lines)\n"},
		{strings.Repeat("x", 310) + "\ny\n", strings.Repeat("x", 300) + "… (11 more bytes)\ny\n"},
	} {
		if got := Head(test.text); got != test.want {
			t.Errorf("got\n%s\nwant\n%s", got, test.want)
		}
	}
}
