package demo

import (
	"time"

	"github.com/ccwatchd/ccwatchd/internal/corpus"
)

const day = 24 * time.Hour

// past returns a time at which a session begins that has been over for a day at the
// time now: only such sessions have a length.
func (o Options) past(now time.Time) time.Time {
	return now.Add(-day - time.Duration(float64(2*day)/min(1, o.Speed)))
}

// writePast writes a whole session, which is kept.
func (w *writer) writePast(lines []corpus.Line) error {
	past := writer{home: w.home, lines: lines}
	for len(past.lines) > 0 {
		if err := past.write(); err != nil {
			return err
		}
	}
	return nil
}
