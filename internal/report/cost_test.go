package report

import (
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/history"
)

// A price of 0 is known. By project it is not known which cost lacks the tokens without
// a price, so all of them and the total may.
func TestCosts(t *testing.T) {
	unpriced := map[string]uint64{"mystery-1": 9}
	priced := history.Values{history.Cost: 5e9, history.OutputTokens: 1}
	free := history.Values{history.OutputTokens: 1}
	missing := history.Values{history.OutputTokens: 1, history.UnpricedTokens: 1}
	byProject := []history.Measure{history.Cost, history.OutputTokens}
	byModel := append([]history.Measure{history.UnpricedTokens}, byProject...)
	for _, test := range []struct {
		name     string
		measures []history.Measure
		rows     []history.Values
		unpriced map[string]uint64
		want     string
	}{
		{"models", byModel, []history.Values{priced, free, missing}, unpriced, "$5.00 $0.00 – $5.00+"},
		{"priced models", byModel, []history.Values{priced, free}, nil, "$5.00 $0.00 $5.00"},
		{"projects", byProject, []history.Values{priced, free, {}}, unpriced, "$5.00+ – $0.00 $5.00+"},
		{"priced projects", byProject, []history.Values{priced, free}, nil, "$5.00 $0.00 $5.00"},
		{"free projects", byProject, []history.Values{free, free}, nil, "$0.00 $0.00 $0.00"},
	} {
		u := usage(history.Query{By: []string{"name"}}, test.measures)
		for i := range test.rows {
			u.Rows = append(u.Rows, history.Row{Labels: []string{test.name}, Values: test.rows[i]})
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
