package daemon

import (
	"context"
	"errors"
	"path"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/follow"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// twoSources writes a session with one reply to one/p/a.jsonl and a session with two
// replies to two/p/b.jsonl, and returns the two sources.
func (h *harness) twoSources() (one, two string) {
	h.Helper()
	h.Write("one/p/a.jsonl", replies("a", 1))
	h.Write("two/p/b.jsonl", replies("b", 2))
	return h.Path("one"), h.Path("two")
}

// A new source is read from the beginning. A removed source is not read any more, and
// its counts stay.
func TestReloadSources(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	one, two := h.twoSources()
	reload := func(dirs ...string) {
		h.settings.Sources = sources(dirs...)
		h.reload()
	}
	h.settings.Sources = sources(one)
	h.start()
	h.waitFor(counts(1, 1))
	reload(one, two)
	h.waitFor(counts(3, 2))
	reload(two)
	h.Append("one/p/a.jsonl", replies("c", 1))
	h.Append("two/p/b.jsonl", replies("d", 1))
	h.waitFor(counts(4, 3))
	if dirs := h.d.WatchedDirs(); len(dirs) != 1 || dirs[0].Path != two {
		t.Errorf("WatchedDirs: got %v, want %s", dirs, two)
	}
	reload(one, two)
	h.waitFor(counts(5, 4).with(truncated, 0).with(replaced, 0))
	h.restart()
	h.waitFor(counts(5, 4).with(truncated, 0).with(replaced, 0))
}

// An open message of a removed source counts after the timeout.
func TestReloadWithOpenMessageInRemovedSource(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	one, two := h.twoSources()
	h.Append("one/p/a.jsonl", openReply("a"))
	h.settings.Sources = sources(one, two)
	h.start()
	h.waitFor(totals{requests: 3})
	h.settings.Sources = sources(two)
	h.reload()
	h.waitForFileCount(1)
	h.waitUntil("the open message is counted", func() bool {
		h.expireMessageTimeout() // it begins when a walk finds the file missing
		return h.openMessages() == 0
	})
	h.waitFor(totals{requests: 4, output: 35})
}

// Sources are listed again without a reload, since patterns may match different
// directories.
func TestSourcesChangeWithoutReload(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	one, two := h.twoSources()
	var all atomic.Bool
	h.settings.Sources = func() []follow.Source {
		if all.Load() {
			return sources(one, two)()
		}
		return sources(one)()
	}
	h.start()
	h.waitFor(counts(1, 1))
	all.Store(true)
	h.waitFor(counts(3, 2))
	h.Append("two/p/b.jsonl", replies("c", 1))
	h.waitFor(counts(4, 3))
	all.Store(false)
	h.waitUntil("one source is watched", func() bool { return len(h.d.WatchedDirs()) == 1 })
	h.Append("one/p/a.jsonl", replies("d", 1))
	h.waitFor(counts(5, 4))
}

// A pathLabeller names projects by their whole directory.
type pathLabeller struct{ transcripttest.Labeller }

func (pathLabeller) Project(cwd string) string { return path.Clean(cwd) }

// Changed labels and limits apply to later lines. Existing series stay as they are.
func TestReloadLabels(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.Write(fileA, replies("a", 2))
	h.start()
	want := totals{prompts("a"): 2}
	h.waitForSeries(want)
	reload := func(session string, n int, series string) {
		t.Helper()
		h.reload()
		h.Write("p/"+session+".jsonl", replies(session, n))
		want[series] = uint64(n)
		h.waitForSeries(want)
	}

	h.settings.Labeller = pathLabeller{}
	reload("b", 1, prompts("/home/dev/b"))
	h.Append(fileA, replies("again", 1))
	want[prompts("/home/dev/a")] = 1
	h.waitForSeries(want)
	h.settings.Sources = h.sourceWithUser
	reload("c", 3, `claude_prompts_total{kind="text",project="/home/dev/c",user="me"}`)
	h.settings.Ledger.Limits = map[string]int{"project": 1} // of each source
	want[`ccwatchd_label_overflow_total{label="project"}`] = 1
	reload("d", 4, `claude_prompts_total{kind="text",project="other",user="me"}`)
	h.restart()
	h.waitForSeries(want)
	h.settings.Ledger.Limits = map[string]int{"project": 5}
	reload("e", 5, `claude_prompts_total{kind="text",project="/home/dev/e",user="me"}`)
}

// A change of buckets loses no observation, and no sum falls.
func TestReloadBuckets(t *testing.T) {
	t.Parallel()
	const count, total = "claude_turn_duration_seconds_count", "claude_turn_duration_seconds_sum"
	turn := func(of string, ms int) string {
		return (&session{ID: of, CWD: "/p"}).Line("system", `,"subtype":"turn_duration","durationMs":%d`, ms).String()
	}
	bucket := func(le string) string { return `claude_turn_duration_seconds_bucket{le="` + le + `"}` }
	for name, tt := range map[string]struct {
		buckets []float64
		want    totals
	}{
		"more":   {[]float64{1, 2, 60, 100}, totals{bucket("1"): 1, bucket("60"): 3, bucket("100"): 3}},
		"fewer":  {[]float64{60}, totals{bucket("1"): 0, bucket("60"): 3}},
		"others": {[]float64{.5, 30, 70}, totals{bucket("0.5"): 0, bucket("30"): 2, bucket("70"): 3}},
		"none":   {nil, totals{bucket("60"): 0}},
	} {
		t.Run(name, func(t *testing.T) {
			runCases(t, map[string]func(*harness){
				"reload":  (*harness).reload,
				"restart": (*harness).restart,
				"crash":   func(h *harness) { h.crash(nil, func() {}) },
			}, func(h *harness, change func(*harness)) {
				h.scraper.ignoreBuckets = true
				h.Write(fileA, turn("a", 500)+turn("b", 40000)+turn("c", 90000))
				h.start()
				h.waitFor(totals{count: 3, total: 130500, bucket("1"): 1, bucket("60"): 2})
				defer h.keepScraping()()
				h.settings.Ledger.Buckets = map[string][]float64{"claude_turn_duration_seconds": tt.buckets}
				change(h)
				h.Append(fileA, turn("d", 20000))
				h.waitFor(tt.want.with(count, 4).with(total, 150500))
			})
		})
	}
}

// A configuration that cannot be read changes nothing, and is exposed as failed.
func TestReloadFails(t *testing.T) {
	t.Parallel()
	h := startWithReplies(t, 1)
	h.loadErr = errors.New("bad settings")
	h.settings.Sources = sources()
	if err := h.d.Reload(t.Context()); !errors.Is(err, h.loadErr) {
		t.Errorf("Reload: got %v, want %v", err, h.loadErr)
	}
	h.checkMetric(lastReloadSuccessful, 0)
	h.Append(fileA, replies("b", 1))
	h.waitFor(counts(2, 2))
	h.loadErr, h.settings.Sources = nil, sources(h.Root)
	h.reload()
	h.checkMetric(lastReloadSuccessful, 1)
}

// Changed limits and intervals apply at once.
func TestReloadLimits(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.Write(fileA, openReply("a"))
	h.start()
	h.advance(time.Minute)
	h.waitFor(totals{requests: 0})
	h.settings.MessageTimeout = time.Second
	h.settings.MaxSessions = 7
	h.settings.MaxLine = 1000
	h.reload()
	h.waitFor(totals{requests: 1})
	checkEqual(t, "MaxSessions", h.d.MaxSessions(), 7)
	h.Append(fileA, (&session{ID: "b", CWD: "/p"}).Prompt(string(make([]byte, 2000))).String())
	h.waitFor(totals{`ccwatchd_line_errors_total{reason="too_long"}`: 1})
}

// A reload works during the catch-up. After the end of Run it returns when its context
// ends.
func TestReloadBeforeReadyAndAfterEnd(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.Write(fileA, replies("a", 1))
	h.startAsync()
	h.reload()
	h.waitFor(counts(1, 1))
	d := h.d
	h.stop()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := d.Reload(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Reload: got %v, want context.DeadlineExceeded", err)
	}
}
