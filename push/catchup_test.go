package push

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// interrupt makes the receiver fail until a request has failed.
func (c *historyTest) interrupt(r *receiver, status int) {
	c.Helper()
	r.respondStatus(status)
	c.attempts(r)
}

// startInterrupted starts sending to a receiver that fails after it has stored some
// values.
func (c *historyTest) startInterrupted(r *receiver, status int) {
	c.Helper()
	c.prepare()
	c.start(testEndpoint(r.URL))
	r.nextPush()
	c.interrupt(r, status)
}

func (c *historyTest) attempts(r *receiver) {
	c.Helper()
	before := len(r.requests())
	polltest.Eventually(c, "there are more requests", func() bool { return len(r.requests()) > before+2 })
}

// await waits until the receiver has the present value of a series.
func (c *historyTest) await(r *receiver, key string, want float64) {
	c.Helper()
	polltest.Eventually(c, "the present value is received", func() bool { return r.last(key) == want })
}

// workday is usage of several hours.
func (c *historyTest) workday() {
	c.record.wait(time.Minute, "old_total", 1)       // 12:03
	c.record.wait(2*time.Hour, "old_total", 10)      // 14:03
	c.record.wait(0, "new_total", 3)                 // a series begins
	c.record.wait(4*time.Minute, "new_total", 4)     // 14:07
	c.record.wait(time.Second, "calls", 2.5)         // and a histogram
	c.record.wait(3*time.Hour, "old_total", 100)     // 17:07
	c.record.wait(time.Minute, "calls", .5)          // 17:08
	c.record.wait(30*time.Minute, "old_total", 1000) // 17:38
}

// prepare adds usage before the start.
func (c *historyTest) prepare() {
	c.record.grow("old_total", start.Add(-30*time.Hour), 5)
	c.record.series["old_total"].undated = 7
	c.record.grow("idle_total", start.Add(-time.Hour), 2)
}

// addCalls adds a histogram that begins in the interruption.
func (c *historyTest) addCalls() {
	c.record.change(func() {
		c.record.series["calls"] = &recorded{histogram: true, events: []event{{start.Add(2 * time.Hour), 1}}}
	})
}

// total returns the present value of old_total.
func (c *historyTest) total() float64 {
	return c.record.series["old_total"].truth(c.record.Now().Add(time.Millisecond))
}

// checkAll checks all series after the last value has been received.
func (c *historyTest) checkAll(r *receiver, from time.Time) {
	c.Helper()
	c.await(r, "old_total,l=v", c.total())
	c.await(r, "calls_count,l=v", 3)
	c.await(r, "new_total,l=v", 7)
	c.stop()
	for _, name := range []string{"old_total", "new_total", "calls"} {
		c.check(r, name, from, c.record.Now())
	}
}

// After hours without the server, it gets the usage in between with its original times.
func TestInterruption(t *testing.T) {
	forProtocols(t, func(t *testing.T, r *receiver, _ *pushTest, e Endpoint) {
		c := newHistoryTest(t)
		c.prepare()
		c.start(e)
		r.nextPush()
		c.interrupt(r, http.StatusServiceUnavailable)
		c.addCalls()
		c.workday()
		c.attempts(r)
		r.setRespond(nil)
		c.await(r, "old_total,l=v", 1123)
		c.await(r, "calls_count,l=v", 3)
		c.record.wait(time.Minute, "old_total", 1)
		c.await(r, "old_total,l=v", 1124)
		c.stop()
		for _, name := range []string{"old_total", "new_total", "calls", "idle_total"} {
			c.check(r, name, start, c.record.Now())
		}
		if first := r.samples("new_total,l=v")[0]; first.value != 0 || first.at != start.Add(118*time.Minute).UnixMilli() {
			t.Errorf("a new series begins with %+v, want 0 at 14:00", first)
		}
		if n := len(r.values("idle_total,l=v")); n > len(r.requests()) {
			t.Errorf("got %d samples of a series that did not grow", n)
		}
		if sent := c.sample("history_samples_total", "sent"); int(sent) != r.historySamples() || sent < 300 {
			t.Errorf("got %v samples counted, want %d", sent, r.historySamples())
		}
		if n := strings.Count(c.log.String(), "Sent past samples"); n != 1 {
			t.Errorf("got %d messages, want 1:\n%s", n, c.log.String())
		}
	})
}

