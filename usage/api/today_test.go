package api

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/test/polltest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/usage"
)

// A todayServer answers requests for the cost of today, at a time of its own.
type todayServer struct {
	http.Handler
	now   atomic.Int64 // in milliseconds
	asked atomic.Int64 // how often the history was read
	fault atomic.Int32 // of the next calculations
}

// The faults of a todayServer.
const (
	_ = iota
	stopping
	panicking
)

// newToday returns a server with a message of yesterday and a message of today.
func newToday(off bool) *todayServer {
	o := ledgertest.Options()
	if off {
		o.FineHistory = 0
	}
	l := ledger.New(o, started.UnixMilli())
	for i, ago := range []time.Duration{26 * time.Hour, time.Hour} {
		s := transcripttest.Session{ID: moment(now.Add(-ago)), CWD: "/src/web", Start: now.Add(-ago)}
		s.Prompt("go").Reply(transcripttest.Reply{ID: s.ID, In: 1_000_000, Out: 10, Stop: "end_turn"})
		ledgertest.Add(l, ledger.FileID(i+1), nil, s.String(), now)
	}
	s := &todayServer{}
	s.now.Store(now.UnixMilli())
	s.Handler = Handler(Options{Source: usage.Source{
		History: func() (counters.History, bool) {
			s.asked.Add(1)
			switch s.fault.Load() {
			case stopping:
				return counters.History{}, false
			case panicking:
				panic("the history is broken")
			}
			return l.History(), true
		},
		Logger:   slog.New(slog.DiscardHandler),
		Now:      func() time.Time { return time.UnixMilli(s.now.Load()) },
		Location: func() *time.Location { return time.UTC },
	}})
	return s
}

// cost returns the cost of today, nil if it is not known.
func (s *todayServer) cost(t *testing.T) *float64 {
	t.Helper()
	w := get(s, TodayPath)
	var today Today
	if w.Code != http.StatusOK {
		return nil
	}
	if err := json.Unmarshal(w.Body.Bytes(), &today); err != nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	return today.CostUSD
}

func (s *todayServer) await(t *testing.T, what string, want float64) {
	t.Helper()
	polltest.Eventually(t, what, func() bool {
		cost := s.cost(t)
		return cost != nil && *cost == want
	})
}

func TestToday(t *testing.T) {
	s := newToday(false)
	s.await(t, "the cost of one message", 5.00025) // of today alone
	asked := s.asked.Load()
	s.cost(t)
	if n := s.asked.Load(); n != asked {
		t.Errorf("the history was read %d times, want once for ten seconds", n-asked+1)
	}
	s.now.Add(11_000)
	s.await(t, "the cost is calculated again", 5.00025)
	polltest.Eventually(t, "the history is read again", func() bool { return s.asked.Load() > asked })
	s.now.Add((24 * time.Hour).Milliseconds())
	s.await(t, "there is no cost of tomorrow", 0)
}

// Today begins at midnight in the time zone of the request: twelve hours west of UTC,
// the message of an hour ago was yesterday.
func TestTodayZone(t *testing.T) {
	s := newToday(false)
	for query, want := range map[string]float64{
		"": 5.00025, "?tz=UTC": 5.00025, "?tz=Pacific/Kiritimati": 5.00025, "?tz=-12:00": 0, "?tz=Etc/GMT%2B12": 0, "?tz=%2B14:00": 5.00025,
	} {
		polltest.Eventually(t, query, func() bool {
			var today Today
			w := get(s, TodayPath+query)
			return w.Code == http.StatusOK && json.Unmarshal(w.Body.Bytes(), &today) == nil && *today.CostUSD == want
		})
	}
	for _, query := range []string{"?tz=Mars", "?tz=%2B14:01", "?tz=%2B05:31", "?tz=-23:00", "?day=1"} {
		if w := get(s, TodayPath+query); w.Code != http.StatusBadRequest {
			t.Errorf("%s: got %d", query, w.Code)
		}
	}
}

// Only the costs for time zones requested in the last minutes are kept.
func TestTodayForgets(t *testing.T) {
	c := &todayCache{days: make(map[int64]*todayCost)}
	for hour := range 100 {
		now := now.Add(time.Duration(hour) * time.Hour)
		c.forget(now)
		c.days[now.Unix()] = &todayCost{latest: Today{Time: now}}
	}
	if len(c.days) != 1 {
		t.Errorf("got the costs of %d days", len(c.days))
	}
}

// A cost is answered for a while if no new one can be calculated, also after a panic.
func TestTodayOld(t *testing.T) {
	s := newToday(false)
	s.await(t, "the cost of one message", 5.00025)
	for _, fault := range []int32{stopping, panicking} {
		s.fault.Store(fault)
		asked := s.asked.Load()
		s.now.Add((todayValid / 2).Milliseconds())
		s.await(t, "the old cost is answered", 5.00025)
		polltest.Eventually(t, "the history is read", func() bool { return s.asked.Load() > asked })
	}
	s.fault.Store(stopping)
	s.now.Add(1)
	if cost := s.cost(t); cost != nil {
		t.Errorf("after %s: got %v", todayValid, *cost)
	}
	s.fault.Store(0)
	s.await(t, "a new cost", 5.00025)
}

// Without a history, the answer equals the other endpoints' answer, without a time to
// retry.
func TestTodayWithoutHistory(t *testing.T) {
	w := get(newToday(true), TodayPath)
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "" || !strings.Contains(w.Body.String(), "no history is recorded") {
		t.Errorf("got %d, %v, %s", w.Code, w.Header(), w.Body)
	}
}
