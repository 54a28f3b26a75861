package ledger

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// The order selects the sessions that a visit of all sessions selects, whatever
// happened between two readers.
func TestSessionOrder(t *testing.T) {
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 0))
		l, now := New(testOptions(), birth), int64(birth)
		open := func(id int) {
			f := testFile(FileID(id), fmt.Sprintf("%d.jsonl", id))
			f.Source = counters.NewSourceLabels(map[string]string{"user": fmt.Sprint("u", id%3)})
			l.Open(f)
		}
		const files = 6
		for id := range files {
			open(id)
		}
		add := func(now int64) {
			e := sessionEntry(fmt.Sprint(rng.IntN(80)), now-rng.Int64N(3_600_000)*rng.Int64N(2))
			e.Time *= int64(min(1, rng.IntN(10))) // some lines have no time
			e.Project = fmt.Sprint("p", rng.IntN(3))
			l.AddBatch(&Batch{File: FileID(rng.IntN(files)), Now: now, Entries: []transcript.Entry{e}})
		}
		for range 300 {
			now += rng.Int64N(120_000)
			switch rng.IntN(24) {
			case 0:
				l.MarkEnded(SessionID{ID: fmt.Sprint(rng.IntN(80))}, now)
			case 1:
				id := rng.IntN(files)
				l.Forget([]FileID{FileID(id)}, now)
				open(id)
			case 2:
				l = reopened(t, l)
			default:
				add(now)
			}
			if rng.IntN(3) == 0 {
				compareWithVisit(t, l, rng, now)
			}
		}
		l.Record(true)
		add(now)
		compareWithVisit(t, l, rng, now)
		l.BeforeFrame(func() { compareWithVisit(t, l, rng, now) })
		compareWithVisit(t, l, rng, now)
	}
}

// After very many changes, the order is made again.
func TestSessionOrderIsBounded(t *testing.T) {
	l, now := newOfSessions(10)
	want := ids(l.SessionList(everySession, now))
	for i := range 2000 {
		l.AddBatch(inSession(fmt.Sprint("new", i), now-int64(i)-3_600_000, now))
		if n := len(l.sessions.order.moved); n > 1010 {
			t.Fatalf("got %d changes", n)
		}
	}
	if got := ids(l.SessionList(SessionQuery{Limit: 10}, now)); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// compareWithVisit compares what a ledger returns with a visit of all sessions.
func compareWithVisit(t *testing.T, l *Ledger, rng *rand.Rand, now int64) {
	t.Helper()
	p := l.sessions
	for _, q := range []SessionQuery{
		{Limit: 1000}, {Limit: rng.IntN(9)}, {Limit: 5, Project: "p1"}, {Limit: 1000, Since: now - 600_000},
		{Limit: 1000, ID: fmt.Sprint(rng.IntN(80))}, {Limit: 3, Since: now - 600_000, running: true},
	} {
		if got, want := p.newest(q), visit(p, q); !slices.Equal(got, want) {
			t.Fatalf("%+v: got %v, want %v", q, got, want)
		}
	}
	var live []hash64
	for key, row := range p.totals.All() {
		if p.isLive(key, row.last, now) {
			live = append(live, key)
		}
	}
	if got := slices.Sorted(p.live(now)); !slices.Equal(got, live) {
		t.Fatalf("got the live sessions %v, want %v", got, live)
	}
}

// visit returns the sessions that a query selects by visiting all.
func visit(p *sessions, q SessionQuery) []agedSession {
	var all []agedSession
	wanted, _, _ := p.wanted(SessionID{q.Source, q.ID})
	for key, row := range p.totals.All() {
		if row.last == 0 && !p.seen.Has(key) || q.ID != "" && key != wanted || q.running && p.hasEnded(key, row.last) {
			continue
		}
		if q.selects(row.last, p.projectNamed(row.attrs)) {
			all = append(all, agedSession{row.last, key})
		}
	}
	slices.SortFunc(all, newestFirst)
	if q.running {
		return p.firstOfSources(all, q.Limit)
	}
	return all[:min(len(all), q.Limit)]
}
