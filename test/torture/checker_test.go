package torture

import (
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/exposition"
)

func parse(t *testing.T, text string) exposition.Samples {
	t.Helper()
	samples, err := exposition.ParseText(text)
	if err != nil {
		t.Fatal(err)
	}
	return samples
}

const (
	tokens     = "# TYPE claude_tokens_total counter\nclaude_tokens_total{type=\"input\"} "
	outputs    = "claude_tokens_total{type=\"output\"} "
	scans      = "# TYPE ccwatchd_scans_total counter\nccwatchd_scans_total "
	lines      = "# TYPE ccwatchd_lines_total counter\nccwatchd_lines_total{type=\"user\"} "
	goroutines = "# TYPE go_goroutines gauge\ngo_goroutines "
	memory     = "# TYPE process_resident_memory_bytes gauge\nprocess_resident_memory_bytes "
	turns      = "# TYPE claude_turn_duration_seconds histogram\n"
	restart    = "restart"
	skip       = "skip"
)

// A sequence of scrapes fails the check if it should, and only then.
func TestChecker(t *testing.T) {
	for _, test := range []struct {
		name    string
		scrapes []string
		want    string
	}{
		{"everything grows", []string{tokens + "5\n", tokens + "5\n", restart, tokens + "7\n"}, ""},
		{"a counter falls", []string{tokens + "5\n", tokens + "4\n"}, `scrape 2: claude_tokens_total{type="input"} fell: want at least 5, got 4`},
		{"a counter falls after a restart", []string{tokens + "5\n", restart, tokens + "4\n"}, `claude_tokens_total{type="input"} fell`},
		{"the count of lines is persistent", []string{lines + "5\n", restart, lines + "4\n"}, `ccwatchd_lines_total{type="user"} fell`},
		{"a series vanishes", []string{tokens + "5\n" + outputs + "1\n", tokens + "5\n"}, `claude_tokens_total{type="output"} vanished: want at least 1`},
		{"a series of zero vanishes", []string{tokens + "0\n", lines + "1\n"}, `vanished`},
		{"the first failure counts", []string{tokens + "5\n", tokens + "4\n", tokens + "3\n"}, `want at least 5, got 4`},
		{"a bucket falls", []string{
			turns + "claude_turn_duration_seconds_bucket{le=\"1\"} 2\nclaude_turn_duration_seconds_bucket{le=\"+Inf\"} 3\nclaude_turn_duration_seconds_sum 9\nclaude_turn_duration_seconds_count 3\n",
			turns + "claude_turn_duration_seconds_bucket{le=\"1\"} 1\nclaude_turn_duration_seconds_bucket{le=\"+Inf\"} 3\nclaude_turn_duration_seconds_sum 9\nclaude_turn_duration_seconds_count 3\n",
		}, `claude_turn_duration_seconds_bucket{le="1"} fell: want at least 2, got 1`},
		{"a series begins at zero", []string{tokens + "5\n", tokens + "5\n" + outputs + "0\n", tokens + "5\n" + outputs + "9\n"}, ""},
		{"a series does not begin at zero", []string{tokens + "5\n", tokens + "5\n" + outputs + "9\n"}, `claude_tokens_total{type="output"} is new: want 0, got 9`},
		{"a series was counted before a restart", []string{tokens + "5\n", restart, tokens + "5\n" + outputs + "9\n"}, ""},
		{"a series does not begin at zero some time after a restart", []string{tokens + "5\n", restart, tokens + "5\n", tokens + "5\n" + outputs + "9\n"}, `is new: want 0, got 9`},
		{"its zero may have been in a skipped scrape", []string{tokens + "5\n", skip, tokens + "5\n" + outputs + "9\n"}, ""},
		{"process counters restart", []string{scans + "9\n", restart, scans + "1\n"}, ""},
		{"a process counter falls", []string{scans + "9\n", scans + "1\n"}, "ccwatchd_scans_total fell"},
		{"gauges fall", []string{goroutines + "20\n", goroutines + "10\n"}, ""},
		{"goroutines leak", []string{goroutines + "20\n", goroutines + "51\n"}, "go_goroutines leaks: want at most 50, got 51"},
		{"memory leaks", []string{memory + "3e+08\n"}, "process_resident_memory_bytes leaks"},
	} {
		t.Run(test.name, func(t *testing.T) {
			calls := 0
			c := newChecker(func(error) { calls++ })
			for _, scrape := range test.scrapes {
				switch scrape {
				case restart:
					c.restarted()
				case skip:
					c.skip()
				default:
					c.check(parse(t, scrape), scrape)
				}
			}
			if text := errorText(c.failure); text == "" != (test.want == "") || !strings.Contains(text, test.want) {
				t.Errorf("got failure %q, want %q", text, test.want)
			}
			if test.want != "" && calls != 1 {
				t.Errorf("got %d calls of onFailure, want 1", calls)
			}
		})
	}
}