// A short interruption, and an interruption without usage, need no history.
func TestNothingToCatchUp(t *testing.T) {
	r, c := newReceiver(t), newHistoryTest(t)
	c.startInterrupted(r, http.StatusServiceUnavailable)
	c.record.wait(4*time.Minute, "old_total", 1)
	c.attempts(r)
	r.setRespond(nil)
	c.await(r, "old_total,l=v", 13)
	c.interrupt(r, http.StatusServiceUnavailable)
	c.record.change(func() { c.record.now = c.record.now.Add(10 * time.Hour) })
	c.attempts(r)
	r.setRespond(nil)
	r.nextPush()
	c.record.change(func() { c.record.off = true })
	c.interrupt(r, http.StatusServiceUnavailable)
	c.record.wait(time.Hour, "old_total", 1)
	c.attempts(r)
	r.setRespond(nil)
	c.await(r, "old_total,l=v", 14)
	if sent := c.sample("history_samples_total", "sent"); sent != 0 {
		t.Errorf("got %v samples, want 0", sent)
	}
	if c.memory.writes != 0 {
		t.Errorf("got %d writes, want 0", c.memory.writes)
	}
	c.stop()
	if c.memory.writes != 1 {
		t.Errorf("got %d writes at the end, want 1", c.memory.writes)
	}
}

// Processes end and begin during the interruption.
func TestRestartInInterruption(t *testing.T) {
	for _, test := range []struct {
		name    string
		restart func(c *historyTest, r *receiver, e Endpoint)
	}{
		{"stopped while all was well", func(c *historyTest, _ *receiver, e Endpoint) {
			c.stop()
			c.workday()
			c.startAgain(e)
		}},
		{"stopped in the interruption", func(c *historyTest, r *receiver, e Endpoint) {
			c.interrupt(r, http.StatusBadGateway)
			c.record.wait(time.Hour, "old_total", 1)
			c.attempts(r)
			c.stop()
			c.workday()
			c.startAgain(e)
			c.attempts(r)
			r.setRespond(nil)
		}},
		{"killed in the interruption", func(c *historyTest, r *receiver, e Endpoint) {
			c.interrupt(r, http.StatusBadGateway)
			c.record.wait(time.Hour, "old_total", 1)
			c.attempts(r)
			killed, _ := c.memory.LoadEndpoints()
			c.stop()
			_ = c.memory.SaveEndpoints(killed)
			c.workday()
			c.startAgain(e)
			r.setRespond(nil)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, c := newReceiver(t), newHistoryTest(t)
			c.prepare()
			e := testEndpoint(r.URL)
			c.start(e)
			r.nextPush()
			c.addCalls()
			test.restart(c, r, e)
			c.await(r, "old_total,l=v", c.total())
			r.nextPush()
			if b, _ := c.memory.LoadEndpoints(); string(b) != "{}" {
				t.Errorf("got %s stored after success, want nothing", b)
			}
			c.checkAll(r, start)
		})
	}
}

// The progress of sending history is saved: after a crash only a few samples are sent
// again.
func TestProgressIsSaved(t *testing.T) {
	r, c := newReceiver(t), newHistoryTest(t)
	c.startInterrupted(r, http.StatusServiceUnavailable)
	c.workday()
	r.setRespond(func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		if r.historySamples() >= 60 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
		c.record.change(func() { c.record.now = c.record.now.Add(saveInterval / 3) })
		return false
	})
	polltest.Eventually(t, "some history is sent", func() bool { return r.historySamples() >= 60 })
	c.attempts(r)
	b, _ := c.memory.LoadEndpoints()
	var saved map[string]int64
	if err := json.Unmarshal(b, &saved); err != nil || len(saved) != 1 {
		t.Fatalf("got %s, %v, want the time of one endpoint", b, err)
	}
	all := r.samples("old_total,l=v")
	newest := all[len(all)-1].at
	for _, at := range saved {
		if at > newest || at < newest-4*intervalLength.Milliseconds() {
			t.Errorf("got %v saved, want almost %v", time.UnixMilli(at).UTC(), time.UnixMilli(newest).UTC())
		}
	}
	// Each request takes a third of the interval. The beginning is saved as well.
	if most := len(r.requests()) / 3; c.memory.writes < 2 || c.memory.writes > most {
		t.Errorf("got %d writes, want 2 to %d", c.memory.writes, most)
	}
	c.stop()
}
