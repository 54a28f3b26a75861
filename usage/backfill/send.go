package backfill

import (
	"context"

	"github.com/ccwatchd/ccwatchd/push"
	"github.com/ccwatchd/ccwatchd/usage/api"
)

// Send sends the samples in the order of time. It keeps the whole history in memory,
// some 32 bytes for each increase.
func (p *Plan) Send(ctx context.Context, to *push.Sender) error {
	var all []*push.Past
	err := p.read(ctx, func(*api.HistoryFamily) error { return nil }, func(s *series) error {
		for i := range s.lines {
			all = append(all, s.past(&s.lines[i], s.curve, p.period))
		}
		return nil
	})
	if err != nil || len(all) == 0 {
		return err
	}
	return to.Send(ctx, all, p.First.UnixMilli()-1, p.period.until, p.options.Progress)
}
