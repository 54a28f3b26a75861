package backfill

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/usage/api"
)

const minute = int64(time.Minute / time.Millisecond)

// increase returns an increase in the five minutes that begin at a minute.
func increase(start int64, value uint64) counters.Increase {
	return counters.Increase{Start: start * minute, End: (start + 5) * minute, Value: value, Sum: 10 * value}
}

// testPeriod returns a period of minutes, before the first scrape.
func testPeriod(t *testing.T, since, until int64, change func(*Options)) period {
	t.Helper()
	o := Options{Until: time.UnixMilli(until * minute), Step: DefaultStep}
	if since > 0 {
		o.Since = time.UnixMilli(since * minute)
	}
	if change != nil {
		change(&o)
	}
	h := api.HistoryHeader{Started: time.UnixMilli(10_000 * minute), Time: time.UnixMilli(20_000 * minute)}
	p, err := o.period(&h)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// describe returns the samples as minute=value, with a + for the later sample of a
// pair.
func describe(s *api.HistorySeries, p period) string {
	c, ok := newCurve(s, p)
	if !ok {
		return "none"
	}
	var all []string
	_ = c.upTo(never, p, func(t int64, value, _ uint64) error {
		all = append(all, fmt.Sprintf("%d%s=%d", t/minute, "+"[:t%minute], value))
		return nil
	})
	return strings.Join(all, " ")
}

func TestCurve(t *testing.T) {
	step := func(d time.Duration) func(*Options) { return func(o *Options) { o.Step = d } }
	for _, test := range []struct {
		name         string
		since, until int64
		options      func(*Options)
		series       api.HistorySeries
		want         string
	}{
		{
			"begins at zero, and repeats its value", 0, 32, nil,
			api.HistorySeries{Increases: api.Increases{increase(10, 3), increase(20, 4)}},
			"10=0 15=3 20=3 25=7 30=7 30+=7 32=7",
		},
		{
			"two samples at each half hour", 0, 65, nil,
			api.HistorySeries{Increases: api.Increases{increase(50, 1), increase(60, 2)}},
			"50=0 55=1 60=1 60+=1 65=3",
		},
		{
			"no increase that ends later", 0, 24, nil,
			api.HistorySeries{Increases: api.Increases{increase(10, 3), increase(20, 4)}},
			"10=0 15=3 20=3 24=3",
		},
		{
			"an interval of an hour", 0, 125, step(30 * time.Minute),
			api.HistorySeries{Increases: api.Increases{{Start: 60 * minute, End: 120 * minute, Value: 5}}},
			"60=0 60+=0 90=0 90+=0 120=5 120+=5 125=5",
		},
		{
			"a step that does not divide the hour", 0, 130, step(25 * time.Minute),
			api.HistorySeries{Increases: api.Increases{increase(50, 1), increase(80, 1)}},
			"50=0 75=1 100=2 125=2 130=2",
		},
		{
			"two samples only where the step meets a full hour", 220, 310, step(25 * time.Minute),
			api.HistorySeries{Increases: api.Increases{increase(50, 1)}},
			"225=1 250=1 275=1 300=1 300+=1 310=1",
		},
		{
			"since", 17, 30, nil,
			api.HistorySeries{Increases: api.Increases{increase(10, 3), increase(20, 4)}},
			"20=3 25=7 30=7",
		},
		{
			"since before the beginning", 3, 15, nil,
			api.HistorySeries{Increases: api.Increases{increase(10, 3)}},
			"10=0 15=3",
		},
		{
			"since after the last increase", 23, 32, nil,
			api.HistorySeries{Increases: api.Increases{increase(10, 3)}},
			"25=3 30=3 30+=3 32=3",
		},
		{
			"idle", 0, 110, func(o *Options) { o.Idle = 10 * time.Minute },
			api.HistorySeries{Increases: api.Increases{increase(10, 3), increase(80, 4)}},
			"10=0 15=3 20=3 25=3 80=3 85=7 90=7 90+=7 95=7 110=7",
		},
		{
			"late increases", 0, 40, nil,
			api.HistorySeries{
				Increases: api.Increases{increase(10, 3), increase(20, 4), increase(30, 5)},
				Late:      api.Increases{increase(10, 3), increase(30, 2)},
			},
			"20=0 25=4 30=4 30+=4 35=7 40=7",
		},
		{
			"only late increases", 0, 40, nil,
			api.HistorySeries{Increases: api.Increases{increase(10, 3)}, Late: api.Increases{increase(10, 3)}},
			"none",
		},
		{"hidden", 0, 40, nil, api.HistorySeries{Hidden: true, Increases: api.Increases{increase(10, 3)}}, "none"},
		{"begins later", 0, 14, nil, api.HistorySeries{Increases: api.Increases{increase(10, 3)}}, "none"},
		{"no increases", 0, 40, nil, api.HistorySeries{Base: 5}, "none"},
		{
			"undated before the first scrape", 0, 15, nil,
			api.HistorySeries{Base: 100, Increases: api.Increases{increase(10, 3)}},
			"10=0 15=3",
		},
		{
			"undated, and what may be counted later, after the first scrape", 0, 10_080, step(20 * time.Minute),
			api.HistorySeries{Base: 100, Increases: api.Increases{increase(9990, 3), increase(10_015, 4), increase(10_020, 5)}},
			"9980=100 10000=103 10020=107 10020+=107 10040=107 10060=107 10080=107",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := describe(&test.series, testPeriod(t, test.since, test.until, test.options)); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// At every time the value is the sum of all increases that have ended, computed without
// a curve. Samples are in order, as many as announced, and at most a step apart.
func TestRandomCurves(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 0))
		var s api.HistorySeries
		for at := rng.Int64N(500) * 5; at < 6000; at += 5 + 5*rng.Int64N(1+rng.Int64N(200)) {
			s.Increases = append(s.Increases, increase(at, 1+rng.Uint64N(9)))
			if rng.IntN(3) == 0 {
				s.Late = append(s.Late, increase(at, 1+rng.Uint64N(s.Increases[len(s.Increases)-1].Value)))
			}
		}
		until := 6000 + rng.Int64N(1000)
		p := testPeriod(t, rng.Int64N(2)*rng.Int64N(3000), until, func(o *Options) {
			o.Step = time.Duration(1+rng.IntN(40)) * time.Minute
		})
		c, ok := newCurve(&s, p)
		if !ok {
			continue
		}
		n, before, want := int64(0), int64(-1), c.samples(p)
		_ = c.upTo(never, p, func(at int64, value, sum uint64) error {
			n++
			if exact := valueAt(&s, at); value != exact || sum != 10*exact {
				t.Fatalf("seed %d: at %d: got %d and %d, want %d", seed, at, value, sum, exact)
			}
			if before >= 0 && (at <= before || at-before > p.step) || at > p.until || at < p.since {
				t.Fatalf("seed %d: got a sample at %d after one at %d", seed, at, before)
			}
			before = at
			return nil
		})
		if n != want || before != p.until {
			t.Errorf("seed %d: got %d samples until %d, want %d until %d", seed, n, before, want, p.until)
		}
	}
}

// valueAt returns the value of a series at a time.
func valueAt(s *api.HistorySeries, at int64) (value uint64) {
	for _, i := range s.Increases {
		if i.End <= at {
			value += i.Value
		}
	}
	for _, i := range s.Late {
		if i.End <= at {
			value -= i.Value
		}
	}
	return value
}

// A curve that is read in parts has the same samples.
func TestParts(t *testing.T) {
	s := api.HistorySeries{Increases: api.Increases{increase(10, 3), increase(70, 4)}}
	p := testPeriod(t, 0, 200, nil)
	c, _ := newCurve(&s, p)
	var got []string
	for limit := int64(0); limit <= 210; limit += 7 {
		_ = c.upTo(limit*minute, p, func(t int64, value, _ uint64) error {
			got = append(got, fmt.Sprintf("%d%s=%d", t/minute, "+"[:t%minute], value))
			return nil
		})
	}
	if got, want := strings.Join(got, " "), describe(&s, p); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
