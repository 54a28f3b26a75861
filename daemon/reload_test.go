package daemon

import (
	"context"
	"errors"
	"path"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/follow"
)

// reload has the daemon read its settings again.
func (w *world) reload() {
	w.Helper()
	if err := w.d.Reload(w.Context()); err != nil {
		w.Fatal(err)
	}
}

// A source that is added is read from its beginning; one that is taken away is
// not read any more, and what it held stays counted.
func TestReloadSources(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("one/p/a.jsonl", said("a", 1))
	w.write("two/p/b.jsonl", said("b", 2))
	one, two := w.path("one"), w.path("two")
	w.settings.Sources = sources(one)
	w.start()
	w.shows(counted(1, 1))

	w.settings.Sources = sources(one, two)
	w.reload()
	w.shows(counted(3, 2))

	w.settings.Sources = sources(two)
	w.reload()
	w.add("one/p/a.jsonl", said("c", 1))
	w.add("two/p/b.jsonl", said("d", 1))
	w.shows(counted(4, 3))
	if trees := w.d.WatchedDirs(); len(trees) != 1 || trees[0].Path != two {
		t.Errorf("Trees = %v, want %s", trees, two)
	}

	w.settings.Sources = sources(one, two)
	w.reload()
	w.shows(counted(5, 4).with(truncated, 0).with(replaced, 0))
	w.restart()
	w.shows(counted(5, 4).with(truncated, 0).with(replaced, 0))
}

// What a source left open that is not read any more counts like that of a file
// that is gone.
func TestReloadWithoutASourceThatLeftSomethingOpen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("one/p/a.jsonl", said("a", 1)+open("a"))
	w.write("two/p/b.jsonl", said("b", 1))
	w.settings.Sources = sources(w.path("one"), w.path("two"))
	w.start()
	w.shows(totals{requests: 2})
	w.settings.Sources = sources(w.path("two"))
	w.reload()
	w.eventually("the file being missed", func() bool { return w.files() == 1 })
	w.quiet()
	w.shows(totals{requests: 3, output: 25})
}

// Sources may stand for more directories as time goes by.
func TestSourcesThatGrow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("one/p/a.jsonl", said("a", 1))
	w.write("two/p/b.jsonl", said("b", 2))
	var all atomic.Bool
	one, both := sources(w.path("one")), sources(w.path("one"), w.path("two"))
	w.settings.Sources = func() []follow.Source {
		if all.Load() {
			return both()
		}
		return one()
	}
	w.start()
	w.shows(counted(1, 1))
	all.Store(true)
	w.shows(counted(3, 2))
	w.add("two/p/b.jsonl", said("c", 1))
	w.shows(counted(4, 3))
	all.Store(false)
	w.eventually("the source being left out", func() bool { return len(w.d.WatchedDirs()) == 1 })
	w.add("one/p/a.jsonl", said("d", 1))
	w.shows(counted(5, 4))
}

// byPath names projects by their whole directory.
type byPath struct{ labeller }

func (byPath) Project(cwd string) string { return path.Clean(cwd) }

// Other labels hold for what is read from then on; what was counted stays where
// it was.
func TestReloadLabels(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("p/a.jsonl", said("a", 2))
	w.start()
	prompts := func(want totals) {
		t.Helper()
		var d string
		if !until(func() bool {
			got, some := w.totals(), make(totals)
			for series := range want {
				some[series] = got[series]
			}
			d = some.diff(want)
			return d == ""
		}) {
			t.Fatal(d)
		}
	}
	want := totals{`claude_prompts_total{kind="text",project="a"}`: 2}
	prompts(want)

	w.settings.Labeller = byPath{}
	w.reload()
	w.add("p/a.jsonl", said("b", 1))
	want[`claude_prompts_total{kind="text",project="/home/dev/b"}`] = 1
	prompts(want)

	w.settings.Sources = func() []follow.Source { return []follow.Source{{Path: w.dir, Labels: map[string]string{"user": "me"}}} }
	w.reload()
	w.add("p/a.jsonl", said("c", 3))
	want[`claude_prompts_total{kind="text",project="/home/dev/c",user="me"}`] = 3
	prompts(want)

	w.settings.Ledger.Limits = map[string]int{"project": 2}
	w.reload()
	w.add("p/a.jsonl", said("d", 4))
	want[`claude_prompts_total{kind="text",project="other",user="me"}`] = 4
	want[`ccwatchd_label_overflow_total{label="project"}`] = 8 // lines
	prompts(want)
	w.restart()
	prompts(want)

	w.settings.Ledger.Limits = map[string]int{"project": 5}
	w.reload()
	w.add("p/a.jsonl", said("e", 5))
	want[`claude_prompts_total{kind="text",project="/home/dev/e",user="me"}`] = 5
	prompts(want)
}

