package push

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/clocktest"
	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// Each endpoint has its own interruption, and a reload does not end it.
func TestInterruptionsOfEndpoints(t *testing.T) {
	firstServer, secondServer, c := newReceiver(t), newReceiver(t), newHistoryTest(t)
	c.prepare()
	first, second := testEndpoint(firstServer.URL), testEndpoint(secondServer.URL)
	second.Name = "two"
	c.start(first, second)
	firstServer.nextPush()
	secondServer.nextPush()
	c.interrupt(firstServer, http.StatusServiceUnavailable)
	c.record.wait(2*time.Hour-2*time.Minute, "old_total", 1)
	c.await(secondServer, "old_total,l=v", 13)
	c.interrupt(secondServer, http.StatusServiceUnavailable)
	c.addCalls()
	c.workday()
	c.attempts(secondServer)
	first.Timeout++
	c.configure(first, second)
	c.attempts(firstServer)
	firstServer.setRespond(nil)
	secondServer.setRespond(nil)
	c.await(firstServer, "new_total,l=v", 7)
	c.checkAll(secondServer, start.Add(2*time.Hour))
	for _, name := range []string{"old_total", "new_total", "calls"} {
		c.check(firstServer, name, start, c.record.Now())
	}
	if v := secondServer.valueAt("old_total,l=v", start.Add(90*time.Minute)); v != 12 || secondServer.historySamples() >= firstServer.historySamples() {
		t.Errorf("the second server has %v at 13:32, want 12, and no values of its own time", v)
	}
}

// The wait for hidden series stops while the machine sleeps.
func TestHiddenSeriesWhileAsleep(t *testing.T) {
	c := clocktest.New()
	e := &endpoint{Options: Options{Now: c.Now}}
	hidden := []*replay{{past: &Past{Hidden: true}}}
	check := func(when string, want bool) {
		t.Helper()
		if got := e.awaitsHidden(hidden); got != want {
			t.Errorf("%s: got %v, want %v", when, got, want)
		}
	}
	check("at first", true)
	c.Sleep(8 * time.Hour)
	check("after sleep", true)
	c.Advance(maxHidden)
	check("after the time has passed", false)
}

// The history waits until new series have their values, but not forever.
func TestHiddenSeries(t *testing.T) {
	for _, test := range []struct {
		name    string
		hidden  time.Duration
		waits   bool
		restart bool
	}{
		{"for a while", 2 * time.Minute, true, false},
		{"for a while, after a restart", 2 * time.Minute, true, true},
		{"for long", 10 * time.Minute, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, c := newReceiver(t), newHistoryTest(t)
			c.prepare()
			e := testEndpoint(r.URL)
			c.start(e)
			r.nextPush()
			if test.restart {
				c.stop()
			} else {
				c.interrupt(r, http.StatusServiceUnavailable)
			}
			c.addCalls()
			c.workday()
			c.record.change(func() { c.record.series["new_total"].hidden, c.record.series["calls"].hidden = true, true })
			r.setRespond(nil)
			if test.restart {
				c.startAgain(e)
			}
			c.gathered(3)
			before := len(r.requests())
			c.record.wait(test.hidden, "old_total", 1)
			c.gathered(3)
			if after := len(r.requests()); (after == before) != test.waits {
				t.Errorf("got %d requests and then %d", before, after)
			}
			c.record.change(func() { c.record.series["new_total"].hidden, c.record.series["calls"].hidden = false, false })
			if test.waits {
				c.checkAll(r, start)
				return
			}
			c.await(r, "new_total,l=v", 7)
			c.stop()
			if v := slices.Compact(r.values("new_total,l=v")); !slices.Equal(v, []float64{0, 7, -1}) {
				t.Errorf("got %v, want 0, 7 and the end", v)
			}
			c.check(r, "old_total", start, c.record.Now())
		})
	}
}

// gathered waits for some more pushes, with or without requests.
func (c *historyTest) gathered(n int) {
	c.Helper()
	var before int
	c.record.change(func() { before = c.record.gathers })
	polltest.Eventually(c, "values are gathered", func() bool {
		c.record.mu.Lock()
		defer c.record.mu.Unlock()
		return c.record.gathers >= before+n
	})
}

// While sending is not allowed, neither the history nor the current values are sent.
func TestNothingMayBeSent(t *testing.T) {
	r, c := newReceiver(t), newHistoryTest(t)
	c.prepare()
	c.record.absent = true
	c.start(testEndpoint(r.URL))
	c.gathered(1)
	c.addCalls()
	c.workday()
	c.record.change(func() { c.record.absent = false })
	// The server had accepted nothing before: its history begins with the process.
	c.checkAll(r, start)
}

