package push

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

const (
	// maxSamples is how many samples a request has at most, as those of
	// Prometheus have.
	maxSamples = 2000
	// firstRetry is how long to wait after something has failed for the first
	// time.
	firstRetry = time.Second
	// longestWait is how long a server can ask for not to be asked.
	longestWait = time.Hour
	// farewell limits how long an endpoint sends its last values, including the request
	// in progress.
	farewell = 5 * time.Second
)

// A runner sends to one endpoint. One goroutine uses it.
type runner struct {
	Endpoint
	client  *client
	source  prometheus.TransactionalGatherer
	book    *book
	message message // is overwritten again and again
	metrics Metrics
	log     *slog.Logger
	now     func() time.Time

	last    int64         // timestamp of what may have arrived last, in milliseconds
	delay   time.Duration // of the next retry
	trouble reason        // that was told last, "" once it has gone
	unclean string        // what was wrong when it was gathered, as it was told
}

// run sends until ctx ends, and then for the last time.
func (r *runner) run(ctx context.Context) {
	defer r.client.close()
	sending, cancel := withFarewell(ctx)
	defer cancel()
	r.metrics.begin(r.Name)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			r.leave(sending)
			return
		case <-timer.C:
		}
		begun := time.Now()
		err := r.push(sending)
		if ctx.Err() == nil {
			r.tell(err)
			timer.Reset(r.wait(err, time.Since(begun)))
		}
	}
}

// withFarewell returns a context that ends some time after ctx. The request in progress
// when ctx ends is not canceled: the server could otherwise store it after later ones.
func withFarewell(ctx context.Context) (context.Context, context.CancelFunc) {
	extended, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(farewell, cancel) })
	return extended, func() { stop(); cancel() }
}

// push sends the values of now. What it returns is a *failure, or nil.
func (r *runner) push(ctx context.Context) error {
	if !r.gather() {
		return nil
	}
	return r.send(ctx, r.book.due)
}

// gather makes due what there is to send, and reports whether there is anything.
func (r *runner) gather() bool {
	families, done, err := r.source.Gather()
	defer done()
	r.tellGathered(err)
	if len(families) == 0 {
		return false
	}
	r.book.turn(families, err == nil)
	return true
}

// send sends some series, in as many requests as it takes.
func (r *runner) send(ctx context.Context, due []*series) error {
	// Behind a clock that was set back time goes on by the smallest step there is.
	at := max(r.now().UnixMilli(), r.last+1)
	for some := range slices.Chunk(due, maxSamples) {
		before := r.last
		r.last = at
		r.message = encode(r.message[:0], r.Protocol, some, at)
		if err := r.client.write(ctx, r.message); err != nil {
			if answered(err) {
				r.last = before // else it may have arrived all the same
			}
			return err
		}
		r.book.arrived(some)
		r.metrics.sent(r.Name, len(some), r.now())
	}
	return nil
}

// wait returns how long to wait after a push that took so long.
func (r *runner) wait(err error, took time.Duration) time.Duration {
	usual := max(0, r.Interval-took)
	failed, ok := errors.AsType[*failure](err)
	if !ok || !failed.again {
		r.delay = 0
		return usual
	}
	r.delay = min(max(2*r.delay, firstRetry), r.Interval)
	// Many that have lost the same server do not come back as one.
	jittered := r.delay/2 + rand.N(r.delay/2+1) //nolint:gosec // nothing to guess here
	return max(jittered, min(failed.after, longestWait))
}

// tell counts a failure, and logs how it goes when that changes.
func (r *runner) tell(err error) {
	failed, ok := errors.AsType[*failure](err)
	if !ok {
		if r.trouble != "" {
			r.log.Info("Sending to a remote-write endpoint works again", "name", r.Name)
		}
		r.trouble = ""
		return
	}
	r.metrics.failed(r.Name, failed.reason)
	switch {
	case failed.reason == r.trouble:
	case failed.again:
		r.log.Warn("Failed to send to a remote-write endpoint, will try again", "name", r.Name, "err", failed)
	default:
		r.log.Error("A remote-write endpoint does not take what is sent", "name", r.Name, "err", failed)
	}
	r.trouble = failed.reason
}

// tellGathered logs what is wrong with what there is to send, once.
func (r *runner) tellGathered(err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text != "" && text != r.unclean {
		r.log.Error("Failed to gather everything that is to be sent", "name", r.Name, "err", err)
	}
	r.unclean = text
}

// leave sends the last values, those that had to begin at zero, and that no more
// come. Where that does not work there is nothing to be done about it.
func (r *runner) leave(ctx context.Context) {
	err := r.push(ctx)
	if err == nil && r.book.begins > 0 {
		err = r.push(ctx)
	}
	if err == nil {
		r.book.close()
		err = r.send(ctx, r.book.due)
	}
	r.tell(err)
}
