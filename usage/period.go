package usage

import (
	"cmp"
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
)

// A period is one of the periods of a query: from begin to before end, in milliseconds
// since the epoch.
type period struct{ begin, end int64 }

func (p period) has(millis int64) bool { return p.begin <= millis && millis < p.end }

// fiveMinutes is the length of the shortest periods in milliseconds.
const fiveMinutes = int64(counters.Interval / time.Millisecond)

// periods calculates the periods of a query. It caches days, weeks and months: they
// take long to calculate, and a record has few.
type periods struct {
	query *Query
	known []period // sorted
	last  int      // in known
}

// containing returns the period with a time.
func (p *periods) containing(millis int64) period {
	switch p.query.Step {
	case Total:
		return period{0, maxTime.UnixMilli()}
	case FiveMinutes:
		begin := millis - millis%fiveMinutes
		return period{begin, begin + fiveMinutes}
	case Hour:
		begin := Hour.Start(time.UnixMilli(millis).In(p.query.Location)).UnixMilli()
		return period{begin, begin + 12*fiveMinutes}
	}
	if n := p.last + 1; n < len(p.known) && p.known[n].has(millis) {
		p.last = n
		return p.known[n]
	}
	n, found := slices.BinarySearchFunc(p.known, millis, func(known period, millis int64) int {
		if known.has(millis) {
			return 0
		}
		return cmp.Compare(known.begin, millis)
	})
	if !found {
		p.known = slices.Insert(p.known, n, p.calculate(millis))
	}
	p.last = n
	return p.known[n]
}

func (p *periods) calculate(millis int64) period {
	at := time.UnixMilli(millis).In(p.query.Location)
	return period{p.query.Step.Start(at).UnixMilli(), p.query.Step.Next(at).UnixMilli()}
}

// start returns the start of the row for a period.
func (p *periods) start(containing period) time.Time {
	if p.query.Step == Total {
		return p.query.Since
	}
	return time.UnixMilli(containing.begin).In(p.query.Location)
}
