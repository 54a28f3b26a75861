package suggest

import (
	"testing"

	"github.com/ccwatchd/ccwatchd/test/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func TestNearest(t *testing.T) {
	keys := []string{"path", "labels", "limits", "map", "scan", "sources"}
	for word, want := range map[string]string{
		"skan": "scan", "label": "labels", "limit": "limits", "sorces": "sources", "src": "", "source": "sources",
		"lab": "labels", "": "", "x": "", "interval": "", "mpa": "map", "scan": "scan", "PATH": "path",
	} {
		if got := Nearest(word, keys); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "top", 3}, {"top", "", 3}, {"top", "top", 0}, {"tpo", "top", 2}, {"repot", "report", 1}, {"kitten", "sitting", 3}} {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("%s, %s: got %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
