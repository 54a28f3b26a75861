package torture

import (
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/internal/reference"
)

// expose returns the exposition of some lines of the text format.
func expose(t *testing.T, text string) *exposition {
	t.Helper()
	x, err := decode(strings.NewReader(text), plainText)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

const (
	tokens   = "# TYPE claude_tokens_total counter\nclaude_tokens_total{type=\"input\"} "
	outputs  = "claude_tokens_total{type=\"output\"} "
	scans    = "# TYPE ccwatchd_scans_total counter\nccwatchd_scans_total "
	lineages = "# TYPE ccwatchd_lines_total counter\nccwatchd_lines_total{type=\"user\"} "
	routines = "# TYPE go_goroutines gauge\ngo_goroutines "
	memory   = "# TYPE process_resident_memory_bytes gauge\nprocess_resident_memory_bytes "
	turns    = "# TYPE claude_turn_duration_seconds histogram\n"
	restart  = "restart"
	missed   = "missed"
	older    = "older"
	newer    = "newer"
)

// The judge sees what is wrong with a sequence of scrapes, and nothing else.
func TestJudge(t *testing.T) {
	for _, test := range []struct {
		name    string
		scrapes []string
		want    string
	}{
		{"everything grows", []string{tokens + "5\n", tokens + "5\n", restart, tokens + "7\n"}, ""},
		{"a counter falls", []string{tokens + "5\n", tokens + "4\n"}, `scrape 2: claude_tokens_total{type="input"} fell: want at least 5, got 4`},
		{"a counter falls over a restart", []string{tokens + "5\n", restart, tokens + "4\n"}, `claude_tokens_total{type="input"} fell`},
		{"lines read are kept too", []string{lineages + "5\n", restart, lineages + "4\n"}, `ccwatchd_lines_total{type="user"} fell`},
		{"a series vanishes", []string{tokens + "5\n" + outputs + "1\n", tokens + "5\n"}, `claude_tokens_total{type="output"} has vanished: want at least 1, got nothing`},
		{"a series of zero vanishes", []string{tokens + "0\n", lineages + "1\n"}, `has vanished`},
		{"the first one counts", []string{tokens + "5\n", tokens + "4\n", tokens + "3\n"}, `want at least 5, got 4`},
		{"a bucket falls", []string{
			turns + "claude_turn_duration_seconds_bucket{le=\"1\"} 2\nclaude_turn_duration_seconds_bucket{le=\"+Inf\"} 3\nclaude_turn_duration_seconds_sum 9\nclaude_turn_duration_seconds_count 3\n",
			turns + "claude_turn_duration_seconds_bucket{le=\"1\"} 1\nclaude_turn_duration_seconds_bucket{le=\"+Inf\"} 3\nclaude_turn_duration_seconds_sum 9\nclaude_turn_duration_seconds_count 3\n",
		}, "claude_turn_duration_seconds le 1 fell: want at least 2, got 1"},
		{"a series begins at zero", []string{tokens + "5\n", tokens + "5\n" + outputs + "0\n", tokens + "5\n" + outputs + "9\n"}, ""},
		{"a series does not", []string{tokens + "5\n", tokens + "5\n" + outputs + "9\n"}, `claude_tokens_total{type="output"} is new: want 0, got 9`},
		{"it may have where nobody saw it", []string{tokens + "5\n", missed, tokens + "5\n" + outputs + "9\n"}, ""},
		{"health begins anew", []string{scans + "9\n", restart, scans + "1\n"}, ""},
		{"health falls", []string{scans + "9\n", scans + "1\n"}, "ccwatchd_scans_total fell"},
		{"a series is as old as it was", []string{older, restart, older}, ""},
		{"a series is created anew", []string{older, restart, newer}, "x was created anew: want 2, got 3"},
		{"gauges fall", []string{routines + "20\n", routines + "10\n"}, ""},
		{"goroutines leak", []string{routines + "20\n", routines + "51\n"}, "go_goroutines leaks: want at most 50, got 51"},
		{"memory leaks", []string{memory + "3e+08\n"}, "process_resident_memory_bytes leaks"},
	} {
		t.Run(test.name, func(t *testing.T) {
			told := 0
			j := newJudge(func(error) { told++ })
			for _, scrape := range test.scrapes {
				switch scrape {
				case restart:
					j.born()
				case missed:
					j.missed()
				case older:
					j.see(&exposition{kept: numbers{"x": 1}, created: numbers{"x": 2}}, "")
				case newer:
					j.see(&exposition{kept: numbers{"x": 1}, created: numbers{"x": 3}}, "")
				default:
					j.see(expose(t, scrape), scrape)
				}
			}
			switch {
			case test.want == "" && j.verdict != nil:
				t.Errorf("it finds %v", j.verdict)
			case test.want != "" && (j.verdict == nil || !strings.Contains(j.verdict.Error(), test.want)):
				t.Errorf("it finds %v, want %s", j.verdict, test.want)
			case test.want != "" && told != 1:
				t.Errorf("it tells %d times", told)
			}
		})
	}
}

// What was written and what is shown must be equal, label by label.
func TestUnequal(t *testing.T) {
	const main, helper = `{agent="main",model="m",type="input"} `, `{agent="subagent",model="m",type="input"} `
	const family = "# TYPE claude_tokens_total counter\n"
	want := family + "claude_tokens_total" + main + "7\nclaude_tokens_total" + helper + "3\n"
	for _, test := range []struct{ name, got, want string }{
		{"equal", want, ""},
		{"lines were read again", want + lineages + "9\n", ""},
		{"of another agent", family + "claude_tokens_total" + main + "10\n", ""},
		{"one is lost", family + "claude_tokens_total" + main + "7\nclaude_tokens_total" + helper + "2\n", `claude_tokens_total{model="m", type="input"}: want 10, got 9`},
		{"nothing is there", "", `want 10, got 0`},
		{"one is twice there", family + "claude_tokens_total" + main + "7\nclaude_tokens_total" + helper + "6\n", `want 10, got 13`},
		{"one is of another model", want + "claude_tokens_total{model=\"n\"} 1\n", `claude_tokens_total{model="n"}: want nothing, got 1`},
		{"one is zero", want + "claude_tokens_total{model=\"n\"} 0\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := unequal(expose(t, want).kept, expose(t, test.got).kept)
			if text := errorText(got); text == "" != (test.want == "") || !strings.Contains(text, test.want) {
				t.Errorf("it finds %q, want %q", text, test.want)
			}
		})
	}
}

