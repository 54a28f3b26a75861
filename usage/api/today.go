package api

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/ccwatchd/ccwatchd/usage"
)

// TodayPath is the path of requests for the cost of today.
const TodayPath = "/api/v1/today"

// A Today is the cost of today's usage.
type Today struct {
	Time           time.Time `json:"time"`     // when that was calculated
	CostUSD        *float64  `json:"cost_usd"` // missing without prices
	UnpricedTokens uint64    `json:"unpriced_tokens,omitempty"`
}

const (
	// A cost is calculated again after todayFresh, and answered until todayValid.
	todayFresh, todayValid = 10 * time.Second, 10 * time.Minute
	// todayWait is how long a request waits for a new cost.
	todayWait = 4 * time.Millisecond
)

// A todayCache calculates the cost of today, by time zone, in the background: with a
// long history that takes longer than a status line can wait.
type todayCache struct {
	*server

	mu   sync.Mutex
	days map[int64]*todayCost // by the beginning of the day, in seconds since the epoch
}

// A todayCost is the cost of one day.
type todayCost struct {
	latest  Today
	running chan struct{} // closed when the calculation that runs is done; nil if none runs
}

// answer responds with the cost of today, as soon as one is known.
func (c *todayCache) answer(w http.ResponseWriter, r *http.Request) {
	zone, ok := parsed(w, r, func(p url.Values) (*time.Location, error) {
		if err := checkParameters(p, "tz"); err != nil {
			return nil, err
		}
		return ParseZone(p.Get("tz"), c.Location())
	})
	if !ok {
		return
	}
	now := c.Now()
	begin := usage.Day.Start(now.In(zone))
	if done := c.refresh(begin, now); done != nil {
		select {
		case <-done:
		case <-time.After(todayWait):
		}
	}
	latest := c.latest(begin)
	if c.Now().Sub(latest.Time) > todayValid {
		if _, ok := c.recorded(w); ok {
			w.Header().Set("Retry-After", "1")
			fail(w, http.StatusServiceUnavailable, "the cost is not known yet")
		}
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(latest) //nolint:errchkjson // the client has disconnected
}

// latest returns the latest cost of a day, without a time if none is known.
func (c *todayCache) latest(begin time.Time) Today {
	c.mu.Lock()
	defer c.mu.Unlock()
	if day := c.days[begin.Unix()]; day != nil {
		return day.latest
	}
	return Today{}
}

// refresh starts a calculation of the cost since the beginning of a day unless the
// latest cost is fresh. It returns a channel that is closed when the running
// calculation ends, nil if none runs.
func (c *todayCache) refresh(begin, now time.Time) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	day := c.days[begin.Unix()]
	if day == nil {
		c.forget(now)
		day = new(todayCost)
		c.days[begin.Unix()] = day
	}
	if day.running == nil && now.Sub(day.latest.Time) >= todayFresh {
		day.running = make(chan struct{})
		go c.run(day, begin, now)
	}
	return day.running
}

// forget drops costs that are no longer needed, such as yesterday's.
func (c *todayCache) forget(now time.Time) {
	maps.DeleteFunc(c.days, func(_ int64, day *todayCost) bool {
		return day.running == nil && now.Sub(day.latest.Time) > todayValid
	})
}

// run calculates the cost of a day and ends its calculation. As in the handler of a
// request, a panic does not end the daemon.
func (c *todayCache) run(day *todayCost, begin, now time.Time) {
	latest, ok := Today{}, false
	defer func() {
		if p := recover(); p != nil {
			c.Logger.Error("Panic while calculating the cost of today", "panic", p, "stack", string(debug.Stack()))
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if ok {
			day.latest = latest
		}
		close(day.running)
		day.running = nil
	}()
	latest, ok = c.calculate(begin, now)
}

// calculate returns the cost since the beginning of a day. It returns false if there is
// no history.
func (c *todayCache) calculate(begin, now time.Time) (Today, bool) {
	c.computing.begin(context.Background())
	defer c.computing.end()
	h, ok := c.History()
	if !ok || h.Off {
		return Today{}, false
	}
	u, err := usage.Compute(&h, usage.Query{Since: begin})
	if err != nil {
		return Today{}, false
	}
	today := Today{Time: now, UnpricedTokens: u.Total[usage.UnpricedTokens]}
	if slices.Contains(u.Measures, usage.Cost) {
		today.CostUSD = new(u.Total.USD())
	}
	return today, true
}
