package web

import (
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/test/usagetest"
	"github.com/ccwatchd/ccwatchd/usage"
)

// The cost of a session with tokens that have no price is a lower bound.
func TestSessionCost(t *testing.T) {
	for want, session := range map[string]ledger.SessionTotals{
		"$5.02":    {NanoUSD: 5_020_000_000},
		"$5.02+":   {NanoUSD: 5_020_000_000, Unpriced: 1},
		"$0.00":    {Output: 1}, // for free
		"no price": {Unpriced: 1},
	} {
		if got := costText(sessionCost(&session)); got != want {
			t.Errorf("%+v: got %s, want %s", session, got, want)
		}
	}
}

// The costs of cards, of the period and of its parts are lower bounds if models have no
// price. All projects are: the projects that used these models are unknown.
func TestLowerBounds(t *testing.T) {
	s := ordinary()
	all := usageOf(t, s, "range=all")
	if got := all.Facts[0].Value; !strings.HasPrefix(got, "$") || !strings.HasSuffix(got, "+") {
		t.Errorf("the period costs %s", got)
	}
	if got := all.Cards[2].Cost; !strings.HasSuffix(got.Now, "+") || !strings.HasSuffix(got.Before, "+") {
		t.Errorf("30 days cost %+v", got)
	}
	for _, series := range all.Charts[0].Series {
		if lacks := series.Name == "next-1"; (series.Cost == noPrice) != lacks || strings.HasSuffix(series.Cost, "+") {
			t.Errorf("%s costs %s", series.Name, series.Cost)
		}
	}
	for _, series := range all.Charts[1].Series {
		if !strings.HasSuffix(series.Cost, "+") {
			t.Errorf("%s costs %s", series.Name, series.Cost)
		}
	}
	priced := usageOf(t, s, "range=all&model=claude-opus-4-6")
	if got := priced.Facts[0].Value; strings.HasSuffix(got, "+") {
		t.Errorf("a model with a price costs %s", got)
	}
	if got := priced.Charts[1].Series[0].Cost; strings.HasSuffix(got, "+") {
		t.Errorf("a project costs %s with it", got)
	}
}

// An unknown cost before is not compared.
func TestUnknownBefore(t *testing.T) {
	s := span{comparable: true, period: periods(now)[0]}
	for _, u := range []*usage.Usage{&s.current, &s.before} {
		u.Measures = []usage.Measure{usage.Cost, usage.UnpricedTokens}
	}
	s.current.Total[usage.Cost], s.before.Total[usage.UnpricedTokens] = 5e9, 7
	if got := newCard(&s, link{}).Cost; got.Now != "$5.00" || got.Before != "" {
		t.Errorf("got %+v", got)
	}
}

// Usage of models with the price 0 costs nothing, which is known. Its charts show
// tokens.
func TestFree(t *testing.T) {
	o := ledgertest.Options()
	var err error
	if o.Prices, err = o.Prices.With([]pricing.Row{{Model: "local"}}); err != nil {
		t.Fatal(err)
	}
	l := usagetest.Person{Days: 3, Until: now, Messages: 50, Projects: []string{"web"}, Models: []string{"local"}, Tools: []string{"Bash"}, Options: &o}.Ledger()
	u := usageOf(t, usagetest.Scene{Now: now, History: l.History(), Sessions: l.SessionRecord(9, now.UnixMilli()).Select}, "")
	if card := u.Cards[2]; !card.Priced || card.Cost.Now != "$0.00" {
		t.Errorf("got %+v", card)
	}
	if len(u.Shows) > 0 || len(u.Charts) != 2 || u.Charts[0].Title != "Tokens by model" || u.Charts[0].Series[0].Cost != "$0.00" {
		t.Errorf("got %+v", u.Charts)
	}
	if len(u.Sessions.Sessions) == 0 || u.Sessions.Sessions[0].Cost != "$0.00" {
		t.Errorf("got %+v", u.Sessions)
	}
}
