package ledger

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/test/testsize"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// fewPrices are testPrices without sonnet and haiku.
func fewPrices() *pricing.Table {
	table := testPrices()
	return pricing.NewTable(table.Updated, slices.DeleteFunc(table.Rows, func(r pricing.Row) bool { return r.Model != "opus" }))
}

// withPrices returns a step that changes the prices.
func withPrices(table *pricing.Table) step {
	return func(l *Ledger) {
		o := *l.opts
		o.Prices = table
		l.Configure(o)
	}
}

// Prices that become known at any time give the totals, the history and the totals of
// sessions that they give from the beginning. When they are not known any more, nothing
// changes.
func TestLatePriceIsLikeAnEarlyOne(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	late := uint64(0)
	for seed := range seeds() {
		for order := range uint64(6) {
			settles := order%2 == 0
			steps := newReplayer(seed, order).readAll(1+int(order), order%3 == 0, settles)
			want := apply(New(testOptions(), birth), steps)
			l, r := apply(New(testOptions(), birth), []step{withPrices(fewPrices())}), rand.New(rand.NewPCG(seed, order))
			known := r.IntN(len(steps) + 1)
			for i, s := range append(steps, func(*Ledger) {}) {
				if i == known {
					late += value(l, "claude_unpriced_tokens", "sonnet")
					l = reopened(t, l)
					withPrices(testPrices())(l)
				}
				s(l)
			}
			without := dependent
			if settles {
				without = slices.Concat(dependent, corrected)
			}
			if d := difference(conversations(l, without...), conversations(want, without...)); d != "" {
				t.Fatalf("seed %d, order %d, known from step %d of %d:\n%s", seed, order, known, len(steps), d)
			}
			withPrices(fewPrices())(l)
			if d := difference(totals(l), totals(want)); d != "" {
				t.Fatalf("seed %d, order %d, known from step %d of %d:\n%s", seed, order, known, len(steps), d)
			}
			checkSums(t, fmt.Sprint("seed ", seed), l)
			if got, want := maps.Collect(l.sessions.totals.All()), maps.Collect(want.sessions.totals.All()); !settles && !maps.Equal(got, want) {
				t.Fatalf("seed %d, order %d: got sessions %+v, want %+v", seed, order, got, want)
			}
		}
	}
	if late == 0 {
		t.Error("no message waited for a price")
	}
}

// unpricedEntry is a message of the model "future" at a time.
func unpricedEntry(t *testing.T, n int, at string) transcript.Entry {
	e := messageEntry(n)
	e.Time, e.Type = millis(t, at), "assistant"
	m := *e.Message
	m.Model, m.Usage = "future", transcript.Usage{Input: 1000, Output: 100}
	e.Message = &m
	return e
}

// readEntries reads entries of a file at the time now, and settles.
func readEntries(l *Ledger, file FileID, now int64, entries ...transcript.Entry) {
	l.Open(testFile(file, fmt.Sprint(file, ".jsonl")))
	l.AddBatch(&Batch{File: file, Now: now, Entries: entries})
	l.Settle()
}

// grownIn returns the increases of a family in intervals that begin at a time.
func grownIn(l *Ledger, family string, start int64) (n uint64) {
	for _, f := range l.History().Families {
		for i := range f.Series {
			for _, in := range f.Series[i].Increases() {
				if f.Family.Name == family && in.Start == start {
					n += in.Value
				}
			}
		}
	}
	return n
}

