package config

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
)

// TestMistakes has the values that a file can contain.
func TestValidate(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(c *Config, dir string)
		want   string
	}{
		{"nothing", func(*Config, string) {}, ""},
		{"no sources", func(c *Config, _ string) { c.Sources = nil }, "sources: none are configured"},
		{"label", func(c *Config, _ string) { c.Sources[0].Labels = map[string]string{"user_2": "x", "_x": ""} }, ""},
		{"placeholders", func(c *Config, dir string) {
			c.Sources[0] = Source{Path: filepath.Join(dir, "*", "a*"), Labels: map[string]string{"user": "{1}{2}{x}{}"}}
		}, ""},
		{"a pattern that is not UTF-8", func(c *Config, dir string) { c.Sources[0].Path = filepath.Join(dir, "*\xff") }, "sources[0].path: read pattern: error parsing regexp: invalid UTF-8: `\xff$`"},
		{"one inside the other", func(c *Config, dir string) {
			c.Sources = append(c.Sources, Source{Path: dir})
		}, "sources[0].path: DIR/projects is inside DIR of sources[1]: its files would be read twice"},
		{"rule", func(c *Config, _ string) {
			c.Labels.Projects.Map = []Rule{{Match: pattern(t, "/(a)(?P<b>c)"), Name: "$1-${2}-$b-${b}$$x-$0"}}
		}, ""},
		{"too many buckets", func(c *Config, _ string) {
			c.Buckets["turn_duration_seconds"] = make([]float64, 101)
			for i := range c.Buckets["turn_duration_seconds"] {
				c.Buckets["turn_duration_seconds"][i] = float64(i)
			}
		}, "buckets.turn_duration_seconds: expected 1 to 100 bounds, got 101"},
		{"no zero window", func(c *Config, _ string) { c.Intervals.ZeroWindow = 0 }, ""},
		{"longest zero window", func(c *Config, _ string) { c.Intervals.ZeroWindow = Duration(time.Hour) }, ""},
		{"negative zero window", func(c *Config, _ string) { c.Intervals.ZeroWindow = -1 }, "intervals.zero_window: 0s is not between 0s and 1h"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := realTempDir(t)
			c := Settings()
			c.Sources = []Source{{Path: filepath.Join(dir, "projects")}}
			test.change(c, dir)
			if got := message(c.Validate(), dir); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// A source cannot have a label that any family has.
func TestReserved(t *testing.T) {
	for _, f := range ledger.Families(ledger.Options{}) {
		for _, label := range f.Labels {
			if labelNameProblem(label) == "" {
				t.Errorf("a source can have the label %s of %s", label, f.Name)
			}
		}
	}
}

// There are bounds for exactly the existing histograms.
func TestByFamily(t *testing.T) {
	bounds := Settings().Buckets.ByFamily()
	for _, f := range ledger.Families(ledger.Options{}) {
		if f.Type == counters.Histogram && len(bounds[f.Name]) == 0 {
			t.Errorf("no bounds for %s", f.Name)
		}
		delete(bounds, f.Name)
	}
	for name := range bounds {
		t.Errorf("got bounds for %s, which is not a histogram", name)
	}
}
