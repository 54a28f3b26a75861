package backfill

import (
	"cmp"
	"context"
	"iter"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/usage/api"
)

// A Plan describes the samples to be written of a history.
type Plan struct {
	history HistoryReader
	options Options
	period  period

	Series  int   // as in the server: two for a histogram
	Samples int64 // of all series
	// First and Last are the times of the first and the last samples. First is zero if
	// there are none.
	First, Last time.Time
	// Step is Options.Step.
	Step time.Duration
	// FileSize is the size of the file in bytes.
	FileSize int64
	// SendSize is about the size of all requests of remote write in bytes, before
	// compression.
	SendSize int64
	// Started is when the state began.
	Started time.Time
	// Scraped reports that the plan ends after the first possible scrape. Samples may then
	// exceed later live samples if older lines were read after the first scrape.
	Scraped bool
}

// sampleSize is the size of a sample of remote write. Each request of an hour has the
// labels of its series once.
const sampleSize = 18

// New reads a history once, to plan what to write.
func New(ctx context.Context, from HistoryReader, o Options) (*Plan, error) {
	if o.Progress == nil {
		o.Progress = func(int) {}
	}
	p := &Plan{history: from, options: o, Step: o.Step, FileSize: int64(len(endOfFile))}
	first := int64(-1)
	err := p.read(ctx, func(f *api.HistoryFamily) error {
		p.FileSize += int64(len(f.Name)*2 + len(f.Help) + 20)
		return nil
	}, func(s *series) error {
		n := s.curve.samples(p.period)
		for i := range s.lines {
			p.FileSize += n * int64(len(s.lines[i].prefix)+s.lines[i].digits()+len(" 1234567890\n"))
			p.SendSize += n*sampleSize + n*p.period.step/time.Hour.Milliseconds()*int64(len(s.lines[i].prefix))
		}
		p.Series += len(s.lines)
		p.Samples += n * int64(len(s.lines))
		if first < 0 || s.curve.time < first {
			first = s.curve.time
		}
		return nil
	})
	if first >= 0 {
		p.First = time.UnixMilli(first)
	}
	p.Last = time.UnixMilli(p.period.until)
	return p, err
}

// hasPast reports whether a family is written. claude_reported_* is not: cost-state
// lines have no time, and claude_reported_seen_tokens_total, which has times, would be
// divided by the missing totals. Gauges are not written: their history has no past
// values.
func hasPast(f *api.HistoryFamily) bool {
	return f.Type != "gauge" && !strings.HasPrefix(f.Name, "claude_reported_")
}

// read calls functions with the families that have samples, and with their series.
func (p *Plan) read(ctx context.Context, family func(*api.HistoryFamily) error, visit func(*series) error) error {
	return p.history(ctx, func(h api.HistoryHeader, all iter.Seq2[api.HistorySeries, error]) (err error) {
		if p.period, err = p.options.period(&h); err != nil {
			return err
		}
		p.Started, p.Scraped = h.Started, p.period.scraped
		families := make(map[string]*api.HistoryFamily, len(h.Families))
		for i := range h.Families {
			families[h.Families[i].Name] = &h.Families[i]
		}
		current := ""
		for s, err := range all {
			if err := cmp.Or(err, ctx.Err()); err != nil {
				return err
			}
			f := families[s.Family]
			if f == nil {
				return api.ErrHistory
			}
			if !hasPast(f) {
				continue
			}
			c, ok := newCurve(&s, p.period)
			if !ok {
				continue
			}
			if s.Family != current {
				current = s.Family
				if err := family(f); err != nil {
					return err
				}
			}
			if err := visit(newSeries(f, &s, c, p.options.Labels)); err != nil {
				return err
			}
		}
		return nil
	})
}
