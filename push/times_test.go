package push

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// A brokenStorage has an invalid record, or fails.
type brokenStorage struct {
	text string
	err  error
}

func (s brokenStorage) LoadEndpoints() ([]byte, error) { return []byte(s.text), s.err }
func (s brokenStorage) SaveEndpoints([]byte) error     { return s.err }

func TestTimes(t *testing.T) {
	const now = 1000
	for _, test := range []struct {
		name    string
		storage Storage
		want    int64
		logged  string
	}{
		{"none", nil, now, ""},
		{"empty", brokenStorage{}, now, ""},
		{"recorded", brokenStorage{text: `{"one":7,"two":8}`}, 7, ""},
		{"another endpoint", brokenStorage{text: `{"two":8}`}, now, ""},
		{"in the future", brokenStorage{text: `{"one":1001}`}, now, ""},
		{"negative", brokenStorage{text: `{"one":-1}`}, now, ""},
		{"null", brokenStorage{text: `null`}, now, ""},
		{"truncated", brokenStorage{text: `{"one":7,"t`}, now, "Failed to read when"},
		{"unreadable", brokenStorage{err: errors.New("broken")}, now, "Failed to read when"},
	} {
		t.Run(test.name, func(t *testing.T) {
			log := new(polltest.Buffer)
			all := loadTimes(test.storage, slog.New(slog.NewTextHandler(log, nil)))
			if got := all.lastAccepted("one", now); got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
			if got := log.String(); !strings.Contains(got, test.logged) || (got == "") != (test.logged == "") {
				t.Errorf("got log %q, want %q", got, test.logged)
			}
			all.interrupted("one", 5)
			all.ended("one")
			if got := all.lastAccepted("one", now); got != now {
				t.Errorf("after the end: got %d, want %d", got, now)
			}
			if test.name == "unreadable" && !strings.Contains(log.String(), "Failed to save when") {
				t.Errorf("got log %q, want a failure to save", log)
			}
		})
	}
}

// The record is written only when something changes.
func TestTimesAreWrittenRarely(t *testing.T) {
	m := new(memory)
	all := loadTimes(m, slog.New(slog.DiscardHandler))
	for i, step := range []struct {
		do     func()
		writes int
		want   string
	}{
		{func() { all.ended("one") }, 0, ""},
		{func() { all.interrupted("one", 5) }, 1, `{"one":5}`},
		{func() { all.interrupted("one", 6) }, 1, `{"one":5}`},
		{func() { all.accepted("one", 6) }, 2, `{"one":6}`},
		{func() { all.ended("one") }, 3, `{}`},
		{func() { all.ended("one") }, 3, `{}`},
		{func() { all.stopped(map[string]int64{"one": 7, "two": 8}) }, 4, `{"one":7,"two":8}`},
		{func() { all.stopped(map[string]int64{"one": 7, "two": 8}) }, 4, `{"one":7,"two":8}`},
	} {
		step.do()
		if b, _ := m.LoadEndpoints(); m.writes != step.writes || string(b) != step.want {
			t.Errorf("step %d: got %s in %d writes, want %s in %d", i, b, m.writes, step.want, step.writes)
		}
	}
}

// A failure to save is logged once, and repaired at the next success of an endpoint.
func TestSavingTimesIsRetried(t *testing.T) {
	m, log := &memory{err: errors.New("disk full")}, new(polltest.Buffer)
	all := loadTimes(m, slog.New(slog.NewTextHandler(log, nil)))
	all.interrupted("one", 5)
	all.ended("two")
	if n := strings.Count(log.String(), "Failed to save when"); n != 1 {
		t.Errorf("got %d messages, want 1:\n%s", n, log)
	}
	m.err = nil
	for range 2 {
		all.ended("two")
		if b, _ := m.LoadEndpoints(); string(b) != `{"one":5}` || m.writes != 1 {
			t.Errorf("got %s in %d writes, want the time of the endpoint in one", b, m.writes)
		}
	}
}
