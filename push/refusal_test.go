package push

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// A server that refuses old samples gets the newer samples, and the present values.
func TestRefusedHistory(t *testing.T) {
	r, c := newReceiver(t), newHistoryTest(t)
	c.startInterrupted(r, http.StatusServiceUnavailable)
	c.addCalls()
	c.workday()
	limit := c.record.Now().Add(-time.Hour)
	r.refuses, r.refusalStatus = func(at int64) bool { return at < limit.UnixMilli() }, http.StatusBadRequest
	c.attempts(r)
	r.setRespond(nil)
	c.checkAll(r, limit.Add(intervalLength))
	if n := len(r.refused); n < 5 || n > 30 {
		t.Errorf("got %d refused requests, want some", n)
	}
	if !slices.IsSorted(r.refused) || len(slices.Compact(slices.Clone(r.refused))) < len(r.refused) {
		t.Errorf("got refused samples of %v, want each once", r.refused)
	}
	sent, refused := c.sample("history_samples_total", "sent"), c.sample("history_samples_total", "refused")
	if int(sent) != r.historySamples() || sent == 0 || refused < 200 {
		t.Errorf("got %v sent and %v refused, want %d and more than 200", sent, refused, r.historySamples())
	}
	if v := r.values("new_total,l=v"); v[0] != 0 || v[1] != 7 {
		t.Errorf("got %v for a new series whose beginning is refused, want 0 and 7", v[:2])
	}
	if n := strings.Count(c.log.String(), "refused past samples"); n != 1 {
		t.Errorf("got %d messages, want 1:\n%s", n, c.log.String())
	}
	if failures := c.sample("failures_total", "rejected"); failures != 0 {
		t.Errorf("got %v failures, want 0", failures)
	}
}

// A refusal after samples were accepted is not because of their age.
func TestRefusedInterval(t *testing.T) {
	r, c := newReceiver(t), newHistoryTest(t)
	c.startInterrupted(r, http.StatusServiceUnavailable)
	c.addCalls()
	c.workday()
	r.refuses, r.refusalStatus = func(at int64) bool { return at == start.Add(23*time.Minute).UnixMilli() }, http.StatusConflict
	r.setRespond(nil)
	c.checkAll(r, start.Add(28*time.Minute))
	if len(r.refused) != 1 || c.sample("history_samples_total", "refused") != 2 {
		t.Errorf("got %v refused samples, want 2 of one time", c.sample("history_samples_total", "refused"))
	}
}

// Temporary failures, and failures of the configuration, lose nothing.
func TestFailuresWhileCatchingUp(t *testing.T) {
	for _, test := range []struct {
		name    string
		respond func(n int, w http.ResponseWriter, q *http.Request) bool
	}{
		{"busy", func(n int, w http.ResponseWriter, _ *http.Request) bool {
			if n%3 != 0 {
				return false
			}
			w.WriteHeader(http.StatusTooManyRequests)
			return true
		}},
		{"failing", func(n int, w http.ResponseWriter, _ *http.Request) bool {
			if n%4 == 0 {
				return false
			}
			w.WriteHeader(http.StatusInternalServerError)
			return true
		}},
		{"failing, and always without samples", func(n int, w http.ResponseWriter, q *http.Request) bool {
			if n%3 == 0 && q.ContentLength > 1 {
				return false
			}
			w.WriteHeader(http.StatusInternalServerError)
			return true
		}},
		{"failing, and refusing requests without samples", func(n int, w http.ResponseWriter, q *http.Request) bool {
			switch {
			case q.ContentLength <= 1:
				w.WriteHeader(http.StatusBadRequest)
			case n%4 == 0:
				return false
			default:
				w.WriteHeader(http.StatusBadGateway)
			}
			return true
		}},
		{"disconnecting", func(n int, _ http.ResponseWriter, _ *http.Request) bool {
			if n%3 != 0 {
				return false
			}
			panic(http.ErrAbortHandler)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, c := newReceiver(t), newHistoryTest(t)
			c.startInterrupted(r, http.StatusUnauthorized)
			c.addCalls()
			c.workday()
			for range 10 {
				c.attempts(r)
			}
			r.setRespond(test.respond)
			c.checkAll(r, start)
			if refused := c.sample("history_samples_total", "refused"); refused != 0 {
				t.Errorf("got %v refused samples, want 0", refused)
			}
		})
	}
}

// If the samples of one time need several requests, and a request fails, all of them
// arrive in the end, each once.
func TestFailureWithinATime(t *testing.T) {
	r, c := newReceiver(t), newHistoryTest(t)
	const many = maxSamples * 3 / 5 // two requests
	name := func(i int) string { return fmt.Sprintf("many%04d_total", i) }
	c.record.change(func() {
		for i := range many {
			c.record.grow(name(i), start.Add(-time.Hour), 1)
		}
	})
	c.startInterrupted(r, http.StatusServiceUnavailable)
	c.record.wait(time.Hour, "old_total", 1)
	c.record.change(func() {
		for i := range many {
			c.record.grow(name(i), c.record.now, 2)
		}
	})
	c.record.wait(time.Hour, "old_total", 1)
	c.attempts(r)
	first := len(r.requests())
	r.setRespond(func(n int, w http.ResponseWriter, _ *http.Request) bool {
		if n%2 == first%2 && n < first+60 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
		return false
	})
	c.await(r, "old_total,l=v", c.total())
	c.await(r, name(many-1)+",l=v", 3)
	c.stop()
	for i := range many {
		c.check(r, name(i), start, c.record.Now())
	}
}

