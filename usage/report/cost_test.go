package report

import (
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/usage"
)

// A price of 0 is known. The projects that used tokens without a price are unknown, so
// the costs of all projects and the total are lower bounds.
func TestCosts(t *testing.T) {
	unpriced := map[string]uint64{"mystery-1": 9}
	priced := usage.Values{usage.Cost: 5e9, usage.OutputTokens: 1}
	free := usage.Values{usage.OutputTokens: 1}
	missing := usage.Values{usage.OutputTokens: 1, usage.UnpricedTokens: 1}
	byProject := []usage.Measure{usage.Cost, usage.OutputTokens}
	byModel := append([]usage.Measure{usage.UnpricedTokens}, byProject...)
	for _, test := range []struct {
		name     string
		measures []usage.Measure
		rows     []usage.Values
		unpriced map[string]uint64
		want     string
	}{
		{"models", byModel, []usage.Values{priced, free, missing}, unpriced, "$5.00 $0.00 – $5.00+"},
		{"priced models", byModel, []usage.Values{priced, free}, nil, "$5.00 $0.00 $5.00"},
		{"projects", byProject, []usage.Values{priced, free, {}}, unpriced, "$5.00+ – $0.00 $5.00+"},
		{"priced projects", byProject, []usage.Values{priced, free}, nil, "$5.00 $0.00 $5.00"},
		{"free projects", byProject, []usage.Values{free, free}, nil, "$0.00 $0.00 $0.00"},
	} {
		u := answer(usage.Query{By: []string{"name"}}, test.measures)
		for i := range test.rows {
			u.Rows = append(u.Rows, usage.Row{Labels: []string{test.name}, Values: test.rows[i]})
			u.Total.Add(&test.rows[i])
		}
		u.Unpriced = test.unpriced
		table := newTable(u, short)
		var got []string
		for _, row := range append(table.rows, table.total) {
			got = append(got, row[1])
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}
