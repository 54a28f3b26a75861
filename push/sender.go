package push

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

const (
	// maxAttempts is the maximum number of attempts of a request.
	maxAttempts = 10
	// maxBackoff limits the delay between two attempts.
	maxBackoff = 30 * time.Second
)

// A Sender sends samples of the past to an endpoint. It is for one goroutine, and must
// be closed.
type Sender struct {
	endpoint Endpoint
	client   *client
	log      *slog.Logger
	message  message // reused
	sleep    func(context.Context, time.Duration) error
}

// NewSender returns an error if it cannot read a file of the endpoint, such as a
// certificate.
func NewSender(e Endpoint, log *slog.Logger) (*Sender, error) {
	c, err := newClient(&e)
	if err != nil {
		return nil, err
	}
	return &Sender{endpoint: e, client: c, log: log, sleep: sleep}, nil
}

// Close closes the connections.
func (s *Sender) Close() { s.client.close() }

// Send sends the samples between two times in the order of time, hour by hour, and
// reports their number. It repeats a request that fails because the server is busy,
// broken or unreachable. After an error the server has some of the samples.
func (s *Sender) Send(ctx context.Context, past []*Past, from, until int64, sent func(samples int)) error {
	replays := make([]*replay, len(past))
	for i, p := range past {
		ser := &series{labels: p.labels(s.endpoint.Labels), help: p.Family.GetHelp(), kind: p.Family.GetType(), started: true}
		replays[i] = &replay{series: ser, past: p}
	}
	for _, all := range inOrder(replays, from, until, time.Hour.Milliseconds()) {
		for batch := range batches(all) {
			if err := s.request(ctx, batch); err != nil {
				return err
			}
		}
		sent(countSamples(all))
	}
	return nil
}

// request sends one request until it is accepted.
func (s *Sender) request(ctx context.Context, all []*series) error {
	s.message = encode(s.message[:0], s.endpoint.Protocol, all)
	backoff := minBackoff
	for attempt := 1; ; attempt++ {
		err := s.client.write(ctx, s.message)
		failed, ok := errors.AsType[*failure](err)
		switch {
		case !ok:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case !failed.retryable() || attempt == maxAttempts:
			return fmt.Errorf("send to %s: %w", s.endpoint.Name, failed)
		}
		delay := failed.retryDelay(backoff)
		s.log.Warn("Failed to send, will retry", "err", failed, "delay", delay.Round(time.Second))
		if err := s.sleep(ctx, delay); err != nil {
			return err
		}
		backoff = min(2*backoff, maxBackoff)
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
