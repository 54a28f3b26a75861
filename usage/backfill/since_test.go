package backfill

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/usage/api"
)

// A counted ledger is a provider.
type counted struct{ *ledger.Ledger }

func (c counted) SnapshotInto(s *ledger.Snapshot) bool {
	c.Ledger.SnapshotInto(s, 0)
	return true
}

// gather returns the gathered values of counters, counts and sums by name and labels.
func gather(t *testing.T, l *ledger.Ledger) map[string]float64 {
	t.Helper()
	exposition := &metrics.Exposition{Provider: counted{l}, Registry: prometheus.NewRegistry()}
	families, done, err := exposition.Gather()
	defer done()
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]float64)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			labels := make(map[string]string)
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			maps.DeleteFunc(labels, func(_, value string) bool { return value == "" }) // servers do not store these
			if h := m.GetHistogram(); h != nil {
				all[fmt.Sprint(f.GetName(), "_count", labels)], all[fmt.Sprint(f.GetName(), "_sum", labels)] = float64(h.GetSampleCount()), h.GetSampleSum()
			} else {
				all[fmt.Sprint(f.GetName(), labels)] = m.GetCounter().GetValue()
			}
		}
	}
	return all
}

// The samples for a server after an interruption have the gathered labels, and at every
// time the value gathered at that time.
func TestSince(t *testing.T) {
	start := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	l := ledger.New(ledgertest.Options(), start.UnixMilli())
	visit := func(id ledger.FileID, at time.Time) map[string]float64 {
		s := transcripttest.Session{ID: at.String(), CWD: "/src/a", Start: at}
		s.Prompt(at.String()).Reply(transcripttest.Reply{
			ID: at.String(), Out: 7, Stop: "tool_use", Calls: []transcripttest.Call{{ID: at.String(), Name: "Bash"}},
		}).Result(at.String(), "...", false)
		ledgertest.Add(l, id, map[string]string{"user": "ann"}, s.String(), at.Add(time.Minute))
		l.Counters().Release(l.Counters().Pending())
		return gather(t, l)
	}
	before, between, end := visit(1, start), visit(2, start.Add(time.Hour)), visit(3, start.Add(2*time.Hour))
	since, now := start.Add(33*time.Minute).UnixMilli(), start.Add(2*time.Hour+7*time.Minute).UnixMilli()
	all := Since(l.History(), since, now)
	if len(all) < 20 {
		t.Fatalf("got %d series", len(all))
	}
	sums := 0.
	for _, p := range all {
		key := fmt.Sprint(p.Name, p.Labels)
		if p.Last != end[key] || p.Before != before[key] || p.Begin < start.Add(time.Hour).UnixMilli() || p.Created < start.UnixMilli() || p.Hidden {
			t.Errorf("%s: got %+v, want %v and in the end %v", key, p, before[key], end[key])
		}
		if strings.HasSuffix(p.Name, "_sum") {
			sums += p.Before
		}
		last := since/minute/5*5*minute + 1
		if p.Before == 0 { // it begins
			last = p.Begin - 5*minute + 1
		}
		p.UpTo(never, func(at int64, value float64) {
			want := before[key]
			switch {
			case at >= start.Add(125*time.Minute).UnixMilli():
				want = end[key]
			case at >= start.Add(65*time.Minute).UnixMilli():
				want = between[key]
			}
			if next := last + 5*minute - 1; at != last+1 && at != next || value != want {
				t.Errorf("%s: got %v at %v after %v, want %v", key, value, time.UnixMilli(at).UTC(), time.UnixMilli(last).UTC(), want)
			}
			last = at
		})
		if want := start.Add(125*time.Minute).UnixMilli() + 1; last != want {
			t.Errorf("%s: the samples end at %v", key, time.UnixMilli(last).UTC())
		}
	}
	if tokens := `claude_tokens_totalmap[agent:main model:opus project:a type:output user:ann]`; before[tokens] != 7 || end[tokens] != 21 || sums == 0 {
		t.Errorf("got %v tokens and then %v", before[tokens], end[tokens])
	}
	if late := Since(l.History(), start.Add(3*time.Hour).UnixMilli(), now); len(late) != 0 {
		t.Errorf("got %d series after the last event, want 0", len(late))
	}
	off := l.History()
	off.Off = true
	if got := Since(off, since, now); len(got) > 0 {
		t.Errorf("history off: got %d series", len(got))
	}
}

