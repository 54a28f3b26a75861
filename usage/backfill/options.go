package backfill

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/usage/api"
)

// Options say which part of a history to write, and how.
type Options struct {
	// Since is the time of the first samples, or up to one step later than them; zero is
	// the beginning of the history.
	Since time.Time
	// Until is the time of the last samples. Zero means the time when the state began: no
	// scrape is earlier.
	Until time.Time
	// Step is the time between two samples of a series, at least a second.
	Step time.Duration
	// Idle is how long the samples of a series are repeated after it grew, until it grows
	// again. Zero means always. VictoriaMetrics needs all samples: after a gap, it counts
	// the next value of a counter as an increase from zero.
	Idle time.Duration
	// Labels are added to every series that has no label of that name. Empty labels are
	// not written.
	Labels map[string]string
	// Progress is called now and then with the number of samples written since the last
	// call. Optional.
	Progress func(samples int)
}

const (
	// DefaultStep is Prometheus's default lookback: a series without samples for longer is
	// stale.
	DefaultStep = 5 * time.Minute
	// DefaultIdle is the default of Options.Idle for files. It makes them many times
	// smaller.
	DefaultIdle = time.Hour
)

// settling is the time before Options.Until whose increases are left to live scrapes if
// scrapes before Options.Until are possible: a response may be counted some time after
// its first line.
const settling = time.Hour

var (
	errStep  = errors.New("the step must be at least a second, and whole seconds")
	errUntil = errors.New("until must not be in the future")
)

// IsInvalid reports whether an error of New means that the options are invalid.
func IsInvalid(err error) bool {
	return errors.Is(err, errStep) || errors.Is(err, errUntil) || errors.Is(err, api.ErrRange)
}

// A HistoryReader reads a history: it calls a function with its header and series. It
// can be called several times.
type HistoryReader func(ctx context.Context, read func(api.HistoryHeader, iter.Seq2[api.HistorySeries, error]) error) error

// FromLedger returns a reader of the history of a ledger, with the series that a scrape
// of it has.
func FromLedger(h counters.History, version string, now time.Time) HistoryReader {
	h = h.Exposed()
	return func(_ context.Context, read func(api.HistoryHeader, iter.Seq2[api.HistorySeries, error]) error) error {
		header, series := api.NewHistory(h, version, now)
		return read(header, func(yield func(api.HistorySeries, error) bool) {
			for s := range series {
				if !yield(s, nil) {
					return
				}
			}
		})
	}
}

// period returns the times between which samples are written, and the end of the last
// increase in them, in milliseconds since the epoch.
func (o *Options) period(h *api.HistoryHeader) (p period, err error) {
	if o.Step < time.Second || o.Step%time.Second != 0 {
		return p, errStep
	}
	until := o.Until
	if until.IsZero() {
		until = h.Started
	}
	p = period{since: -1, until: until.Truncate(time.Second).UnixMilli(), step: o.Step.Milliseconds(), idle: o.Idle.Milliseconds(), pairs: halfHour}
	if !o.Since.IsZero() {
		p.since = o.Since.Truncate(time.Second).UnixMilli()
	}
	p.last = p.until
	if p.scraped = until.After(h.Started); p.scraped {
		p.last -= settling.Milliseconds()
	}
	switch {
	case p.until > h.Time.UnixMilli():
		return p, fmt.Errorf("%w: the history ends at %s", errUntil, h.Time.Format(time.RFC3339))
	case p.since >= p.until:
		return p, api.ErrRange
	}
	return p, nil
}