// An interruption ends although the server goes on refusing one of several requests.
func TestInterruptionEndsWithRefusals(t *testing.T) {
	r, c := newReceiver(t), newHistoryTest(t)
	c.record.change(func() {
		for i := range maxSamples + maxSamples/2 {
			c.record.grow(fmt.Sprintf("many%04d_total", i), start.Add(-time.Hour), 1)
		}
	})
	c.startInterrupted(r, http.StatusServiceUnavailable)
	c.workday()
	c.attempts(r)
	r.setRespond(func(_ int, w http.ResponseWriter, q *http.Request) bool {
		if q.ContentLength < 8_000 { // all requests except the first of the present values
			return false
		}
		w.WriteHeader(http.StatusBadRequest)
		return true
	})
	c.await(r, "old_total,l=v", c.total())
	polltest.Eventually(t, "the end is recorded", func() bool { b, _ := c.memory.LoadEndpoints(); return string(b) == "{}" })
}

// A server that cannot process old samples gets the present values in the end.
func TestSkippedHistory(t *testing.T) {
	for _, status := range []int{http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusUnsupportedMediaType} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			r, c := newReceiver(t), newHistoryTest(t)
			c.startInterrupted(r, http.StatusServiceUnavailable)
			c.workday()
			limit := c.record.Now().Add(-time.Hour)
			r.refuses, r.refusalStatus = func(at int64) bool { return at < limit.UnixMilli() }, status
			r.setRespond(nil)
			c.await(r, "old_total,l=v", c.total())
			c.stop()
			if n := len(r.refused); n < maxFailures || n > 3*maxFailures {
				t.Errorf("got %d attempts, want %d or some more", n, maxFailures)
			}
			if refused := c.sample("history_samples_total", "refused"); refused < 200 {
				t.Errorf("got %v refused samples, want all", refused)
			}
		})
	}
}

// A server that accepts no requests, or limits the rate, gets the history later,
// however often it has failed.
func TestHistoryAfterManyFailures(t *testing.T) {
	const unavailable = http.StatusServiceUnavailable
	for name, statuses := range map[string][]int{
		"password is wrong":  {http.StatusUnauthorized},
		"server unavailable": {unavailable},
		"server error":       {http.StatusInternalServerError},
		"sometimes an error": {unavailable, unavailable, unavailable, http.StatusInternalServerError},
		"too many requests":  nil,
	} {
		t.Run(name, func(t *testing.T) {
			r, c := newReceiver(t), newHistoryTest(t)
			c.startInterrupted(r, unavailable)
			c.addCalls()
			c.workday()
			limit, before := c.record.Now().Add(-time.Hour).UnixMilli(), len(r.requests())
			if statuses == nil {
				r.refuses, r.refusalStatus = func(at int64) bool { return at < limit }, http.StatusTooManyRequests
				r.setRespond(nil)
			} else {
				r.setRespond(func(n int, w http.ResponseWriter, _ *http.Request) bool {
					w.WriteHeader(statuses[n%len(statuses)])
					return true
				})
			}
			polltest.Eventually(t, "there are many failures", func() bool { return len(r.requests()) > before+5*maxFailures })
			r.mu.Lock()
			r.refuses = nil
			r.mu.Unlock()
			r.setRespond(nil)
			c.checkAll(r, start)
		})
	}
}

// If a server refuses one request of a push, it still gets the remaining requests: it
// may refuse new series only.
func TestRefusedRequest(t *testing.T) {
	r, l := newReceiver(t), newPushTest(t)
	many := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "many_total"}, []string{"n"})
	for i := range 2 * maxSamples {
		many.WithLabelValues(fmt.Sprintf("%06d", i)).Inc()
	}
	l.source.MustRegister(many)
	first, last := "many_total,n=000000", fmt.Sprintf("many_total,n=%06d", 2*maxSamples-1)
	r.setRespond(func(n int, w http.ResponseWriter, _ *http.Request) bool {
		if n%2 == 1 { // the first of two requests
			w.WriteHeader(http.StatusBadRequest)
			return true
		}
		return false
	})
	l.start(testEndpoint(r.URL))
	r.nextPush()
	many.WithLabelValues(last[len(last)-6:]).Inc()
	polltest.Eventually(t, "the other request arrives", func() bool { return r.last(last) == 2 })
	if got := r.values(first); len(got) > 0 {
		t.Errorf("got %v of a refused series, want nothing", got)
	}
	if l.sample("failures_total", "rejected") < 1 {
		t.Error("the refusals are not counted")
	}
	r.setRespond(nil)
	polltest.Eventually(t, "the refused series arrives", func() bool { return r.last(first) == 1 })
}