// The written series have the projects of a scrape.
func TestFoldedProjects(t *testing.T) {
	start := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	l := ledgertest.New(start, func(o *ledger.Options) { o.Limits = map[string]int{"project": 1} })
	for i, project := range []string{"web", "api", "cli"} {
		s := transcripttest.Session{ID: project, CWD: "/src/" + project, Name: project, Start: start.Add(-time.Duration(i+1) * time.Hour)}
		s.Prompt("go").Reply(transcripttest.Reply{ID: project, Out: 7, Stop: "end_turn"})
		ledgertest.Add(l, ledger.FileID(i+1), nil, s.String(), start)
	}
	l.Counters().Start()
	want := gather(t, l)
	got := make(map[string]float64)
	for _, p := range Since(l.History(), start.Add(-24*time.Hour).UnixMilli(), start.Add(time.Hour).UnixMilli()) {
		if p.Last > 0 {
			got[fmt.Sprint(p.Name, p.Labels)] = p.Last
		}
	}
	tokens := "claude_tokens_totalmap[agent:main model:opus project:%s type:output]"
	if web, other := fmt.Sprintf(tokens, "web"), fmt.Sprintf(tokens, "other"); got[web] != 7 || got[other] != 14 {
		t.Errorf("got %v", got)
	}
	for series, n := range got {
		if want[series] != n {
			t.Errorf("%s: got %v, want %v as it is scraped", series, n, want[series])
		}
	}
	_, text := plan(t, FromLedger(l.History(), "1.2.3", start.Add(time.Hour)), Options{Step: time.Hour})
	if strings.Contains(text, `project="api"`) || !strings.Contains(text, `project="other"`) || !strings.Contains(text, `project="web"`) {
		t.Errorf("got %s", text)
	}
}

// The samples of a series begin after the last sample that the server has.
func TestContinued(t *testing.T) {
	anHour := api.Increases{{Start: 0, End: 60 * minute, Value: 3}, increase(70, 4)}
	for _, test := range []struct {
		name         string
		since, until int64
		series       api.HistorySeries
		want         string
	}{
		{"new", 12, 32, api.HistorySeries{Value: 3, Increases: api.Increases{increase(20, 3)}}, "20=0 20+=0 25=3 25+=3 30=3 30+=3"},
		{"older", 12, 26, api.HistorySeries{Value: 10, Base: 7, Increases: api.Increases{increase(20, 3)}}, "15=7 15+=7 20=7 20+=7 25=10 25+=10"},
		{"grew before, too", 12, 26, api.HistorySeries{Value: 4, Increases: api.Increases{increase(5, 1), increase(20, 3)}}, "15=1 15+=1 20=1 20+=1 25=4 25+=4"},
		{"grew when it began", 12, 21, api.HistorySeries{Value: 4, Base: 1, Increases: api.Increases{increase(10, 3)}}, "15=4 15+=4 20=4 20+=4"},
		{"grew when it ends", 12, 21, api.HistorySeries{Value: 4, Base: 1, Increases: api.Increases{increase(20, 3)}}, "15=1 15+=1 20=1 20+=1"},
		{"at once", 12, 15, api.HistorySeries{Value: 3, Increases: api.Increases{increase(10, 3)}}, ""},
		{"within an hour", 23, 76, api.HistorySeries{Value: 7, Increases: anHour}, "60=3 60+=3 65=3 65+=3 70=3 70+=3 75=7 75+=7"},
		{"hidden", 12, 32, api.HistorySeries{Hidden: true, Value: 3, Increases: api.Increases{increase(20, 3)}}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := continuing(test.since*minute, test.until*minute)
			all := continued(&api.HistoryFamily{Name: "a_total", Divisor: 1}, &test.series, 0, p)
			var got []string
			for _, past := range all {
				past.UpTo(never, func(at int64, value float64) {
					got = append(got, fmt.Sprintf("%d%s=%v", at/minute, "+"[:at%minute], value))
				})
			}
			if text := strings.Join(got, " "); text != test.want || len(all) != 1 || all[0].Hidden != test.series.Hidden {
				t.Errorf("got %s, want %s", text, test.want)
			}
		})
	}
	// A new series that does not have a value yet is not waited for.
	hidden := api.HistorySeries{Hidden: true, Value: 3, Increases: api.Increases{increase(30, 3)}}
	if got := continued(new(api.HistoryFamily), &hidden, 0, continuing(12*minute, 32*minute)); len(got) > 0 {
		t.Errorf("got %d series", len(got))
	}
}
