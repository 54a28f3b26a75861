package reference

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/filetest"
)

// Both files in testdata have the same totals, with every metric of the table.
const (
	expectedFile   = "testdata/expected.tsv"
	expositionFile = "testdata/exposition.txt"
)

func TestCompareEqual(t *testing.T) {
	expected, exposition := filetest.Read(t, expectedFile), filetest.Read(t, expositionFile)
	if d := compare(t, expected, exposition, Options{}); len(d) != 0 {
		t.Errorf("differences: %v", d)
	}
	totals, err := ParseTSV(strings.NewReader(expected))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := totals.NonZero(), 59; got != want {
		t.Errorf("got %d nonzero totals, want %d", got, want)
	}
	for _, c := range correspondences {
		if !strings.Contains("\n"+expected, "\n"+c.metric+"\t") {
			t.Errorf("%s lacks the metric %s", expectedFile, c.metric)
		}
	}
}

// A change of any total of the reference causes exactly one difference.
func TestCompareEveryTSVChange(t *testing.T) {
	expected, exposition := filetest.Read(t, expectedFile), filetest.Read(t, expositionFile)
	for i, line := range lines(expected) {
		metric, _, _ := strings.Cut(line, "\t")
		if slices.Contains(withoutCounterpart, metric) || strings.Contains(line, "fallback_message") || strings.Contains(line, "contextWindow") {
			continue
		}
		t.Run(line, func(t *testing.T) {
			at := strings.LastIndex(line, "\t") + 1
			d := compare(t, replaceLine(expected, i, line[:at]+plusOne(t, line[at:])), exposition, Options{})
			if len(d) != 1 || d[0].Key.Metric != metric || d[0].Want != d[0].Got+1 {
				t.Errorf("got %v for an increased total", d)
			}
		})
	}
}

// A change of any sample causes a difference. A sample may belong to several metrics;
// zeros and buckets belong to none.
func TestCompareEveryExpositionChange(t *testing.T) {
	expected, exposition := filetest.Read(t, expectedFile), filetest.Read(t, expositionFile)
	for i, line := range lines(exposition) {
		if strings.HasPrefix(line, "#") || strings.Contains(line, "_bucket") || strings.HasPrefix(line, "go_") {
			continue
		}
		at := strings.LastIndex(line, " ") + 1
		t.Run("more "+line, func(t *testing.T) {
			d := compare(t, expected, replaceLine(exposition, i, line[:at]+plusOne(t, line[at:])), Options{})
			if len(d) == 0 {
				t.Error("got no difference for an increased sample")
			}
			for _, x := range d {
				if x.Got <= x.Want {
					t.Errorf("got %v for an increased sample", x)
				}
			}
		})
		if line[at:] == "0" {
			continue
		}
		t.Run("without "+line, func(t *testing.T) {
			if d := compare(t, expected, replaceLine(exposition, i, ""), Options{}); len(d) == 0 {
				t.Error("got no difference for a missing sample")
			}
		})
	}
}