// Created timestamps persist across restarts.
func TestCheckerCreated(t *testing.T) {
	scrape := func(created int64) exposition.Samples {
		s := parse(t, tokens+"1\n")
		s[0].Created = time.UnixMilli(created)
		return s
	}
	for _, created := range []int64{2, 3} {
		c := newChecker(func(error) {})
		c.check(scrape(2), "")
		c.restarted()
		c.check(scrape(created), "")
		if got := errorText(c.failure); (created == 2) != (got == "") || created != 2 && !strings.Contains(got, `claude_tokens_total{type="input"} was created again`) {
			t.Errorf("created at 2 and %d: got failure %q", created, got)
		}
	}
}

// All series must be equal, except for the labels that depend on the copy read first.
func TestDiffSeries(t *testing.T) {
	const main, helper = `{agent="main",model="m",type="input"} `, `{agent="subagent",model="m",type="input"} `
	const family = "# TYPE claude_tokens_total counter\n"
	want := family + "claude_tokens_total" + main + "7\nclaude_tokens_total" + helper + "3\n"
	for _, test := range []struct{ name, got, want string }{
		{"equal", want, ""},
		{"lines read again", want + lines + "9\n", ""},
		{"another agent", family + "claude_tokens_total" + main + "10\n", ""},
		{"one lost", family + "claude_tokens_total" + main + "7\nclaude_tokens_total" + helper + "2\n", `claude_tokens_total{model="m", type="input"} differs: want 10, got 9`},
		{"nothing", "", `want 10, got 0`},
		{"one counted twice", family + "claude_tokens_total" + main + "7\nclaude_tokens_total" + helper + "6\n", `want 10, got 13`},
		{"another model", want + "claude_tokens_total{model=\"n\"} 1\n", `claude_tokens_total{model="n"} extra: want 0, got 1`},
		{"zero", want + "claude_tokens_total{model=\"n\"} 0\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := newTree(t.TempDir(), nil).diffSeries(parse(t, want), parse(t, test.got))
			if text := errorText(got); text == "" != (test.want == "") || !strings.Contains(text, test.want) {
				t.Errorf("got %q, want %q", text, test.want)
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
		{"a partial line", "level=ERROR msg=x", ""},
		{"a line in pieces", "level=ERR|OR msg=x\n", "has an error: level=ERROR msg=x"},
		{"a panic", "panic: runtime error\n", "has an error: panic"},
		{"a bad configuration", "level=ERROR msg=\"Failed to reload the configuration, the old one stays in force\" err=x\n", ""},
		{"a session id", "level=INFO id=0f8fad5b-d9cb-469f-a165-70867728950e\n", "has private data"},
		{"a file name", "level=INFO name=session.jsonl\n", "has private data"},
		{"a directory", "level=WARN err=\"open /home/dev/app: denied\"\n", "has private data"},
		{"a project directory", "level=WARN dir=C--Users-dev-app\n", "has private data"},
		{"the project of an unreadable directory", "level=WARN msg=\"Failed to read a directory, retrying\" root=/watched directories=1 first=/watched/-home-dev-app err=denied\n", ""},
		{"an unreadable directory of a session", "level=WARN msg=\"Failed to read a directory, retrying\" root=/watched directories=1 first=/watched/-home-dev-app/s err=denied\n", "has private data"},
		{"conversation text", "level=DEBUG line=" + marker + "\n", "has private data"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			got := ""
			l := &log{out: &out, onError: func(why string, line []byte) { got += why + ": " + string(line) }}
			for piece := range strings.SplitSeq(test.text, "|") {
				if _, err := l.Write([]byte(piece)); err != nil {
					t.Fatal(err)
				}
			}
			if got == "" != (test.want == "") || !strings.HasPrefix(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if whole := strings.ReplaceAll(test.text, "|", ""); strings.HasSuffix(whole, "\n") && out.String() != whole {
				t.Errorf("wrote %q of %q", &out, whole)
			}
		})
	}
}
