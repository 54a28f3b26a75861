package api

import (
	"encoding/json"
	"net/http"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/ccwatchd/ccwatchd/usage"
)

// TodayPath is the path of requests for the cost of today.
const TodayPath = "/api/v1/today"

// A Today is what the usage of today cost, a moment ago.
type Today struct {
	Time           time.Time `json:"time"`     // when that was calculated
	CostUSD        *float64  `json:"cost_usd"` // missing without prices
	UnpricedTokens uint64    `json:"unpriced_tokens,omitempty"`
}

const (
	// todayFresh is how long a cost is not calculated again, and todayValid how long it
	// is answered.
	todayFresh, todayValid = 10 * time.Second, 10 * time.Minute
	// todayWait is how long a request waits for a new one.
	todayWait = 4 * time.Millisecond
)

// A todayCache calculates the cost of today in the background: with a long history that
// takes longer than a status line can wait.
type todayCache struct {
	*Options

	mu      sync.Mutex
	latest  Today
	running chan struct{} // closed when the calculation that runs is done; nil if none runs
}

// answer responds with the cost of today, as soon as one is known.
func (c *todayCache) answer(w http.ResponseWriter, _ *http.Request) {
	if done := c.refresh(); done != nil {
		select {
		case <-done:
		case <-time.After(todayWait):
		}
	}
	c.mu.Lock()
	latest := c.latest
	c.mu.Unlock()
	now := c.Now().In(c.Location)
	if now.Sub(latest.Time) > todayValid || usage.Day.Start(now).After(latest.Time) {
		if _, ok := c.recorded(w); ok {
			w.Header().Set("Retry-After", "1")
			fail(w, http.StatusServiceUnavailable, "the cost is not known yet")
		}
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(latest) //nolint:errchkjson // the client has disconnected
}

// refresh starts a calculation unless the latest one is new, and returns a channel that
// is closed when the running calculation ends, nil if none runs.
func (c *todayCache) refresh() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.Now()
	if c.running != nil || now.Sub(c.latest.Time) < todayFresh && !usage.Day.Start(now.In(c.Location)).After(c.latest.Time) {
		return c.running
	}
	done := make(chan struct{})
	c.running = done
	go c.run(now, done)
	return done
}

// run calculates the cost at a time and closes done. As in the handler of a request, a
// panic does not end the daemon.
func (c *todayCache) run(now time.Time, done chan<- struct{}) {
	latest, ok := Today{}, false
	defer func() {
		if p := recover(); p != nil {
			c.Logger.Error("Panic while calculating the cost of today", "panic", p, "stack", string(debug.Stack()))
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.running = nil; ok {
			c.latest = latest
		}
		close(done)
	}()
	latest, ok = c.calculate(now)
}

// calculate returns the cost of the day of a time. It returns false if there is no
// history.
func (c *todayCache) calculate(now time.Time) (Today, bool) {
	h, ok := c.History()
	if !ok || h.Off {
		return Today{}, false
	}
	u, err := usage.Compute(&h, usage.Query{Since: usage.Day.Start(now.In(c.Location)), Location: c.Location})
	if err != nil {
		return Today{}, false
	}
	today := Today{Time: now, UnpricedTokens: u.Total[usage.UnpricedTokens]}
	if slices.Contains(u.Measures, usage.Cost) {
		today.CostUSD = new(u.Total.USD())
	}
	return today, true
}