// A message that waited for its price costs what it did on its own day, and at its own
// time in the history: the day before and the day after the change of a price.
func TestLatePriceIsOfItsOwnDay(t *testing.T) {
	now := millis(t, "2026-05-01T00:00:00Z")
	before, after := millis(t, "2026-03-01T23:55:00Z"), millis(t, "2026-03-02T00:00:00Z")
	l := New(testOptions(), now)
	l.set.Start()
	readEntries(l, 1, now, unpricedEntry(t, 1, "2026-03-01T23:59:59Z"), unpricedEntry(t, 2, "2026-03-02T00:00:00Z"))
	if got := []uint64{value(l, "claude_unpriced_tokens"), grownIn(l, "claude_unpriced_tokens", before), grownIn(l, "claude_unpriced_tokens", after)}; !slices.Equal(got, []uint64{2200, 1100, 1100}) {
		t.Errorf("got %d unpriced tokens, in the first interval %d and in the second %d", got[0], got[1], got[2])
	}
	l = reopened(t, l)
	withPrices(futurePrices())(l)
	const first, second = 1000*3000 + 100*20_000, 1000*2000 + 100*10_000
	for family, want := range map[string][2]uint64{
		"claude_cost_usd_total": {first, second}, "claude_entrypoint_cost_usd_total": {first, second}, "claude_unpriced_tokens": {0, 0},
	} {
		if got := [2]uint64{grownIn(l, family, before), grownIn(l, family, after)}; got != want {
			t.Errorf("%s: got %d, want %d", family, got, want)
		}
	}
	session := l.SessionList(everySession, now).Sessions[0]
	if session.NanoUSD != first+second || session.Unpriced != 0 {
		t.Errorf("got a session with a cost of %d and %d unpriced tokens", session.NanoUSD, session.Unpriced)
	}
	if n := l.messages.unpriced.Len(); n > 0 {
		t.Errorf("got %d messages that wait for a price", n)
	}
	if created := samplesOf(l, "claude_cost_usd_total")[0].Created; created != millis(t, "2026-03-01T23:59:59Z") {
		t.Errorf("got a series created at %d, want the time of the first message", created)
	}
}

// A better record replaces an unpriced record, and its numbers and its day are priced
// then, at the time of the tokens of the first record.
func TestLatePriceOfCorrection(t *testing.T) {
	now := millis(t, "2026-05-01T00:00:00Z")
	estimate, better := unpricedEntry(t, 1, "2026-03-01T10:00:00Z"), unpricedEntry(t, 1, "2026-03-02T11:00:00Z")
	estimate.Message.StopReason, estimate.Message.Usage.Output = "", 1
	better.Session, better.Message.Usage.Input = transcript.KeyOf("session", "other"), 500
	l := New(testOptions(), now)
	readEntries(l, 1, now, estimate, unpricedEntry(t, 2, "2026-03-01T10:00:00Z"))
	readEntries(l, 2, now, better)
	if got := value(l, "claude_unpriced_tokens"); got != 600+1100 {
		t.Errorf("got %d unpriced tokens, want those of the better record and of the other message", got)
	}
	checkSums(t, "unpriced", l)
	l = reopened(t, l)
	withPrices(futurePrices())(l)
	const want = 500*2000 + 100*10_000 + 1000*3000 + 100*20_000
	if got := grownIn(l, "claude_cost_usd_total", millis(t, "2026-03-01T10:00:00Z")); got != want || value(l, "claude_unpriced_tokens") != 0 {
		t.Errorf("got a cost of %d and %d unpriced tokens, want %d and none", got, value(l, "claude_unpriced_tokens"), want)
	}
	checkSums(t, "priced", l)
	better.Message.Usage.Output++
	readEntries(l, 2, now, better)
	if got := value(l, "claude_cost_usd_total"); got != want+10_000 {
		t.Errorf("got a cost of %d after one more token, want %d", got, want+10_000)
	}
}

