package metrics

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxHelp is the maximum number of characters of a HELP text.
const maxHelp = 120

// The HELP text of a family is a noun phrase or one sentence. Everything else is a
// caveat, which only the documentation shows.
func TestHelp(t *testing.T) {
	daemon, err := daemonFamilies()
	if err != nil {
		t.Fatal(err)
	}
	unused := maps.Clone(daemonCaveats)
	for _, f := range slices.Concat(daemon, ledgerFamilies(defaults(t))) {
		delete(unused, f.Name)
		if f.Name == "ccwatchd_build_info" { // a library has its text
			continue
		}
		if n := utf8.RuneCountInString(f.Help); n > maxHelp {
			t.Errorf("help of %s: got %d characters, want at most %d", f.Name, n, maxHelp)
		}
		if strings.Index(f.Help, ".") != len(f.Help)-1 {
			t.Errorf("help of %s: got %q, want one sentence", f.Name, f.Help)
		}
		if f.Caveat != "" && !strings.HasSuffix(f.Caveat, ".") {
			t.Errorf("caveat of %s: got %q, want a period at the end", f.Name, f.Caveat)
		}
	}
	for name := range unused {
		t.Errorf("%s has a caveat, but the daemon has no such family", name)
	}
}
