package config

import (
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
)

func TestValidate(t *testing.T) {
	noGroup := func(reference string) string {
		return "labels.project.map[0].name: " + reference +
			" refers to a group that match does not have; ${1}_x is group 1 followed by _x"
	}
	for _, test := range []struct {
		name   string
		change func(c *Config, dir string)
		want   string
	}{
		{"nothing", func(*Config, string) {}, ""},
		{"no sources", func(c *Config, _ string) { c.Sources = nil }, "sources: none are configured"},
		{"no path", func(c *Config, _ string) { c.Sources[0].Path = "" }, "sources[0].path: missing"},
		{"relative path", func(c *Config, _ string) { c.Sources[0].Path = "projects" }, `sources[0].path: "projects" is not an absolute path`},
		{"double star", func(c *Config, dir string) { c.Sources[0].Path = filepath.Join(dir, "**") }, "sources[0].path: ** is not supported: directories are always read recursively"},
		{"label", func(c *Config, _ string) { c.Sources[0].Labels = map[string]string{"user_2": "x", "_x": ""} }, ""},
		{"label with a dash", func(c *Config, _ string) { c.Sources[0].Labels = map[string]string{"a-b": "x"} }, `sources[0].labels: invalid label name "a-b": use letters, digits and underscores, and no digit at the beginning`},
		{"label without a name", func(c *Config, _ string) { c.Sources[0].Labels = map[string]string{"": "x"} }, `sources[0].labels: invalid label name "": use letters, digits and underscores, and no digit at the beginning`},
		{"label of Prometheus", func(c *Config, _ string) { c.Sources[0].Labels = map[string]string{"__name__": "x"} }, `sources[0].labels: invalid label name "__name__": names that begin with __ are reserved for Prometheus`},
		{"label of a metric", func(c *Config, _ string) { c.Sources[0].Labels = map[string]string{"project": "x"} }, `sources[0].labels: invalid label name "project": the metrics already have this label`},
		{"label of a histogram", func(c *Config, _ string) { c.Sources[0].Labels = map[string]string{"le": "x"} }, `sources[0].labels: invalid label name "le": the metrics already have this label`},
		{"label of the scrape", func(c *Config, _ string) { c.Sources[0].Labels = map[string]string{"instance": "x", "job": "y"} }, `sources[0].labels: invalid label name "instance": Prometheus adds this label when it scrapes` + "\n" + `sources[0].labels: invalid label name "job": Prometheus adds this label when it scrapes`},
		{"placeholder without a pattern", func(c *Config, _ string) { c.Sources[0].Labels = map[string]string{"user": "{1}"} }, `sources[0].labels.user: {1} has no corresponding * in the path`},
		{"placeholders", func(c *Config, dir string) {
			c.Sources[0] = Source{Path: filepath.Join(dir, "*", "a*"), Labels: map[string]string{"user": "{1}{2}{x}{}"}}
		}, ""},
		{"placeholders without a *", func(c *Config, dir string) {
			c.Sources[0] = Source{Path: filepath.Join(dir, "*"), Labels: map[string]string{"user": "{0}{1}{2}"}}
		}, "sources[0].labels.user: {0} has no corresponding * in the path\nsources[0].labels.user: {2} has no corresponding * in the path"},
		{"a pattern that is not UTF-8", func(c *Config, dir string) { c.Sources[0].Path = filepath.Join(dir, "*\xff") }, "sources[0].path: read pattern: error parsing regexp: invalid UTF-8: `\xff$`"},
		{"one inside the other", func(c *Config, dir string) {
			c.Sources = append(c.Sources, Source{Path: dir})
		}, "sources[0].path: DIR/projects is inside DIR of sources[1]: its files would be read twice"},
		{"naming", func(c *Config, _ string) { c.Labels.Projects.Naming = "title" }, `labels.project.naming: expected one of name, path and none, got "title"`},
		{"empty rule", func(c *Config, _ string) { c.Labels.Projects.Map = []Rule{{}} }, "labels.project.map[0].match: missing\nlabels.project.map[0].name: missing"},
		{"rule", func(c *Config, _ string) {
			c.Labels.Projects.Map = []Rule{{Match: pattern(t, "/(a)(?P<b>c)"), Name: "$1-${2}-$b-${b}$$x-$0"}}
		}, ""},
		{"no such group", func(c *Config, _ string) {
			c.Labels.Projects.Map = []Rule{{Match: pattern(t, "(a)"), Name: "$1_x ${2} $b $1é"}}
		}, noGroup("$1_x") + "\n" + noGroup("${2}") + "\n" + noGroup("$b") + "\n" + noGroup("$1é")},
		{"commands", func(c *Config, _ string) { c.Labels.Commands = []string{"ok", "", "a/b", "*"} }, "labels.commands[1]: invalid command name \"\"\nlabels.commands[2]: invalid command name \"a/b\""},
		{"max values", func(c *Config, _ string) { c.Labels.MaxValues.Tool = -1; c.Labels.MaxValues.Model = 10001 }, "labels.max_values.model: 10001 is not between 0 and 10000\nlabels.max_values.tool: -1 is not between 0 and 10000"},
		{"no buckets", func(c *Config, _ string) { c.Buckets.ToolDuration = nil }, "buckets.tool_duration_seconds: expected 1 to 100 bounds, got 0"},
		{"too many buckets", func(c *Config, _ string) {
			c.Buckets.TurnDuration = make([]float64, 101)
			for i := range c.Buckets.TurnDuration {
				c.Buckets.TurnDuration[i] = float64(i)
			}
		}, "buckets.turn_duration_seconds: expected 1 to 100 bounds, got 101"},
		{"buckets that are not finite", func(c *Config, _ string) {
			c.Buckets.CompactionPreTokens = []float64{math.NaN(), 1, math.Inf(1)}
		}, "buckets.compaction_pre_tokens: NaN is not a finite number\nbuckets.compaction_pre_tokens: +Inf is not a finite number"},
		{"equal buckets", func(c *Config, _ string) { c.Buckets.ToolDuration = []float64{1, 1} }, "buckets.tool_duration_seconds: 1 follows 1: bounds must increase"},
		{"intervals", func(c *Config, _ string) { c.Intervals = Intervals{} }, "intervals.scan: 0s is not between 1s and 1d\n" +
			"intervals.poll: 0s is not between 10ms and 1h\nintervals.message_timeout: 0s is not between 1s and 10y\n" +
			"intervals.checkpoint: 0s is not between 1s and 1d\nintervals.sync: 0s is not between 10ms and 1h\n" +
			"intervals.session_active: 0s is not between 1s and 10y"},
		{"no zero window", func(c *Config, _ string) { c.Intervals.ZeroWindow = 0 }, ""},
		{"longest zero window", func(c *Config, _ string) { c.Intervals.ZeroWindow = Duration(time.Hour) }, ""},
		{"zero window", func(c *Config, _ string) { c.Intervals.ZeroWindow = Duration(time.Hour + time.Second) }, "intervals.zero_window: 1h1s is not between 0s and 1h"},
		{"negative zero window", func(c *Config, _ string) { c.Intervals.ZeroWindow = -1 }, "intervals.zero_window: 0s is not between 0s and 1h"},
		{"limits", func(c *Config, _ string) { c.Limits.LineSize = 100 }, "limits.line_size: 100B is not between 4KiB and 1GiB"},
		{"share of a core", func(c *Config, _ string) { c.Limits.PollCores = math.NaN() }, "limits.poll_cores: NaN is not between 0.0001 and 1"},
		{"retention", func(c *Config, _ string) { c.Retention.DedupKeys = Duration(time.Minute) }, "retention.dedup_keys: 1m is not between 1h and 10y"},
		{"history", func(c *Config, _ string) { c.History.DetailedFor = Duration(time.Minute) }, "history.detailed_for: 1m is not between 1d and 10y"},
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
		if f.Type == ledger.Histogram && len(bounds[f.Name]) == 0 {
			t.Errorf("no bounds for %s", f.Name)
		}
		delete(bounds, f.Name)
	}
	for name := range bounds {
		t.Errorf("got bounds for %s, which is not a histogram", name)
	}
}