// With other buckets no observation is lost and no sum falls.
func TestReloadBuckets(t *testing.T) {
	t.Parallel()
	turn := func(session string, ms int) string {
		k := &talk{ID: session, CWD: "/p"}
		return k.Line("system", `,"subtype":"turn_duration","durationMs":%d`, ms).String()
	}
	const family = "claude_turn_duration_seconds"
	for _, tt := range []struct {
		name    string
		buckets []float64
		want    totals
	}{
		{"more", []float64{1, 2, 60, 100}, totals{family + `_bucket{le="1"}`: 1, family + `_bucket{le="60"}`: 3, family + `_bucket{le="100"}`: 3}},
		{"fewer", []float64{60}, totals{family + `_bucket{le="1"}`: 0, family + `_bucket{le="60"}`: 3}},
		{"others", []float64{.5, 30, 70}, totals{family + `_bucket{le="0.5"}`: 0, family + `_bucket{le="30"}`: 2, family + `_bucket{le="70"}`: 3}},
		{"none", nil, totals{family + `_bucket{le="60"}`: 0}},
	} {
		for how, change := range map[string]func(*world){
			"reload":  func(w *world) { w.reload() },
			"restart": func(w *world) { w.restart() },
			"dead":    func(w *world) { w.die(nil, func() {}) },
		} {
			t.Run(tt.name+"/"+how, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.scrapes.buckets = true
				w.write("p/a.jsonl", turn("a", 500)+turn("b", 40000)+turn("c", 90000))
				w.start()
				w.shows(totals{family + `_count`: 3, family + `_sum`: 130500, family + `_bucket{le="1"}`: 1, family + `_bucket{le="60"}`: 2})
				stop := w.keepScraping()
				defer stop()
				w.settings.Ledger.Buckets = map[string][]float64{family: tt.buckets}
				change(w)
				w.add("p/a.jsonl", turn("d", 20000))
				w.shows(tt.want.with(family+`_count`, 4).with(family+`_sum`, 150500))
			})
		}
	}
}

// Settings that cannot be read change nothing, and a metric tells.
func TestReloadFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("p/a.jsonl", said("a", 1))
	w.start()
	w.bad = errors.New("no such thing")
	w.settings.Sources = sources()
	if err := w.d.Reload(t.Context()); !errors.Is(err, w.bad) {
		t.Errorf("Reload = %v, want %v", err, w.bad)
	}
	if got := w.metric("ccwatchd_config_last_reload_successful"); got != 0 {
		t.Errorf("the last reload shows as %v, want 0", got)
	}
	w.add("p/a.jsonl", said("b", 1))
	w.shows(counted(2, 2))
	w.bad, w.settings.Sources = nil, sources(w.dir)
	w.reload()
	if got := w.metric("ccwatchd_config_last_reload_successful"); got != 1 {
		t.Errorf("the last reload shows as %v, want 1", got)
	}
}

// The other settings hold at once too.
func TestReloadIntervals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("p/a.jsonl", open("a"))
	w.start()
	w.advance(time.Minute)
	w.shows(totals{requests: 0})
	w.settings.MessageTimeout = time.Second
	w.settings.MaxSessions = 7
	w.settings.MaxLine = 1000
	w.reload()
	w.shows(totals{requests: 1})
	if got := w.d.MaxSessions(); got != 7 {
		t.Errorf("MaxSessions = %d, want 7", got)
	}
	long := (&talk{ID: "b", CWD: "/p"}).Prompt(string(make([]byte, 2000))).String()
	w.add("p/a.jsonl", long)
	w.shows(totals{`ccwatchd_line_errors_total{reason="too_long"}`: 1})
}

// A reload may come before anything has been read, and when nobody is there
// any more to do it.
func TestReloadAtTheWrongTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("p/a.jsonl", said("a", 1))
	w.launch()
	w.reload()
	w.eventually("catching up", w.d.Ready)
	w.shows(counted(1, 1))
	d := w.d
	w.halt()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := d.Reload(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Reload = %v, want context.DeadlineExceeded", err)
	}
}