// A source has its own factor of prices, also for a price that becomes known later and
// for a correction.
func TestPriceMultiplierOfSource(t *testing.T) {
	now := millis(t, "2026-05-01T00:00:00Z")
	vertex := counters.NewSourceLabels(map[string]string{"cloud": "vertex"})
	o := testOptions()
	o.PriceMultiplier = func(source SourceLabels) pricing.Multiplier {
		if source == vertex {
			return 1_100_000
		}
		return 0
	}
	l := New(o, now)
	read := func(id FileID, source SourceLabels, entries ...transcript.Entry) {
		f := testFile(id, fmt.Sprint(id, ".jsonl"))
		f.Source = source
		l.Open(f)
		l.AddBatch(&Batch{File: id, Now: now, Entries: entries})
		l.Settle()
	}
	costs := func() (costs [2]uint64) {
		for _, s := range samplesOf(l, "claude_cost_usd_total") {
			costs[len(s.Source)/len(vertex)] += s.Value
		}
		return costs
	}
	priced := func(n int) transcript.Entry {
		e := unpricedEntry(t, n, "2026-03-02T10:00:00Z")
		e.Message.Model = "opus"
		return e
	}
	read(1, "", priced(1))
	read(2, vertex, priced(2))
	opus := costs()[0]
	if got, want := costs(), [2]uint64{opus, opus * 11 / 10}; got != want || opus == 0 {
		t.Errorf("got %d, want %d", got, want)
	}
	read(1, "", unpricedEntry(t, 3, "2026-03-02T10:00:00Z"))
	read(2, vertex, unpricedEntry(t, 4, "2026-03-02T10:00:00Z"))
	withPrices(futurePrices())(l)
	const future = 1000*2000 + 100*10_000
	if got, want := costs(), [2]uint64{opus + future, (opus + future) * 11 / 10}; got != want {
		t.Errorf("with a later price: got %d, want %d", got, want)
	}
	more := unpricedEntry(t, 4, "2026-03-02T10:00:00Z")
	more.Message.Usage.Output += 10
	read(2, vertex, more)
	if got, want := costs()[1], (opus+future+10*10_000)*11/10; got != want {
		t.Errorf("corrected: got %d, want %d", got, want)
	}
}

// A message waits for its price for as long as its key is known. Its tokens stay
// unpriced afterwards, since its cost is missing.
func TestUnpricedIsForgotten(t *testing.T) {
	l := New(testOptions(), birth)
	e := messageEntry(1)
	e.Message.Model = "future"
	readEntries(l, 1, birth, e)
	tokens := value(l, "claude_unpriced_tokens")
	l.Forget([]FileID{1}, birth)
	withPrices(futurePrices())(l)
	if l.messages.unpriced.Len() > 0 || value(l, "claude_cost_usd_total") > 0 || value(l, "claude_unpriced_tokens") != tokens || tokens == 0 {
		t.Errorf("got %d messages, a cost of %d and %d unpriced tokens, want %d", l.messages.unpriced.Len(), value(l, "claude_cost_usd_total"), value(l, "claude_unpriced_tokens"), tokens)
	}
}

// The models of messages that wait for a price are limited: further models, and ids
// that may be cut, never get a price.
func TestUnpricedModelsAreLimited(t *testing.T) {
	l := New(testOptions(), birth)
	l.Open(testFile(1, "a.jsonl"))
	for i := range maxUnpricedRequests + 10 {
		e := messageEntry(i)
		e.Message.Model = fmt.Sprint("model-", i)
		if i == 0 {
			e.Message.Model = strings.Repeat("x", maxPricedModel-len("/future")+1) + "/future"
		}
		l.AddBatch(&Batch{File: 1, Now: birth, Entries: []transcript.Entry{e}})
	}
	e := messageEntry(-1)
	e.Message.Model = "future"
	l.AddBatch(&Batch{File: 1, Now: birth, Entries: []transcript.Entry{e}})
	l.Settle()
	before := value(l, "claude_unpriced_tokens")
	withPrices(futurePrices())(l)
	if l.messages.unpricedRequests.Len() != maxUnpricedRequests || value(l, "claude_unpriced_tokens") != before {
		t.Errorf("got %d models and %d unpriced tokens, want %d", l.messages.unpricedRequests.Len(), value(l, "claude_unpriced_tokens"), before)
	}
	if want := uint64(maxUnpricedRequests+11) * 51_510; before != want {
		t.Errorf("got %d unpriced tokens, want %d", before, want)
	}
}
