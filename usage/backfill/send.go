package backfill

import (
	"context"

	dto "github.com/prometheus/client_model/go"

	"github.com/ccwatchd/ccwatchd/push"
	"github.com/ccwatchd/ccwatchd/usage/api"
)

// window is the time whose samples are sent of all series before the next.
const window = hour

// A pendingSeries is a series, and for each of its lines the samples to be sent next.
type pendingSeries struct {
	*series
	next []*push.Samples
}

// fill adds the samples before a time and returns their number.
func (s *pendingSeries) fill(p period, limit int64) (n int) {
	_ = s.curve.upTo(limit, p, func(t int64, value, sum uint64) error {
		for i, to := range s.next {
			to.Add(s.lines[i].in(value, sum), t)
			n++
		}
		return nil
	})
	return n
}

// Send sends the samples in the order of time, an hour after the other. It keeps the
// whole history in memory, some 32 bytes for each increase.
func (p *Plan) Send(ctx context.Context, to *push.Sender) error {
	all, err := p.pending(ctx, to)
	if err != nil || len(all) == 0 {
		return err
	}
	sent := counter{report: p.options.Progress}
	var batch []*push.Samples
	for _, s := range all {
		batch = append(batch, s.next...)
	}
	for start := p.First.UnixMilli(); start <= p.period.until; start += window {
		n := 0
		for _, s := range all {
			n += s.fill(p.period, start+window)
		}
		if err := to.Send(ctx, batch); err != nil {
			return err
		}
		sent.add(n)
	}
	return nil
}

// pending returns all series.
func (p *Plan) pending(ctx context.Context, to *push.Sender) (all []*pendingSeries, err error) {
	var family *dto.MetricFamily
	err = p.read(ctx, func(f *api.HistoryFamily) error {
		kind := dto.MetricType_COUNTER
		if f.Type == histogram {
			kind = dto.MetricType_HISTOGRAM
		}
		family = &dto.MetricFamily{Name: &f.Name, Help: &f.Help, Type: &kind}
		return nil
	}, func(s *series) error {
		one := &pendingSeries{series: s}
		for i := range s.lines {
			one.next = append(one.next, to.NewSamples(s.lines[i].name, s.labels, family))
		}
		all = append(all, one)
		return nil
	})
	return all, err
}
