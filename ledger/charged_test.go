package ledger

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/test/testsize"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A chargeModel states the rule of corrections in the simplest way: the charge of a
// message is the highest price of its counted records.
type chargeModel struct {
	final                  bool
	output                 uint64
	last                   transcript.Usage // of the record that counted last
	cost, savings, premium uint64
	isCounted              bool
	at                     int64
	pending                *transcript.Entry // the best record before the message is counted
}

func (m *chargeModel) add(e *transcript.Entry) {
	r := rankOf(e.Message)
	switch {
	case m.isCounted:
		m.correct(e)
	case m.pending == nil || r.beats(rankOf(m.pending.Message)):
		if m.at = dayOf(e.Time); m.pending != nil && r == rankOf(m.pending.Message) {
			m.at = min(m.at, dayOf(m.pending.Time))
		}
		best := *e
		best.Time = m.at * dayMillis
		m.pending = &best
	}
}

func (m *chargeModel) settle() {
	m.isCounted = true
	m.charge(m.pending)
}

func (m *chargeModel) correct(e *transcript.Entry) {
	final, u := e.Message.IsFinal(), e.Message.Usage
	worse := m.final && !final || m.final == final && u.Output < m.output
	if !worse && (u != m.last || final != m.final) {
		m.charge(e)
	}
}

func (m *chargeModel) charge(e *transcript.Entry) {
	u := e.Message.Usage
	c := testPrices().Price(pricing.Request{Model: e.Message.Model, Time: e.Time, Fast: e.Message.Fast, US: e.Message.US}).Cost(pricing.Usage{
		Input: u.Input, CacheWrite5m: u.CacheWrite5m, CacheWrite1h: u.CacheWrite1h, CacheRead: u.CacheRead, Output: u.Output, WebSearches: u.WebSearches,
	})
	m.final, m.output, m.last = e.Message.IsFinal(), max(m.output, u.Output), u
	m.cost, m.savings, m.premium = max(m.cost, c.Total()), max(m.savings, c.CacheSavings), max(m.premium, c.CacheWritePremium)
}

// randomRecord returns a record of one message. Small numbers make equal ranks and
// copies likely, and large numbers do not fit into counts.
func randomRecord(t *testing.T, r *rand.Rand) transcript.Entry {
	few := func() uint64 { return uint64(r.IntN(3)) * 1000 }
	e := messageEntry(0)
	e.Time = millis(t, priceRise) + r.Int64N(2*dayMillis) - dayMillis
	m := *e.Message
	m.Model = []string{"opus", "sonnet", "haiku"}[r.IntN(3)]
	m.StopReason = []string{"", "end_turn"}[r.IntN(2)]
	m.Fast, m.US = r.IntN(2) == 0, r.IntN(2) == 0
	m.Usage = transcript.Usage{
		Input: 10 * few(), Output: few(), CacheRead: 10 * few(), CacheWrite5m: few(), CacheWrite1h: few(), WebSearches: few() / 1000,
	}
	if r.IntN(10) == 0 {
		m.Usage.CacheRead = 1 << 33
	}
	e.Message = &m
	return e
}

// However its records are split into those that are held and those that correct, and
// wherever the ledger is saved, a message is charged the highest price of the records
// that counted.
func TestHighestPriceIsCharged(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	const records = 8
	for seed := range uint64(testsize.Of(300, 60)) {
		r := rand.New(rand.NewPCG(seed, 1))
		var all []transcript.Entry
		for range records {
			all = append(all, randomRecord(t, r))
			if r.IntN(4) == 0 {
				all = append(all, all[r.IntN(len(all))])
			}
		}
		for held := 1; held <= len(all); held++ {
			l, m := New(testOptions(), birth), &chargeModel{}
			l.Open(testFile(1, "a.jsonl"))
			for i := range all {
				l.AddBatch(&Batch{File: 1, Now: birth, Entries: all[i : i+1]})
				m.add(&all[i])
				if i == held-1 {
					l.FinalizeFile(1, birth)
					m.settle()
				}
				if r.IntN(12) == 0 {
					again := reopened(t, l)
					if got, want := maps.Collect(again.messages.charges.All()), maps.Collect(l.messages.charges.All()); !maps.Equal(got, want) {
						t.Fatalf("seed %d: saved %+v, got %+v", seed, want, got)
					}
					l = again
				}
				if !m.isCounted {
					continue
				}
				got := fmt.Sprint(value(l, "claude_cost_usd_total"), value(l, "claude_cache_savings_usd_total"), value(l, "claude_cache_write_premium_usd_total"))
				if want := fmt.Sprint(m.cost, m.savings, m.premium); got != want {
					t.Fatalf("seed %d, %d held, record %d: got %s, want %s\n%+v", seed, held, i, got, want, all[i].Message)
				}
			}
		}
	}
}

// An id that may have been cut has no price.
func TestLongestPricedModel(t *testing.T) {
	for length, want := range map[int]bool{124: true, 125: false, 128: false} {
		e := messageEntry(0)
		e.Message.Model = strings.Repeat("x", length-len("/opus")) + "/opus"
		l := New(testOptions(), birth)
		l.Open(testFile(1, "a.jsonl"))
		l.AddBatch(&Batch{File: 1, Now: birth, Entries: []transcript.Entry{e}})
		l.Settle()
		if priced := value(l, "claude_cost_usd_total") > 0; priced != want || value(l, "claude_unpriced_tokens") > 0 == want {
			t.Errorf("%d bytes: priced %v, want %v", length, priced, want)
		}
	}
}

// A charge is forgotten with its message.
func TestChargesAreForgotten(t *testing.T) {
	l := New(testOptions(), birth)
	l.Open(testFile(1, "a.jsonl"))
	e := messageEntry(0)
	e.Message.Usage.CacheRead = 1 << 33
	l.AddBatch(&Batch{File: 1, Now: birth, Entries: []transcript.Entry{e, messageEntry(1)}})
	l.Settle()
	if l.messages.charges.Len() != 1 {
		t.Errorf("got %d charges, want that of the first message", l.messages.charges.Len())
	}
	l.Forget([]FileID{1}, birth)
	if l.messages.charges.Len() != 0 {
		t.Errorf("got %d charges of messages that were forgotten", l.messages.charges.Len())
	}
}

// More is never charged than the growth of the total, and no part falls.
func TestAmountGrowth(t *testing.T) {
	of := func(input, output, read, savings uint64) amount {
		return amount{pricing.Cost{Input: input, Output: output, CacheRead: read, CacheSavings: savings}}
	}
	for _, tt := range []struct{ was, now, want amount }{
		{of(0, 0, 0, 0), of(1, 2, 3, 4), of(1, 2, 3, 4)},
		{of(5, 0, 0, 9), of(3, 2, 0, 8), of(0, 0, 0, 0)},
		{of(5, 0, 0, 1), of(3, 4, 2, 3), of(0, 4, 0, 2)},
		{of(5, 0, 0, 0), of(0, 4, 4, 0), of(0, 3, 0, 0)},
	} {
		if got := tt.was.growth(tt.now); got != tt.want {
			t.Errorf("from %+v to %+v: got %+v, want %+v", tt.was, tt.now, got, tt.want)
		}
	}
}