// The values are gathered shortly after a push that had no history yet.
func TestHistoryIsNotReady(t *testing.T) {
	r, c := newReceiver(t), newHistoryTest(t)
	c.startInterrupted(r, http.StatusServiceUnavailable)
	c.addCalls()
	c.workday()
	c.record.change(func() { c.record.unready = 3 })
	r.setRespond(nil)
	c.checkAll(r, start)
	if c.record.unready != 0 {
		t.Errorf("the history was not requested")
	}
}

// A history does not begin earlier than a month ago.
func TestLongInterruption(t *testing.T) {
	r, c := newReceiver(t), newHistoryTest(t)
	c.startInterrupted(r, http.StatusServiceUnavailable)
	c.record.wait(2*24*time.Hour, "old_total", 1)
	c.record.wait(40*24*time.Hour, "old_total", 1)
	now := c.record.Now()
	c.attempts(r) // no earlier request is under way
	r.refuses, r.refusalStatus = func(at int64) bool { return at < now.Add(-time.Hour).UnixMilli() }, http.StatusUnprocessableEntity
	r.setRespond(nil)
	c.await(r, "old_total,l=v", 14)
	c.stop()
	c.check(r, "old_total", now.Add(-50*time.Minute), now)
	earliest := now.Add(-maxInterruption)
	if first := time.UnixMilli(r.refused[0]); first.Before(earliest) || first.After(earliest.Add(intervalLength)) {
		t.Errorf("the history begins at %v, want %v", first, earliest)
	}
}

// A series begins with 0 unless the server may have more.
func TestBeginning(t *testing.T) {
	const from = 1000
	for _, test := range []struct {
		name    string
		cycle   uint64
		past    Past
		started bool
		zero    int64
	}{
		{"after a start, grew before", 0, Past{Before: 1, Begin: from}, true, 0},
		{"after a start, grew in this interval", 0, Past{Begin: from - 1}, true, 0},
		{"after a start, new", 0, Past{Begin: from + 1}, false, 0},
		{"after a start, new at once", 0, Past{Begin: from}, false, from + 1},
		{"after a start, hidden", 0, Past{Hidden: true, Before: 1, Begin: from - 1}, false, from + 1},
		{"later, not known to the server", 2, Past{Before: 1, Begin: from - 1}, false, from + 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newSeriesCache(nil)
			c.cycle = test.cycle
			test.past.Family, test.past.Last = family(t, `name: "a_total" type: COUNTER`), 5
			replays := c.replays([]*Past{&test.past}, from)
			if len(replays) != 1 {
				t.Fatalf("got %d replays, want 1", len(replays))
			}
			if replays[0].started != test.started || replays[0].zero != test.zero {
				t.Errorf("started: got %v and %v, want %v and %v", replays[0].started, replays[0].zero, test.started, test.zero)
			}
			// The first gathered value of a process needs no zero, unless its history begins
			// later.
			c.cycle++
			c.add([]byte(replays[0].labels), test.past.Family, point{value: 5, cumulative: true})
			if c.series[string(replays[0].labels)].started != test.started {
				t.Error("gathering the series changed how it begins")
			}
		})
	}
}

// A reload does not end the interruption of an endpoint that has accepted no samples
// yet.
func TestReloadBeforeFirstSuccess(t *testing.T) {
	r, c := newReceiver(t), newHistoryTest(t)
	c.prepare()
	r.respondStatus(http.StatusUnauthorized)
	e := testEndpoint(r.URL)
	c.start(e)
	c.attempts(r)
	c.addCalls()
	c.workday()
	e.Timeout++
	c.configure(e)
	c.attempts(r)
	r.setRespond(nil)
	c.checkAll(r, start)
	if first := r.samples("old_total,l=v")[0]; first.at < start.UnixMilli() {
		t.Errorf("the history begins at %v, before the process", time.UnixMilli(first.at))
	}
}

// The samples of a request ascend, even if a past begins at or before the time of the
// initial zero.
func TestInitialZeroIsFirst(t *testing.T) {
	r := &replay{series: &series{}, zero: 11, past: &Past{UpTo: func(_ int64, add func(int64, float64)) {
		for _, at := range []int64{10, 11, 20} {
			add(at, 5)
		}
	}}}
	r.fill(30)
	if want := []sample{{0, 11}, {5, 20}}; !slices.Equal(r.samples, want) {
		t.Errorf("got %v, want %v", r.samples, want)
	}
}
