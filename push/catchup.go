package push

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"
)

const (
	// intervalLength is the shortest length of an Interval, and the others are multiples.
	intervalLength = 5 * time.Minute
	// maxInterruption limits how long ago the first samples of a history are.
	maxInterruption = 31 * 24 * time.Hour
	// maxHidden limits how long a history waits for hidden series.
	maxHidden = 5 * time.Minute
	// maxFailures is the number of failed requests in a row after which the current
	// values are tried.
	maxFailures = 10
	// skippedShare is the share of its age by which a refused sample is older than the
	// next that is sent: a server refuses everything before some time.
	skippedShare = 20
	// saveInterval is how often the time of the last accepted sample is saved while
	// history is sent: after a crash the server gets no more than that again.
	saveInterval = time.Minute
)

// errPostponed means that there is nothing to send yet.
var errPostponed = errors.New("nothing to send yet")

// An interruption is the state of catching up after a time in which a server accepted
// nothing.
type interruption struct {
	hidden                int64 // when hidden series were first waited for
	saved                 int64 // when the last accepted sample was last recorded
	failures              int   // in a row
	sent, refused, unsent int   // samples
}

// shouldSkipHistory reports whether a server that responds has failed so often that
// only the history may be what it cannot process.
func (i *interruption) shouldSkipHistory(err error) bool {
	return responded(err) && i.failures >= maxFailures
}

// sentUntil returns the time up to which the server has samples, or needs none.
func (e *endpoint) sentUntil() int64 { return max(e.last, e.from) }

// catchUp sends how the counters grew since the server accepted samples, if that is
// longer ago than an interval. The error is a *failure, or errPostponed.
func (e *endpoint) catchUp(ctx context.Context) error {
	now, from := e.now().UnixMilli(), e.sentUntil()
	if e.history == nil || now-from <= (intervalLength+e.Interval).Milliseconds() {
		return nil
	}
	from = max(from, now-maxInterruption.Milliseconds())
	grown, ok := e.history(from)
	if !ok {
		return errPostponed
	}
	replays := e.cache.replays(grown, from)
	if len(replays) == 0 {
		return nil
	}
	e.times.interrupted(e.Name, from)
	e.interruption.saved = cmp.Or(e.interruption.saved, now)
	if e.awaitsHidden(replays, now) {
		e.gather() // now the cache knows that these series are new
		return errPostponed
	}
	replays = slices.DeleteFunc(replays, func(r *replay) bool { return r.history.Hidden })
	err := e.sendHistory(ctx, replays, from, now)
	if err != nil {
		e.interruption.failures++
	}
	return err
}

// awaitsHidden reports whether to wait until all series are gathered with their values.
func (e *endpoint) awaitsHidden(replays []*replay, now int64) bool {
	if !slices.ContainsFunc(replays, func(r *replay) bool { return r.history.Hidden && r.history.Intervals[0].End <= now }) {
		return false
	}
	e.interruption.hidden = cmp.Or(e.interruption.hidden, now)
	return now-e.interruption.hidden < maxHidden.Milliseconds()
}

// sendHistory sends the values at the end of each interval, in the order of time, each
// time in requests of its own. Refused ones are not repeated.
func (e *endpoint) sendHistory(ctx context.Context, replays []*replay, from, now int64) (failed error) {
	length := intervalLength.Milliseconds()
	e.interruption.unsent = 0
	var all []*series
	for _, r := range replays {
		if r.beginAt(from) {
			all = append(all, r.series)
		}
	}
	failed = e.sendAt(ctx, all, from, now)
	for when := from - from%length + length; when+1 < now; when += length {
		all = all[:0]
		for _, r := range replays {
			if r.at(when) {
				all = append(all, r.series)
			}
		}
		switch {
		case failed != nil:
			e.interruption.unsent += countSamples(all)
		case when <= e.from:
			e.refuse(countSamples(all))
		default:
			failed = e.sendAt(ctx, all, when, now)
		}
	}
	return failed
}

// sendAt sends the samples of one time, and counts those that are refused. After an
// error the time is not complete; series that the server has then are not sent again.
func (e *endpoint) sendAt(ctx context.Context, all []*series, when, now int64) error {
	accepted, refused := false, false
	for chunk := range slices.Chunk(all, maxSamples/2) {
		err := e.write(ctx, chunk)
		switch {
		case err == nil:
			accepted = true
			e.interruption.failures = 0
			e.interruption.sent += countSamples(chunk)
			e.metrics.history(e.Name, resultSent, countSamples(chunk))
		case isRefused(err):
			refused = true
			e.refuse(countSamples(chunk))
		default:
			return err
		}
	}
	if refused {
		e.from = when
		if e.interruption.sent == 0 { // it may be too old
			e.from += (now - when) / skippedShare
		}
	}
	if accepted {
		e.last = when + 1
		e.recordProgress()
	}
	return nil
}

// recordProgress records now and then which samples the server has accepted.
func (e *endpoint) recordProgress() {
	now := e.now().UnixMilli()
	if now-e.interruption.saved >= saveInterval.Milliseconds() {
		e.interruption.saved = now
		e.times.accepted(e.Name, e.last)
	}
}

// refuse counts samples that the server refuses.
func (e *endpoint) refuse(samples int) {
	e.interruption.refused += samples
	e.metrics.history(e.Name, resultRefused, samples)
}

// caughtUp ends an interruption after the server has accepted the current values. It
// then gets nothing older: abandoned reports whether a part of the history is unsent.
func (e *endpoint) caughtUp(abandoned bool) {
	if abandoned {
		e.refuse(e.interruption.unsent)
	}
	switch i := e.interruption; {
	case i.refused > 0:
		e.log.Warn("A remote-write endpoint refused past samples", "name", e.Name, "sent", i.sent, "refused", i.refused)
	case i.sent > 0:
		e.log.Info("Sent past samples to a remote-write endpoint after being offline", "name", e.Name, "sent", i.sent)
	}
	e.interruption = interruption{}
	e.times.ended(e.Name)
}
