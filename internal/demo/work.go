package demo

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// rest is how long somebody pauses between two sessions, at the speed of people.
const rest = 30 * time.Second

// Work writes each line when it is due, until ctx is done, which is no error.
func (t *Team) Work(ctx context.Context) error {
	due := time.NewTimer(0)
	defer due.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-due.C:
		}
		next, err := t.write(ctx, time.Now())
		if err != nil {
			return fmt.Errorf("write made-up sessions: %w", err)
		}
		due.Reset(time.Until(next))
	}
}

// write writes all lines that are due and returns when the next one is. It stops
// early when ctx is done.
func (t *Team) write(ctx context.Context, now time.Time) (next time.Time, err error) {
	for ctx.Err() == nil {
		d := slices.MinFunc(t.desks, func(a, b *desk) int { return a.due().Compare(b.due()) })
		if d.due().After(now) {
			return d.due(), nil
		}
		if err := d.write(); err != nil {
			return time.Time{}, err
		}
		if len(d.lines) == 0 {
			if err := t.goOn(d, now); err != nil {
				return time.Time{}, err
			}
		}
	}
	return now, nil
}

// goOn has another session begin where one has ended. Who comes late, since the
// machine was asleep, does not make up for what could have been done meanwhile.
func (t *Team) goOn(d *desk, now time.Time) error {
	at := d.last
	if now.Sub(at) > time.Minute {
		at = now
	}
	at = at.Add(time.Duration(float64(rest) / t.Speed))
	for len(d.lines) == 0 { // some sessions are empty
		d.begin(t.author.Session(at))
	}
	return d.tidy()
}
