package backfill

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/difftest"
	"github.com/ccwatchd/ccwatchd/test/leaktest"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/usage/api"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var (
	started = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	now     = started.Add(time.Hour)
)

// sessions returns a history: a session of the morning, read before the first scrape.
func sessions(options func(*ledger.Options)) HistoryReader {
	l := ledgertest.New(started, options)
	s := transcripttest.Session{ID: "s", CWD: `/src/we"b\`, Start: started.Add(-9*time.Minute - 30*time.Second)}
	s.Prompt("go").Reply(transcripttest.Reply{ID: "m", In: 70, Out: 3, Stop: "tool_use", Calls: []transcripttest.Call{{ID: "c", Name: "Bash"}}}).
		Result("c", "ok", false)
	ledgertest.Add(l, 1, map[string]string{"user": "ann"}, s.String(), now)
	l.Counters().Release(l.Counters().Pending())
	return FromLedger(l.History(), "1.2.3", now)
}

func testOptions() Options {
	return Options{Step: 10 * time.Minute, Labels: map[string]string{"job": "j", "user": "bob", "team": ""}}
}

// plan plans a source and checks that it can be read as announced.
func plan(t *testing.T, from HistoryReader, o Options) (*Plan, string) {
	t.Helper()
	p, err := New(t.Context(), from, o)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := p.Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if n := strings.Count(text, "\n") - strings.Count(text, "#"); int64(n) != p.Samples {
		t.Errorf("got %d samples, want %d as planned", n, p.Samples)
	}
	if ratio := float64(len(text)) / float64(p.FileSize); ratio < .8 || ratio > 1.2 {
		t.Errorf("the file has %d bytes, and %d as planned", len(text), p.FileSize)
	}
	return p, text
}

// family returns the lines of a family.
func family(text, name string) string {
	_, rest, _ := strings.Cut(text, "# HELP "+name+" ")
	_, rest, _ = strings.Cut(rest, "\n")
	lines, _, _ := strings.Cut(rest, "# ")
	kind, more, _ := strings.Cut(rest, "\n")
	if lines == "" {
		lines, _, _ = strings.Cut(more, "#")
		return kind + "\n" + lines
	}
	return lines
}

func TestWrite(t *testing.T) {
	p, text := plan(t, sessions(nil), testOptions())
	for name, want := range map[string]string{
		// 70 tokens at 5 dollars, and 3 at 25 dollars a million
		"claude_cost_usd": `# TYPE claude_cost_usd counter
claude_cost_usd_total{agent="main",component="input",job="j",model="opus",project="we\"b\\",user="ann"} 0 1772365800
claude_cost_usd_total{agent="main",component="input",job="j",model="opus",project="we\"b\\",user="ann"} 0.00035 1772366400
claude_cost_usd_total{agent="main",component="output",job="j",model="opus",project="we\"b\\",user="ann"} 0 1772365800
claude_cost_usd_total{agent="main",component="output",job="j",model="opus",project="we\"b\\",user="ann"} 7.5e-05 1772366400
`,
		"claude_tool_duration_seconds": `# TYPE claude_tool_duration_seconds summary
claude_tool_duration_seconds_count{job="j",tool="Bash",user="ann"} 0 1772365800
claude_tool_duration_seconds_sum{job="j",tool="Bash",user="ann"} 0 1772365800
claude_tool_duration_seconds_count{job="j",tool="Bash",user="ann"} 1 1772366400
claude_tool_duration_seconds_sum{job="j",tool="Bash",user="ann"} 1 1772366400
`,
		"ccwatchd_lines": `# TYPE ccwatchd_lines counter
ccwatchd_lines_total{job="j",type="user",user="bob"} 0 1772365800
ccwatchd_lines_total{job="j",type="user",user="bob"} 2 1772366400
ccwatchd_lines_total{job="j",type="assistant",user="bob"} 0 1772365800
ccwatchd_lines_total{job="j",type="assistant",user="bob"} 1 1772366400
`,
	} {
		if got := family(text, name); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
	if !strings.HasSuffix(text, "\n# EOF\n") || strings.Contains(text, "_bucket") {
		t.Errorf("got %s", text)
	}
	if !p.First.Equal(started.Add(-10*time.Minute)) || !p.Last.Equal(started) || p.Scraped || !p.Started.Equal(started) {
		t.Errorf("got %+v", p)
	}
}

// The files of one family follow each other, and there is no family without samples.
func TestFamilies(t *testing.T) {
	_, text := plan(t, sessions(nil), testOptions())
	seen := make(map[string]bool)
	current, samples := "", 1
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(line, "# TYPE "); ok {
			name, _, _ = strings.Cut(name, " ")
			if seen[name] || samples == 0 {
				t.Errorf("%s is repeated, or %s has no samples", name, current)
			}
			seen[name], current, samples = true, name, 0
		} else if !strings.HasPrefix(line, "#") {
			if samples++; !strings.HasPrefix(line, current+"_") {
				t.Errorf("%q is in the family %s", line, current)
			}
		}
	}
	if len(seen) < 10 {
		t.Errorf("got %d families", len(seen))
	}
}

// Nothing is written of a history without increases.
func TestNothing(t *testing.T) {
	p, text := plan(t, sessions(func(o *ledger.Options) { o.FineHistory = 0 }), testOptions())
	if text != "# EOF\n" || p.Samples != 0 || !p.First.IsZero() {
		t.Errorf("got %+v and %q", p, text)
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct {
		change func(*Options)
		want   error
	}{
		{func(o *Options) { o.Step = 0 }, errStep},
		{func(o *Options) { o.Step = 1500 * time.Millisecond }, errStep},
		{func(o *Options) { o.Until = now.Add(time.Second) }, errUntil},
		{func(o *Options) { o.Since = started }, api.ErrRange},
		{func(o *Options) { o.Since, o.Until = started.Add(-time.Hour), started.Add(-2*time.Hour) }, api.ErrRange},
	} {
		o := testOptions()
		test.change(&o)
		if _, err := New(t.Context(), sessions(nil), o); !errors.Is(err, test.want) || !IsInvalid(err) {
			t.Errorf("step %v, since %v, until %v: got error %v, want %v", o.Step, o.Since, o.Until, err, test.want)
		}
	}
	// The header of a daemon states the time in milliseconds, and "now" is more precise.
	o := testOptions()
	o.Until = now.Add(time.Millisecond - 1)
	if _, err := New(t.Context(), sessions(nil), o); err != nil {
		t.Errorf("got %v for the present", err)
	}
	failing := errors.New("a failure")
	broken := func(ctx context.Context, read func(api.HistoryHeader, iter.Seq2[api.HistorySeries, error]) error) error {
		return sessions(nil)(ctx, func(h api.HistoryHeader, _ iter.Seq2[api.HistorySeries, error]) error {
			return read(h, func(yield func(api.HistorySeries, error) bool) { yield(api.HistorySeries{}, failing) })
		})
	}
	if _, err := New(t.Context(), broken, testOptions()); !errors.Is(err, failing) {
		t.Errorf("got %v, want %v", err, failing)
	}
	p, _ := plan(t, sessions(nil), testOptions())
	if err := p.Write(t.Context(), failingWriter{failing}); !errors.Is(err, failing) {
		t.Errorf("got %v, want %v", err, failing)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

// manySeries returns a history of n series that grow every hour of some days.
func manySeries(n, days int) HistoryReader {
	var increases api.Increases
	for hour := range int64(24 * days) {
		at := started.UnixMilli() + (hour-24*int64(days))*60*minute
		increases = append(increases, counters.Increase{Start: at, End: at + 5*minute, Value: 1})
	}
	return func(_ context.Context, read func(api.HistoryHeader, iter.Seq2[api.HistorySeries, error]) error) error {
		h := api.HistoryHeader{Time: now, Started: started, Families: []api.HistoryFamily{{Name: "a_total", Type: "counter", Divisor: 1}}}
		return read(h, func(yield func(api.HistorySeries, error) bool) {
			for i := range n {
				s := api.HistorySeries{Family: "a_total", Labels: map[string]string{"i": strconv.Itoa(i)}, Increases: increases}
				if !yield(s, nil) {
					return
				}
			}
		})
	}
}

// The memory does not depend on the number of series and samples.
func TestMemory(t *testing.T) {
	p, err := New(t.Context(), manySeries(2000, 10), Options{Step: DefaultStep})
	if err != nil {
		t.Fatal(err)
	}
	w := &heapWriter{}
	w.base = w.heap()
	if err := p.Write(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	const limit = 2 << 20
	if w.written < 100<<20 || w.highest > limit {
		t.Errorf("writing %d bytes took %d bytes of memory, want at most %d", w.written, w.highest, limit)
	}
}

// A heapWriter measures the memory in use while it is written to.
type heapWriter struct {
	written, measured, base, highest int64
}

func (*heapWriter) heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func (w *heapWriter) Write(b []byte) (int, error) {
	if w.written += int64(len(b)); w.written-w.measured > 16<<20 {
		w.measured = w.written
		w.highest = max(w.highest, w.heap()-w.base)
	}
	return len(b), nil
}

// Progress is reported, and a canceled context stops the writing.
func TestProgress(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var got []int
	o := Options{Step: DefaultStep, Progress: func(samples int) {
		got = append(got, samples)
		if len(got) == 2 {
			cancel()
		}
	}}
	p, err := New(ctx, manySeries(400, 10), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Write(ctx, io.Discard); !errors.Is(err, context.Canceled) || len(got) != 2 || got[0] != got[1] || int64(got[0]) != p.Samples/int64(p.Series) {
		t.Errorf("got %v after %v of %d samples", err, got, p.Samples)
	}
}

// parseFile returns the samples of a file by series, as "time value".
func parseFile(t *testing.T, text string) map[string][]string {
	t.Helper()
	all := make(map[string][]string)
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		at := strings.LastIndex(line, "} ") + 1
		parts := strings.Fields(line[at:])
		seconds, err := strconv.ParseFloat(parts[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		all[line[:at]] = append(all[line[:at]], fmt.Sprintf("%.0f %s", seconds*1000, parts[0]))
	}
	return all
}

// A history that comes from an API is written like one from a ledger.
func TestFromAPI(t *testing.T) {
	remote := func(ctx context.Context, read func(api.HistoryHeader, iter.Seq2[api.HistorySeries, error]) error) error {
		return sessions(nil)(ctx, func(h api.HistoryHeader, all iter.Seq2[api.HistorySeries, error]) error {
			var b bytes.Buffer
			if err := encode(&b, h, all); err != nil {
				return err
			}
			header, series, err := api.ReadHistory(&b)
			if err != nil {
				return err
			}
			return read(header, series)
		})
	}
	_, want := plan(t, sessions(nil), testOptions())
	if _, got := plan(t, remote, testOptions()); !maps.EqualFunc(parseFile(t, got), parseFile(t, want), func(a, b []string) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) {
		t.Errorf("the files differ:\n%s", difftest.Diff(want, got))
	}
}