func TestCompareDifferences(t *testing.T) {
	const counter = "# TYPE claude_prompts_total counter\n"
	const duration = "# TYPE claude_tool_duration_seconds histogram\n" +
		"claude_tool_duration_seconds_bucket{tool=\"Bash\",le=\"+Inf\"} 1\n" +
		"claude_tool_duration_seconds_count{tool=\"Bash\"} 1\n" +
		"claude_tool_duration_seconds_sum{tool=\"Bash\"} "
	const sessions = "# TYPE claude_sessions_total counter\nclaude_sessions_total 1\n"
	const latency = "tool_latency_count\tname=Bash\t1\ntool_latency_ms\tname=Bash\t1500\n"
	for _, test := range []struct {
		name                 string
		expected, exposition string
		options              Options
		want                 []string
	}{
		{
			name:       "metrics that the reference lacks are not compared",
			expected:   "sessions\t\t1\n",
			exposition: sessions + "# TYPE claude_reported_sessions_total counter\nclaude_reported_sessions_total 1\n",
		},
		{
			name:       "they are compared with expected totals that have one",
			expected:   "sessions\t\t1\nreported_sessions\t\t0\n",
			exposition: sessions + "# TYPE ccwatchd_unknown_format_total counter\nccwatchd_unknown_format_total{kind=\"usage_key\"} 3\n",
			want:       []string{"unknown_format{kind=usage_key} extra: want 0, got 3"},
		},
		{
			name:     "empty exposition",
			expected: "human_turns\tkind=text\t6\nsessions\t\t2\n",
			want:     []string{"human_turns{kind=text} missing: want 6, got 0", "sessions{} missing: want 2, got 0"},
		},
		{
			name:       "sorted by metric and labels",
			expected:   "human_turns\tkind=text\t6\nhuman_turns\tkind=bash\t1\n",
			exposition: counter + "claude_prompts_total{kind=\"text\"} 7\nclaude_prompts_total{kind=\"sdk\"} 1\n",
			want: []string{
				"human_turns{kind=bash} missing: want 1, got 0",
				"human_turns{kind=sdk} extra: want 0, got 1",
				"human_turns{kind=text} differs: want 6, got 7",
			},
		},
		{
			name:       "missing equals zero",
			expected:   "human_turns\tkind=text\t0\n",
			exposition: counter + "claude_prompts_total{kind=\"sdk\"} 0\n",
		},
		{
			name:       "names with the same cleaned value are added up",
			expected:   "tool_calls\tname=a\\tb\t1\ntool_calls\tname=ab\t2\ntool_calls\tname=" + strings.Repeat("é", 70) + "\t4\n",
			exposition: "# TYPE claude_tool_calls_total counter\nclaude_tool_calls_total{tool=\"ab\"} 3\nclaude_tool_calls_total{tool=\"" + strings.Repeat("é", 64) + "\"} 4\n",
		},
		{
			name:       "invalid UTF-8 is one replacement or several",
			expected:   "tool_calls\tname=a\xe2\x82b\t1\n",
			exposition: "# TYPE claude_tool_calls_total counter\nclaude_tool_calls_total{tool=\"a\uFFFDb\"} 1\n",
		},
		{
			name:       "latency without tolerance",
			expected:   latency,
			exposition: duration + "1.502\n",
			want:       []string{"tool_latency_ms{name=Bash} differs: want 1500, got 1502"},
		},
		{
			name:       "latency within the tolerance",
			expected:   latency,
			exposition: duration + "1.502\n",
			options:    Options{LatencyTolerance: 2 * time.Millisecond},
		},
		{
			name:       "latency beyond the tolerance",
			expected:   latency,
			exposition: duration + "1.497\n",
			options:    Options{LatencyTolerance: 2 * time.Millisecond},
			want:       []string{"tool_latency_ms{name=Bash} differs: want 1500, got 1497"},
		},
		{
			name:       "tolerance affects only latencies",
			expected:   "human_turns\tkind=text\t6\n",
			exposition: counter + "claude_prompts_total{kind=\"text\"} 7\n",
			options:    Options{LatencyTolerance: time.Hour},
			want:       []string{"human_turns{kind=text} differs: want 6, got 7"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, d := range compare(t, test.expected, test.exposition, test.options) {
				got = append(got, d.String())
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestCompareErrors(t *testing.T) {
	const fine = "sessions\t\t1\n"
	for _, test := range []struct{ name, expected, exposition, want string }{
		{"no totals", "", "", "read the reference: no totals"},
		{"a usage message", "usage: oracle\n", "", "parse line 1 of the reference: 1 columns instead of metric, labels and value"},
		{"an unknown metric", fine + "compaction\t\t1\n", "", `parse line 2 of the reference: unknown metric "compaction"`},
		{"a value that is not an integer", "sessions\t\t1.5\n", "", `parse line 1 of the reference: parse the value of sessions: strconv.ParseInt: parsing "1.5": invalid syntax`},
		{"missing label", "api_errors\tclass=x\t1\n", "", `parse line 1 of the reference: api_errors does not have the labels ["class" "status"] in "class=x"`},
		{"extra label", "messages\tfast=1,model=x\t1\n", "", `parse line 1 of the reference: messages does not have the labels ["model"] in "fast=1,model=x"`},
		{"label of a metric without labels", "sessions\tproject=x\t1\n", "", `parse line 1 of the reference: sessions must not have labels, got "project=x"`},
		{"no exposition", fine, "<html>\n", "parse the exposition: "},
		{"untyped family", fine, "claude_sessions_total 1\n", "read claude_sessions_total: got a UNTYPED, want a COUNTER"},
		{"fraction", fine, "# TYPE claude_sessions_total counter\nclaude_sessions_total 0.5\n", "read claude_sessions_total: 0.5 is not a count"},
		{"negative counter", fine, "# TYPE claude_sessions_total counter\nclaude_sessions_total -1\n", "read claude_sessions_total: -1 is not a count"},
		{"NaN", fine, "# TYPE claude_sessions_total counter\nclaude_sessions_total NaN\n", "read claude_sessions_total: NaN is not a count"},
		{"counter instead of histogram", fine, "# TYPE claude_turn_duration_seconds counter\nclaude_turn_duration_seconds 1\n", "read claude_turn_duration_seconds: got a COUNTER, want a HISTOGRAM"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := compareTexts(test.expected, test.exposition, Options{})
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

// ParseTSV accepts the names of tools that models invent.
func FuzzParseTSV(f *testing.F) {
	for _, seed := range []string{"", "opus", `Task" >` + "\n<parameter", `a\tb\`, "a,type=b", ",name=,name=", "=\r\t\\n", "\xff\u2028"} {
		f.Add(seed)
	}
	escape := strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)
	f.Fuzz(func(t *testing.T, name string) {
		line := fmt.Sprintf("tool_calls\tname=%s\t7\n", escape.Replace(name))
		got, err := ParseTSV(strings.NewReader(line))
		if err != nil {
			t.Fatal(err)
		}
		if key := (Key{"tool_calls", "name=" + clean(name)}); len(got) != 1 || got[key] != 7 {
			t.Errorf("%q: got %v", line, got)
		}
		_, _ = ParseTSV(strings.NewReader(name)) // must not panic
		_, _ = ParseExposition(strings.NewReader(name))
	})
}

func compare(t *testing.T, expected, exposition string, o Options) []Difference {
	t.Helper()
	d, err := compareTexts(expected, exposition, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func compareTexts(expected, exposition string, o Options) (Differences, error) {
	want, err := ParseTSV(strings.NewReader(expected))
	if err != nil {
		return nil, err
	}
	got, err := ParseExposition(strings.NewReader(exposition))
	return Diff(want, got, o), err
}

func lines(s string) []string { return strings.Split(strings.TrimSuffix(s, "\n"), "\n") }

// replaceLine replaces the i-th line, or removes it if line is empty.
func replaceLine(s string, i int, line string) string {
	all := lines(s)
	all[i] = line
	return strings.Join(slices.DeleteFunc(all, func(l string) bool { return l == "" }), "\n") + "\n"
}

func plusOne(t *testing.T, number string) string {
	t.Helper()
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		t.Fatal(err)
	}
	return strconv.FormatFloat(v+1, 'f', -1, 64)
}
