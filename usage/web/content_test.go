package web

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/usagetest"
	"github.com/ccwatchd/ccwatchd/usage"
)

// usageOf returns the usage that a query of the URL selects.
func usageOf(t *testing.T, s usagetest.Scene, query string) *content {
	t.Helper()
	from := s.Source()
	from.SetDefaults()
	u, wrong, err := newContent(&s.History, &from, query, s.Now)
	if err != nil || wrong != nil {
		t.Fatalf("%s: %v, %v", query, wrong, err)
	}
	return u
}

// compute returns the usage of a time that the record has.
func compute(t *testing.T, s usagetest.Scene, q usage.Query) usage.Usage {
	t.Helper()
	u, err := usage.Compute(&s.History, q)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// values returns the usage that the record has for a query.
func values(t *testing.T, s usagetest.Scene, q usage.Query) usage.Values {
	t.Helper()
	return compute(t, s, q).Total
}

// costIn returns the text of the cost of a time.
func costIn(t *testing.T, s usagetest.Scene, q usage.Query) string {
	t.Helper()
	u := compute(t, s, q)
	if len(u.Unpriced) > 0 {
		return format.USD(u.Total.USD()) + "+"
	}
	return format.USD(u.Total.USD())
}

func TestCards(t *testing.T) {
	s := ordinary()
	day := func(d, hour, minute int) time.Time { return time.Date(2026, 11, d, hour, minute, 0, 0, time.UTC) }
	for i, times := range [][3]time.Time{
		{day(12, 0, 0), day(11, 0, 0), day(11, 15, 45)},
		{day(6, 0, 0), day(-1, 0, 0), day(5, 15, 45)},
		{day(-17, 0, 0), day(-47, 0, 0), day(-18, 15, 45)},
	} {
		card := usageOf(t, s, "").Cards[i]
		now, past := usage.Query{Since: times[0]}, usage.Query{Since: times[1], Until: times[2]}
		if want := costIn(t, s, now); card.Cost.Now != want || card.Cost.Before != costIn(t, s, past) {
			t.Errorf("card %d: got cost %+v, want %v and %v", i, card.Cost, want, costIn(t, s, past))
		}
		current, before := values(t, s, now), values(t, s, past)
		if card.Tokens.Now != format.Short(float64(current.Tokens())) || card.Tokens.Before != format.Short(float64(before.Tokens())) {
			t.Errorf("card %d: got tokens %+v, want %v and %v", i, card.Tokens, current.Tokens(), before.Tokens())
		}
	}
}

// The bars of each chart contain the usage of the period.
func TestChartsAreComplete(t *testing.T) {
	for query, bars := range map[string]int{"range=today": 24, "range=7d": 7, "range=30d": 30, "range=90d": 90, "range=1y": 53, "range=all": 75} {
		u := usageOf(t, ordinary(), query)
		for _, c := range u.Charts {
			if len(c.Bars) != bars {
				t.Errorf("%s: %d bars, want %d", query, len(c.Bars), bars)
			}
			shares, height := 0.0, 0.0
			for _, s := range c.Series {
				shares += s.Share
			}
			for _, b := range c.Bars {
				var tops []float64 // from the top down
				for _, s := range b.Segments {
					tops = append(tops, number(t, s.Y))
				}
				if !slices.IsSorted(tops) || b.HasAmount != (len(tops) > 0) {
					t.Errorf("%s, %s, %s: the segments begin at %v", query, c.Title, b.Name, tops)
				}
				if len(tops) > 0 {
					height = max(height, plotTop+plotHeight-tops[0])
				}
			}
			if math.Abs(shares-1) > 1e-9 || height > plotHeight || height < plotHeight/2 {
				t.Errorf("%s, %s: shares add up to %v, and the highest bar has %v pixels", query, c.Title, shares, height)
			}
		}
		if heat := u.Heat != nil; heat != (query != "range=today") {
			t.Errorf("%s: there is a heat map: %v", query, heat)
		}
	}
}

// The description of a chart names its days, or its day.
func TestChartAbout(t *testing.T) {
	for query, want := range map[string]string{
		"range=today": "Stacked bars, one for each hour on 12 November 2026. The highest is $",
		"range=7d":    "Stacked bars, one for each day from 6 November 2026 to 12 November 2026. The highest is $",
	} {
		if got := usageOf(t, ordinary(), query).Charts[0].About; !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
}

// If the clock was set back, so that the whole record is in the future, charts have the
// present day.
func TestChartOfFuture(t *testing.T) {
	s := ordinary()
	s.Now = now.AddDate(-1, 0, 0)
	for _, c := range usageOf(t, s, "range=all").Charts {
		if len(c.Bars) != 1 || !strings.Contains(c.About, "on 12 November 2025.") {
			t.Errorf("got %d bars, %q", len(c.Bars), c.About)
		}
	}
}

// Without a price of any model, the page shows tokens.
func TestUnpriced(t *testing.T) {
	u := usageOf(t, usagetest.NewScene("hostile", now), "")
	if len(u.Shows) > 0 || len(u.Charts) != 2 || u.Charts[0].Title != "Tokens by model" || u.Charts[0].Priced || u.Cache.Priced || u.Cards[0].Priced {
		t.Errorf("got %+v", u)
	}
	if !slices.ContainsFunc(u.Heat.Cells, func(c heatCell) bool { return c.Class == "h5" }) {
		t.Error("the heat map is empty")
	}
	if len(u.Unpriced) < 10 || u.Unpriced[0].Tokens < u.Unpriced[1].Tokens {
		t.Errorf("got %v", u.Unpriced)
	}
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A filter applies to everything except tools: their model is unknown.
func TestFilters(t *testing.T) {
	s := ordinary()
	u := usageOf(t, s, "range=all&project=infra&model=claude-opus-4-6")
	where := map[string][]string{"project": {"infra"}, "model": {"claude-opus-4-6"}}
	want := values(t, s, usage.Query{Where: where})
	if got := u.Facts[0]; got.Name != "Cost" || got.Value != format.USD(want.USD()) {
		t.Errorf("got %+v, want %v", got, want.USD())
	}
	if len(u.Charts) != 1 || u.Charts[0].Title != "Cost by model" || len(u.Charts[0].Series) != 1 {
		t.Errorf("got %d charts, the first of which is %+v", len(u.Charts), u.Charts[0])
	}
	delete(where, "model")
	if want := values(t, s, usage.Query{Where: where, Only: []usage.Measure{usage.ToolCalls}}); u.Tools.Calls != int(want[usage.ToolCalls]) || !u.Tools.AllModels {
		t.Errorf("got %d calls of tools, want %d", u.Tools.Calls, want[usage.ToolCalls])
	}
	if u.Tools.Top.HasTimes || !usageOf(t, s, "").Tools.Top.HasTimes {
		t.Error("times of tools are not known by project, and else they are")
	}
	for _, session := range u.Sessions.Sessions {
		if session.Project != "infra" || session.Model != "opus-4-6" {
			t.Errorf("session %+v is not selected", session)
		}
	}
}

func TestTools(t *testing.T) {
	tools := usageOf(t, heavy(), "range=all").Tools
	sum, errors := 0, 0
	for _, use := range slices.Concat(tools.Top.Uses, tools.More.Uses) {
		sum, errors = sum+use.Calls, errors+use.Errors
	}
	if len(tools.Top.Uses) != topTools || len(tools.More.Uses) != 40-topTools || sum != tools.Calls || errors != tools.Errors || errors == 0 {
		t.Errorf("got %d and %d tools with %d calls and %d errors, want %d and %d", len(tools.Top.Uses), len(tools.More.Uses), sum, errors, tools.Calls, tools.Errors)
	}
	if first := tools.Top.Uses[0]; first.Name != "Bash" || first.Bar != "100.00%" || first.ErrorRatio != format.Percent(float64(first.Errors)/float64(first.Calls)) {
		t.Errorf("got %+v", first)
	}
}

// A call before the period may have its error in the period.
func TestErrorRatio(t *testing.T) {
	for numbers, want := range map[[2]uint64]string{{4, 1}: format.Percent(0.25), {2, 2}: format.Percent(1), {2, 3}: "–", {0, 1}: "–"} {
		if got := newToolUse("Bash", &usage.Values{usage.ToolCalls: numbers[0], usage.ToolErrors: numbers[1]}, 4); got.ErrorRatio != want {
			t.Errorf("%d calls, %d errors: got %s, want %s", numbers[0], numbers[1], got.ErrorRatio, want)
		}
	}
}

func TestCache(t *testing.T) {
	s := ordinary()
	u, want := usageOf(t, s, "range=all"), values(t, s, usage.Query{})
	ratio, _ := want.CacheHitRatio()
	all := u.Cache.All
	if all.Hit != ratio || all.Read != want[usage.CacheReadTokens] || all.Savings != want.In(usage.CacheSavings) || !u.Cache.Priced || len(u.Cache.Models) != 4 {
		t.Errorf("got %+v of %d models, want ratio %v", all, len(u.Cache.Models), ratio)
	}
}

func TestSessions(t *testing.T) {
	list := ledger.SessionList{Live: 24, Priced: true}
	for i := range 40 {
		session := ledger.SessionTotals{Live: i < 24, Input: 1, Output: 2, CacheRead: 3, CacheWrite5m: 4, CacheWrite1h: 5, NanoUSD: 2_500_000_000}
		session.ID, session.Project, session.Model, session.Last = fmt.Sprintf("%02d345678-x", i), "web", "opus", now.Add(-time.Minute).UnixMilli()
		session.First = session.Last - 5_400_000
		session.Context = 50_000
		list.Sessions = append(list.Sessions, session)
	}
	list.Sessions[1].ID = "reported"
	from := &usage.Source{ContextWindow: func(source counters.SourceLabels, id string) uint64 {
		return map[string]uint64{"reported": 500_000}[string(source)+id]
	}}
	s := selection{period: periods(now)[1]}
	got := newSessions(&list, s, from, firstSessions, now)
	want := session{
		ID: "00345678", URL: "session/00345678-x", Project: "web", Model: "opus", Live: true, Context: 50_000, Bar: "25.00%", Tokens: 15, Output: 2,
		Cost: "$2.50", Started: "12 Nov 14:14", Duration: "1h30m",
	}
	if len(got.Sessions) != firstSessions || got.Live != 24 || got.Sessions[0] != want {
		t.Errorf("got %+v", got)
	}
	if got.Listed != "the 10 most expensive of 40" || got.All != (link{Text: "All 40 sessions", URL: "sessions?range=7d"}) || !got.Cost.Current {
		t.Errorf("got %+v", got)
	}
	list.LeftOut.Sessions = 1960
	if got := newSessions(&list, s, from, firstSessions, now); got.Listed != "the 10 most expensive of 2,000" || got.All.Text != "More sessions" {
		t.Errorf("got %q, %q", got.Listed, got.All.Text)
	}
	if got := newSessions(&list, s, from, maxListed, now); got.Listed != "the 40 most expensive of 2,000" || got.All.URL != "" {
		t.Errorf("got %q, %+v", got.Listed, got.All)
	}
	list.LeftOut.Sessions = 0
	list.Sessions[3].Context, list.Sessions[4].Context = 400_000, 2_000_000
	list.Sessions[5].Context, list.Sessions[5].Model = 170_000, "claude-opus-5-5"
	list.Sessions[6].Context, list.Sessions[6].Window = 150_000, 300_000
	for i, want := range []string{"25.00%", "10.00%", "25.00%", "40.00%", "100.00%", "17.00%", "50.00%"} {
		if got := newSessions(&list, s, from, firstSessions, now).Sessions[i].Bar; got != want {
			t.Errorf("session %d: got a bar of %s, want %s", i, got, want)
		}
	}
	list.Sessions = list.Sessions[23:33] // one is live
	s.sort = byTime
	if got := newSessions(&list, s, from, firstSessions, now); got.Listed != "10 sessions, the latest first" || got.Live != 1 || got.All.URL != "" || !got.Started.Current {
		t.Errorf("got %+v", got)
	}
}

// It is not known when a session without times began.
func TestSessionWithoutTimes(t *testing.T) {
	s := ordinary()
	s.Sessions = func(ledger.SessionQuery) ledger.SessionList {
		return ledger.SessionList{Sessions: []ledger.SessionTotals{{}}}
	}
	if _, page := get(t, newTestPage(s), ""); !strings.Contains(page, `<td class="when">–</td><td class="rare">–</td>`) || strings.Contains(page, "1970") {
		t.Errorf("got %s", page)
	}
}
