package ledger

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/counters"
)

// Every family follows the conventions for names, labels and texts.
func TestFamilies(t *testing.T) {
	o := testOptions()
	all := Families(o)
	names := make(map[string]bool)
	for i := range all {
		f := &all[i]
		if names[f.Name] {
			t.Errorf("got %s twice", f.Name)
		}
		names[f.Name] = true
		checkName(t, f)
		checkTexts(t, f)
		checkLabels(t, f)
		if !slices.Equal(f.Buckets, o.Buckets[f.Name]) {
			t.Errorf("buckets of %s: got %v, want %v", f.Name, f.Buckets, o.Buckets[f.Name])
		}
	}
	for name := range o.Buckets {
		if !names[name] {
			t.Errorf("missing %s", name)
		}
	}
}

func checkName(t *testing.T, f *counters.Family) {
	t.Helper()
	if f.Sourced != strings.HasPrefix(f.Name, "claude_") || !f.Sourced && !strings.HasPrefix(f.Name, "ccwatchd_") {
		t.Errorf("%s has the wrong prefix", f.Name)
	}
	if (f.Type == counters.Counter) != strings.HasSuffix(f.Name, "_total") {
		t.Errorf("%s of type %d: only counters end in _total", f.Name, f.Type)
	}
	unit := uint64(1)
	switch name := strings.TrimSuffix(f.Name, "_total"); {
	case strings.HasSuffix(name, "_seconds"):
		unit = milli
	case strings.HasSuffix(name, "_usd"):
		unit = nano
	}
	if f.Divisor() != unit {
		t.Errorf("%s: got %d in a unit, want %d", f.Name, f.Divisor(), unit)
	}
}

func checkTexts(t *testing.T, f *counters.Family) {
	t.Helper()
	for what, text := range map[string]string{"help": f.Help, "caveat": f.Caveat} {
		if text != "" && (!strings.HasSuffix(text, ".") || strings.TrimSpace(text) != text || strings.Contains(text, "  ")) {
			t.Errorf("%s of %s: got %q, want a sentence", what, f.Name, text)
		}
	}
	if f.Help == "" || len(f.Help) > 120 || strings.Contains(f.Help, "`") {
		t.Errorf("help of %s: got %q, want a text of at most 120 characters without markup", f.Name, f.Help)
	}
}

var labelName = regexp.MustCompile(`^[a-z][a-z_]*$`)

func checkLabels(t *testing.T, f *counters.Family) {
	t.Helper()
	for i, label := range f.Labels {
		if !labelName.MatchString(label) || label == "le" || slices.Contains(f.Labels[:i], label) {
			t.Errorf("%s: got label %q", f.Name, label)
		}
	}
}

// Without options a histogram has buckets, and nothing else has.
func TestDefaults(t *testing.T) {
	limits, buckets := Defaults()
	for _, f := range Families(Options{}) {
		bounds, ok := buckets[f.Name]
		if histogram := f.Type == counters.Histogram; ok != histogram || (len(bounds) > 0) != histogram {
			t.Errorf("%s: got buckets %v", f.Name, bounds)
		}
		if !slices.Equal(f.Buckets, bounds) || !slices.IsSorted(bounds) || len(slices.Compact(slices.Clone(bounds))) != len(bounds) {
			t.Errorf("%s: got buckets %v, want %v, in order", f.Name, f.Buckets, bounds)
		}
	}
	for label, n := range limits {
		if n < 1 {
			t.Errorf("label %s: got a limit of %d", label, n)
		}
	}
}
