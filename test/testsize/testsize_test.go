package testsize

import "testing"

func TestOf(t *testing.T) {
	for _, test := range []struct {
		value string
		want  int
	}{{"", 1}, {"large", 2}, {"small", 1}} {
		t.Setenv(variable, test.value)
		if got := Of(2, 1); got != test.want {
			t.Errorf("%q: got %d, want %d", test.value, got, test.want)
		}
	}
}
