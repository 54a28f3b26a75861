package metrics

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/pricing"
)

// The price table is exposed only with prices.
func TestPriceTable(t *testing.T) {
	overlay, err := pricing.Default().With([]pricing.Row{{Model: "mine"}})
	if err != nil {
		t.Fatal(err)
	}
	o := defaults(t)
	l := ledger.New(o, born)
	e := gatherer(&Exposition{Provider: ledgerProvider{l}, Registry: prometheus.NewRegistry()})
	for _, tt := range []struct {
		prices *pricing.Table
		source string
		series int
	}{
		{nil, "", 0},
		{pricing.Default(), "built-in", 1},
		{overlay, "overlay", 1},
		{nil, "", 0},
		{pricing.Default(), "built-in", 1},
	} {
		o.Prices = tt.prices
		l.Configure(o)
		info := gather(t, e)["ccwatchd_price_table_info"].GetMetric()
		if len(info) != tt.series {
			t.Fatalf("source %q: got %d series", tt.source, len(info))
		}
		for _, m := range info {
			if got := value(m, "source"); got != tt.source || value(m, "updated") != pricing.Default().Updated || m.GetGauge().GetValue() != 1 {
				t.Errorf("got %v, want source %q", m, tt.source)
			}
		}
	}
}

// A hidden family comes back with its series.
func TestHiddenFamily(t *testing.T) {
	snapshot := sample()
	provider := &fixedProvider{snapshot: snapshot}
	e := exposition(snapshot)
	e.Provider = provider
	for _, hidden := range []bool{false, true, false} {
		provider.snapshot.Families[0].Hidden = hidden
		_, shown := gather(t, gatherer(e))["claude_tool_calls_total"]
		if shown == hidden {
			t.Errorf("hidden %v: exposed %v", hidden, shown)
		}
	}
}