// The totals must be those of the writer. Lines do not count: they are read again.
func TestDifference(t *testing.T) {
	truth := func(prompts, lines int64) reference.Totals {
		return reference.Totals{{Metric: "human_turns", Labels: "kind=text"}: prompts, {Metric: "entries", Labels: "type=user"}: lines}
	}
	for _, test := range []struct {
		name string
		got  reference.Totals
		want string
	}{
		{"equal", truth(5, 9), ""},
		{"a line is lost", truth(4, 9), "human_turns{kind=text} differs: want 5, got 4 (and 0 more differences)"},
		{"one is counted twice", truth(6, 9), "human_turns{kind=text} differs: want 5, got 6 (and 0 more differences)"},
		{"nothing is there", nil, "human_turns{kind=text} missing: want 5, got 0 (and 0 more differences)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if text := errorText(difference(counted(truth(5, 7)), test.got)); text != test.want {
				t.Errorf("it finds %q, want %q", text, test.want)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestLog(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "level=INFO msg=\"Restored state\" files=7\n", ""},
		{"no whole line", "level=ERROR msg=x", ""},
		{"a line in pieces", "level=ERR|OR msg=x\n", "tells of a fault: level=ERROR msg=x"},
		{"a panic", "panic: runtime error\n", "tells of a fault: panic"},
		{"a bad configuration", "level=ERROR msg=\"Failed to reload the configuration, the old one stays in force\" err=x\n", ""},
		{"the id of a session", "level=INFO id=0f8fad5b-d9cb-469f-a165-70867728950e\n", "tells what is private"},
		{"the name of a file", "level=INFO name=session.jsonl\n", "tells what is private"},
		{"a directory", "level=WARN err=\"open /home/dev/app: denied\"\n", "tells what is private"},
		{"the directory of a project", "level=WARN dir=C--Users-dev-app\n", "tells what is private"},
		{"what somebody said", "level=DEBUG line=" + marker + "\n", "tells what is private"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var kept strings.Builder
			said := ""
			l := &log{keep: &kept, wrong: func(why string, line []byte) { said += why + ": " + string(line) }}
			for piece := range strings.SplitSeq(test.text, "|") {
				if _, err := l.Write([]byte(piece)); err != nil {
					t.Fatal(err)
				}
			}
			if said == "" != (test.want == "") || !strings.HasPrefix(said, test.want) {
				t.Errorf("it says %q, want %q", said, test.want)
			}
			if whole := strings.ReplaceAll(test.text, "|", ""); strings.HasSuffix(whole, "\n") && kept.String() != whole {
				t.Errorf("it keeps %q of %q", &kept, whole)
			}
		})
	}
}
