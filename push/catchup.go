package push

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"
)

const (
	// intervalLength is the time between two samples of a history.
	intervalLength = 5 * time.Minute
	// maxInterruption limits the age of the first samples of a history.
	maxInterruption = 31 * 24 * time.Hour
	// maxHidden limits how long a history waits for hidden series.
	maxHidden = 5 * time.Minute
	// maxFailures is the number of consecutive failed requests of the history, each
	// after a successful request without samples, before the current values are tried.
	maxFailures = 5
	// skipDivisor: after a refusal, 1/skipDivisor of the age of the refused sample is
	// skipped, because servers refuse everything before some time. Nothing is skipped once
	// the server has accepted a part of the history.
	skipDivisor = 20
	// saveInterval is the interval of saving the time of the last accepted sample while
	// history is sent: after a crash the server gets at most that part again.
	saveInterval = time.Minute
)

// errPostponed means that there is nothing to send yet.
var errPostponed = errors.New("nothing to send yet")

// An interruption is the state of catching up after a server accepted no samples for
// some time.
type interruption struct {
	hiddenSince           time.Time // when the wait for hidden series began
	saved                 int64     // time of the last recorded progress
	failed                bool      // the last request of the history failed
	probed                bool      // the failure came after a successful request without samples
	failures              int       // of requests of the history, since the server last accepted samples
	sent, refused, unsent int       // samples
}

// sentUntil returns the end of the time for which the server has, or needs, no more
// samples.
func (e *endpoint) sentUntil() int64 { return max(e.last, e.from) }

// catchUp sends the growth of the counters since the server last accepted samples, if
// that was more than an interval ago. The error is a *failure, or errPostponed.
func (e *endpoint) catchUp(ctx context.Context) error {
	now, from := e.Now().UnixMilli(), e.sentUntil()
	if e.History == nil || now-from <= (intervalLength+e.Interval).Milliseconds() {
		return nil
	}
	from = max(from, now-maxInterruption.Milliseconds())
	if err := e.probe(ctx); err != nil {
		return err
	}
	grown, ok := e.History(from, now)
	if !ok {
		return errPostponed
	}
	replays := e.cache.replays(grown, from)
	if len(replays) == 0 {
		return nil
	}
	e.times.interrupted(e.Name, from)
	e.interruption.saved = cmp.Or(e.interruption.saved, now)
	if e.awaitsHidden(replays) {
		e.gather() // now the cache knows that these series are new
		return errPostponed
	}
	replays = slices.DeleteFunc(replays, func(r *replay) bool { return r.past.Hidden })
	return e.sendHistory(ctx, replays, from, now)
}

// awaitsHidden reports whether to wait until all series are gathered with their values.
// The wait, like the zero window of hidden series, stops while the machine sleeps.
func (e *endpoint) awaitsHidden(replays []*replay) bool {
	if !slices.ContainsFunc(replays, func(r *replay) bool { return r.past.Hidden }) {
		return false
	}
	if e.interruption.hiddenSince.IsZero() {
		e.interruption.hiddenSince = e.Now()
	}
	return e.Now().Sub(e.interruption.hiddenSince) < maxHidden
}

// probe sends a request without samples at every other attempt after a failed request
// of the history. An error means that the server accepts no requests at present.
// Without an error, the server may be unable to process the history.
func (e *endpoint) probe(ctx context.Context) error {
	i := &e.interruption
	if i.probed = i.failed && !i.probed; !i.probed {
		return nil
	}
	err := e.client.write(ctx, nil)
	if failed, ok := errors.AsType[*failure](err); ok && failed.status/100 == 2 || Refused(err) {
		return nil // the server responds to requests
	}
	return err
}

// sendHistory sends the values at the end of each interval, in the order of time, with
// separate requests for each interval. Refused samples are not repeated.
func (e *endpoint) sendHistory(ctx context.Context, replays []*replay, from, now int64) (err error) {
	i := &e.interruption
	for when, all := range inOrder(replays, from, now, intervalLength.Milliseconds()) {
		switch {
		case err != nil:
			i.unsent += countSamples(all)
		case when <= e.from:
			e.refuse(countSamples(all))
		default:
			if err = e.sendAt(ctx, all, when, now); err == nil {
				continue
			}
			i.failed, i.unsent = true, countSamples(all)
			if failed, ok := errors.AsType[*failure](err); ok && i.probed && failed.reason != rateLimited {
				i.failures++
			}
			if i.failures < maxFailures {
				return err
			}
		}
	}
	return err
}

// sendAt sends the samples of one time, and counts the refused samples. After an error
// the time is incomplete; series that the server has then are not sent again.
func (e *endpoint) sendAt(ctx context.Context, all []*series, when, now int64) error {
	accepted, refused := false, false
	for chunk := range batches(all) {
		err := e.write(ctx, chunk)
		switch {
		case err == nil:
			accepted = true
			e.interruption.failed, e.interruption.failures = false, 0
			e.interruption.sent += countSamples(chunk)
			e.Metrics.history(e.Name, resultSent, countSamples(chunk))
		case Refused(err):
			refused = true
			e.refuse(countSamples(chunk))
		default:
			return err
		}
	}
	if refused {
		e.from = when
		if e.interruption.sent == 0 { // the sample may be too old
			e.from += (now - when) / skipDivisor
		}
	}
	if accepted {
		e.last = when + 1
		e.recordProgress()
	}
	return nil
}

// recordProgress records the time of the accepted samples now and then.
func (e *endpoint) recordProgress() {
	now := e.Now().UnixMilli()
	if now-e.interruption.saved >= saveInterval.Milliseconds() {
		e.interruption.saved = now
		e.times.accepted(e.Name, e.last)
	}
}

// refuse counts samples that the server refuses.
func (e *endpoint) refuse(samples int) {
	e.interruption.refused += samples
	e.Metrics.history(e.Name, resultRefused, samples)
}

// caughtUp ends an interruption after the server has accepted the current values. The
// server then gets no older samples: abandoned reports whether a part of the history is
// unsent.
func (e *endpoint) caughtUp(abandoned bool) {
	if abandoned {
		e.refuse(e.interruption.unsent)
	}
	switch i := e.interruption; {
	case i.refused > 0:
		e.Logger.Warn("A remote-write endpoint refused past samples", "name", e.Name, "sent", i.sent, "refused", i.refused)
	case i.sent > 0:
		e.Logger.Info("Sent past samples to a remote-write endpoint after being offline", "name", e.Name, "sent", i.sent)
	}
	e.interruption = interruption{}
	e.times.ended(e.Name)
}
