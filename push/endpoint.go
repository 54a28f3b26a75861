package push

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"
)

const (
	// maxSamples limits the samples of a request, as in Prometheus.
	maxSamples = 2000
	// minBackoff is the delay after the first failure.
	minBackoff = time.Second
	// shutdownTimeout limits how long an endpoint sends its last values, including the
	// request in progress.
	shutdownTimeout = 5 * time.Second
)

// An endpoint sends to one server. It is for one goroutine.
type endpoint struct {
	Endpoint
	Options
	client  *client
	cache   *seriesCache
	message message // reused

	times        *times
	from         int64 // history before this time was sent, refused or is not needed
	interruption interruption

	last        int64         // timestamp of the newest samples possibly stored, in milliseconds
	backoff     time.Duration // of the next retry
	lastReason  reason        // of the last push, "" after a success
	gatherError string        // logged last
}

// run sends until ctx ends, and then the last values.
func (e *endpoint) run(ctx context.Context) {
	defer e.client.close()
	sending, cancel := withShutdownTimeout(ctx)
	defer cancel()
	e.Metrics.register(e.Name)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			e.shutDown(sending)
			return
		case <-timer.C:
		}
		start := time.Now()
		err := e.push(sending)
		if ctx.Err() == nil {
			e.logResult(err)
			timer.Reset(e.wait(err, time.Since(start)))
		}
	}
}

// withShutdownTimeout returns a context that ends some time after ctx. The request in
// progress when ctx ends is not canceled: the server could store it after later
// requests.
func withShutdownTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	extended, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(shutdownTimeout, cancel) })
	return extended, func() { stop(); cancel() }
}

// push sends the history of an interruption, if there was one, and the current values.
// The error is a *failure, or errPostponed.
func (e *endpoint) push(ctx context.Context) error {
	err := e.catchUp(ctx)
	if err != nil && (errors.Is(err, errPostponed) || e.interruption.failures < maxFailures) {
		return err
	}
	if !e.gather() {
		return errPostponed
	}
	before := e.last
	sendErr := e.send(ctx, e.cache.pending)
	if sendErr == nil || Refused(sendErr) && e.last > before { // the server has accepted a part
		e.caughtUp(err != nil)
	} else {
		e.interruption.failures = 0 // the history is not the cause
	}
	return sendErr
}

// gather makes the current values pending, and reports whether there are any.
func (e *endpoint) gather() bool {
	families, done, err := e.Source.Gather()
	defer done()
	e.logGather(err)
	if len(families) == 0 {
		return false
	}
	e.cache.update(families, err == nil)
	return true
}

// send sends samples of series, in as many requests as necessary. It returns the error
// of the first failed request: after a refused request it still sends the rest, since a
// server may refuse only new series.
func (e *endpoint) send(ctx context.Context, pending []*series) (refused error) {
	// Timestamps increase even if the clock was set back.
	timestamp := max(e.Now().UnixMilli(), e.last+1)
	for chunk := range slices.Chunk(pending, maxSamples) {
		for _, s := range chunk {
			s.samples = append(s.samples[:0], sample{s.value, timestamp})
		}
		before := e.last
		e.last = timestamp
		err := e.write(ctx, chunk)
		if err == nil {
			continue
		}
		if !maybeStored(err) {
			e.last = before
		}
		if !Refused(err) {
			return err
		}
		refused = cmp.Or(refused, err)
	}
	return refused
}

// write sends one request with the samples of some series.
func (e *endpoint) write(ctx context.Context, all []*series) error {
	e.message = encode(e.message[:0], e.Protocol, all)
	if err := e.client.write(ctx, e.message); err != nil {
		return err
	}
	e.cache.acknowledge(all)
	e.Metrics.sent(e.Name, countSamples(all), e.Now())
	return nil
}

func countSamples(all []*series) (n int) {
	for _, s := range all {
		n += len(s.samples)
	}
	return n
}

// wait returns the delay until the next push.
func (e *endpoint) wait(err error, elapsed time.Duration) time.Duration {
	usual := max(0, e.Interval-elapsed)
	failed, ok := errors.AsType[*failure](err)
	if !ok || !failed.retryable() {
		e.backoff = 0
		return usual
	}
	e.backoff = min(max(2*e.backoff, minBackoff), e.Interval)
	return failed.retryDelay(e.backoff)
}

// logResult counts a failure, and logs a change of the result of pushes.
func (e *endpoint) logResult(err error) {
	if errors.Is(err, errPostponed) {
		return
	}
	failed, ok := errors.AsType[*failure](err)
	if !ok {
		if e.lastReason != "" {
			e.Logger.Info("A remote-write endpoint accepts requests again", "name", e.Name)
		}
		e.lastReason = ""
		return
	}
	e.Metrics.failed(e.Name, failed.reason)
	switch {
	case failed.reason == e.lastReason:
	case failed.retryable():
		e.Logger.Warn("Failed to send to a remote-write endpoint, will retry", "name", e.Name, "err", failed)
	default:
		e.Logger.Error("A remote-write endpoint rejected a request", "name", e.Name, "err", failed)
	}
	e.lastReason = failed.reason
}

// logGather logs an error of the source once.
func (e *endpoint) logGather(err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text != "" && text != e.gatherError {
		e.Logger.Error("Failed to gather some metrics for remote write", "name", e.Name, "err", err)
	}
	e.gatherError = text
}

// shutDown sends the last values, twice if there were initial zeros, and ends all
// series. It does not retry.
func (e *endpoint) shutDown(ctx context.Context) {
	err := e.push(ctx)
	if err == nil && e.cache.zeros > 0 {
		err = e.push(ctx)
	}
	if err == nil {
		e.cache.endAll()
		err = e.send(ctx, e.cache.pending)
	}
	e.logResult(err)
}
