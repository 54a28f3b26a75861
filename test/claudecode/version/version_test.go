package version

import "testing"

func TestContains(t *testing.T) {
	for _, test := range []struct {
		from, to, version string
		want              bool
	}{
		{"", "", "2.1.332", true},
		{"2.1.97", "", "2.1.97", true},
		{"2.1.97", "", "2.1.260", true},
		{"2.1.97", "", "2.1.96", false},
		{"2.1.97", "", "2.0.300", false},
		{"", "2.1.59", "1.0.30", true},
		{"2.0.28", "2.1.0", "2.1.0", true},
		{"2.0.28", "2.1.0", "2.1.1", false},
	} {
		if got := Between(test.from, test.to).Contains(MustParse(test.version)); got != test.want {
			t.Errorf("%s in %s to %s: got %v", test.version, test.from, test.to, got)
		}
	}
}

func TestParse(t *testing.T) {
	for _, text := range []string{"", "2.1", "2.1.x", "2.1.-1", "v2.1.1", "2.1.1.1"} {
		if v, err := Parse(text); err == nil {
			t.Errorf("%q: got %v", text, v)
		}
	}
}
