package ledger

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// historyOf returns the history of a family, by the joined labels of its series.
func historyOf(l *Ledger, f familyID) map[string]*SeriesHistory {
	all := make(map[string]*SeriesHistory)
	for _, family := range l.History().Families {
		for i := range family.Series {
			if family.Family.Name == l.tables[f].Name {
				all[fmt.Sprint(family.Series[i].Labels)] = &family.Series[i]
			}
		}
	}
	return all
}

// A newer version has other families and labels. The histories survive an upgrade, a
// downgrade and another upgrade, and go on.
func TestHistoryEvolution(t *testing.T) {
	for seed := range uint64(4) {
		r := newReplayer(seed, seed)
		l := apply(New(testOptions(), birth), r.randomSteps(120))
		check := func(when string) {
			t.Helper()
			if message := misfit(l, allDated); message != "" {
				t.Fatalf("seed %d: %s: %s", seed, when, message)
			}
		}
		l = upgraded(t, l)
		check("upgraded")
		l.add(thinkingTokens, 11, birth, "", "fast", "m", "web", "main")
		l.add(thinkingTokens, 12, birth-dayMillis, "", "slow", "m", "web", "main")
		l.add(sessions, 5, birth, "", "web")
		l.observe(turnDuration, 30_000, birth, "")
		l = downgraded(t, l)
		check("downgraded")
		l.add(thinkingTokens, 13, birth, "", "m", "web", "main")
		l = apply(reopened(t, l), r.randomSteps(60))
		check("continued")
		l = upgraded(t, l)
		check("upgraded again")
	}
}

// Series that differ only in a foreign label have one history.
func TestForeignHistory(t *testing.T) {
	newer := newLedger(futureFamilies(), futureOptions(), birth)
	newer.add(thinkingTokens, 1, birth, "", "slow", "m", "web", "main")
	newer.add(thinkingTokens, 2, birth, "", "fast", "m", "web", "main")
	newer.add(thinkingTokens, 4, birth-dayMillis, "", "fast", "m", "web", "main")
	releaseAll(newer)
	l := downgraded(t, newer)
	l.add(thinkingTokens, 8, birth+dayMillis, "", "m", "web", "main")
	l.add(thinkingTokens, 16, birth, "", "n", "web", "main")
	all := historyOf(l, thinkingTokens)
	s := all["[m web main]"]
	if len(all) != 2 || s == nil {
		t.Fatalf("got %v, want two series", all)
	}
	var got []uint64
	for _, in := range s.Increases() {
		got = append(got, in.Value)
	}
	if !slices.Equal(got, []uint64{4, 3, 8}) || s.Value != 15 || s.Created != birth-dayMillis || s.Hidden {
		t.Errorf("got %v of %+v", got, s.Sample)
	}
	if !all["[n web main]"].Hidden {
		t.Error("a new series is not hidden")
	}
	if message := misfit(l, allDated); message != "" {
		t.Error(message)
	}
}

// A family that was saved under two names, since a version that did not know the new
// one began the old one again, is the sum of both, and so are its histories. Values
// that reach the largest number together have no larger increases.
func TestHistoryUnderTwoNames(t *testing.T) {
	for _, n := range []uint64{7, math.MaxUint64 - 3} {
		newer := newLedger(futureFamilies(), futureOptions(), birth)
		newer.add(sessions, 5, birth, "", "web")
		newer.tables[futureCounter].Name = "claude_sessions_total" // which the newer version does not have
		newer.tables[futureCounter].Labels = []string{"project"}
		newer.add(futureCounter, n, birth-dayMillis, "", "web")
		newer.add(futureCounter, 1, birth, "", "web")
		newer.add(futureCounter, 1, birth, "", "app")
		again := upgraded(t, newer)
		if message := misfit(reopened(t, again), allDated); message != "" {
			t.Errorf("%d: %s", n, message)
		}
		s := historyOf(again, sessions)["[web]"]
		if s == nil || len(s.Increases()) != 2 || s.Value != SaturatingAdd(n, 6) {
			t.Errorf("%d: got %+v", n, s)
		}
		if s = historyOf(again, sessions)["[app]"]; s == nil || s.Value != 1 {
			t.Errorf("%d: got %+v of another project", n, s)
		}
	}
}

// The sum of histories has no more increases than values either.
func TestForeignHistoryIsSaturated(t *testing.T) {
	newer := newLedger(futureFamilies(), futureOptions(), birth)
	newer.add(thinkingTokens, math.MaxUint64, birth, "", "slow", "m", "web", "main")
	newer.add(thinkingTokens, math.MaxUint64, birth-dayMillis, "", "fast", "m", "web", "main")
	if message := misfit(downgraded(t, newer), allDated); message != "" {
		t.Error(message)
	}
}

// A version that records no history carries what was recorded. By how much its series
// grew is undated afterwards.
func TestHistoryCarriedByOlderVersion(t *testing.T) {
	for seed := range uint64(8) {
		r := newReplayer(seed, seed)
		l := apply(New(testOptions(), birth), r.randomSteps(80))
		l.Configure(testOptions()) // the steps change them
		recorded := recordedBy(l)
		off := testOptions()
		off.FineHistory = 0
		older := reopened(t, l)
		for i, s := range r.randomSteps(80) {
			older.Configure(off)
			s(older)
			if i == 40 {
				older = reopened(t, older)
			}
		}
		older.Configure(off)
		l = reopened(t, older)
		if d := difference(intervals(l), intervals(older)); d != "" {
			t.Errorf("seed %d: upgraded:\n%s", seed, d)
		}
		if got := recordedBy(l); got != recorded {
			t.Errorf("seed %d: got %d recorded after the older version, want %d", seed, got, recorded)
		}
		undated := undatedOf(l)
		if undated == 0 {
			t.Errorf("seed %d: the older version counted nothing", seed)
		}
		l.Configure(testOptions())
		l = reopened(t, apply(l, r.readAll(5, false, true)))
		if message := misfit(l, withUndated); message != "" || undatedOf(l) != undated {
			t.Errorf("seed %d: %s; got %d undated, want %d", seed, message, undatedOf(l), undated)
		}
	}
}

// recordedBy returns the sum of all increases of a ledger, and undatedOf that of the
// values without their increases.
func recordedBy(l *Ledger) (n uint64) {
	for _, numbers := range intervals(l) {
		n += numbers[0]
	}
	return n
}

func undatedOf(l *Ledger) (n uint64) {
	for _, f := range l.History().Families {
		for i := range f.Series {
			n += f.Series[i].Value
		}
	}
	return n - recordedBy(l)
}
