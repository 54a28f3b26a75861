package push

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"time"

	dto "github.com/prometheus/client_model/go"
)

const (
	// maxAttempts is how often a Sender sends a request.
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

// Samples are the samples of a series that are sent next.
type Samples struct{ series }

// NewSamples returns no samples of a series with the labels of the endpoint and those
// given, which take precedence.
func (s *Sender) NewSamples(name string, own map[string]string, f *dto.MetricFamily) *Samples {
	all := maps.Clone(s.endpoint.Labels)
	if all == nil {
		all = make(map[string]string)
	}
	maps.Copy(all, own)
	all["__name__"] = name
	return &Samples{series{labels: labels(appendLabels(nil, sortedLabels(all))), help: f.GetHelp(), kind: f.GetType()}}
}

// Add adds a sample at a time in milliseconds since the epoch. Times increase.
func (s *Samples) Add(value float64, at int64) { s.samples = append(s.samples, sample{value, at}) }

// Send sends the samples of series, in the order of the series, and removes them. It
// repeats a request that fails because the server is busy, broken or unreachable. After
// an error the server has some of the samples.
func (s *Sender) Send(ctx context.Context, all []*Samples) error {
	batch, n := make([]*series, 0, len(all)), 0
	flush := func() error {
		if n == 0 {
			return nil
		}
		err := s.request(ctx, batch)
		batch, n = batch[:0], 0
		return err
	}
	for _, one := range all {
		if len(one.samples) == 0 {
			continue
		}
		if n > 0 && n+len(one.samples) > maxSamples {
			if err := flush(); err != nil {
				return err
			}
		}
		batch, n = append(batch, &one.series), n+len(one.samples)
	}
	if err := flush(); err != nil {
		return err
	}
	for _, one := range all {
		one.samples = one.samples[:0]
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
		case !failed.retryable || attempt == maxAttempts:
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
