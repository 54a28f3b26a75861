package web

import (
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/usage"
)

// The section why has reasons, facts and the most expensive sessions of the selection.
func TestWhy(t *testing.T) {
	s := ordinary()
	costly := "Most expensive sessions"
	for _, test := range []struct {
		url           string
		want, without []string
	}{
		{
			"?range=all", []string{
				`<h2 id="why">`, `<th scope="row">Idle too long <span`, `<th scope="row">Tools changed <span`, "Use fewer MCP tools",
				"Web searches cost $", "Fast mode cost $",
			}, []string{", of all models</th>", costly},
		},
		{"?range=all&model=opus-4-6", []string{"Written to the cache again, of all models</th>", "Fast mode cost $"}, []string{costly}},
		{"?range=all&sort=time", []string{costly}, nil},
		{"?from=2026-01-01&to=2026-01-02", nil, []string{`id="why"`}},
	} {
		_, page := get(t, newTestPage(s), test.url)
		check(t, page, test.want, test.without)
	}
}

// Only sessions of the selection that cost at least a cent are listed, of its time. The
// ledger is asked for them only if the list of sessions lacks some.
func TestCostlySessions(t *testing.T) {
	from := usage.Midnight(2026, 11, 10, now.Location())
	costly := []ledger.SessionTotals{
		{Session: ledger.Session{ID: "11111111-1", Project: "infra"}, NanoUSD: 2e9},
		{Session: ledger.Session{ID: "22222222-2", Project: "infra"}, NanoUSD: 9_999_999},
	}
	for _, listed := range [][]ledger.SessionTotals{costly, make([]ledger.SessionTotals, maxListed)} {
		var asked []ledger.SessionQuery
		p := newTestPage(ordinary(), func(o *Options) {
			o.Sessions = func(q ledger.SessionQuery) (ledger.SessionList, bool) {
				if asked = append(asked, q); q.Limit == maxCostly {
					return ledger.SessionList{Sessions: costly}, true
				}
				return ledger.SessionList{Sessions: listed}, true
			}
		})
		_, page := get(t, p, "?from=2026-11-10&to=2026-11-11&project=infra&sort=time")
		_, why, _ := strings.Cut(page, `id="why"`)
		check(t, why, []string{`href="session/11111111-1"><bdi>11111111</bdi></a></th><td>$2.00</td>`}, []string{"22222222"})
		if cut := len(listed) == maxListed; (len(asked) > 1) != cut {
			t.Errorf("a list of %d: got %d queries", len(listed), len(asked))
		}
		for _, q := range asked {
			if q.Since != from.UnixMilli() || q.Until != from.AddDate(0, 0, 2).UnixMilli() {
				t.Errorf("got the query %+v", q)
			}
			if !q.Where(&ledger.Session{Project: "infra"}) || q.Where(&ledger.Session{Project: "docs"}) {
				t.Error("sessions of another project are selected")
			}
		}
		if i := strings.Index(page, `id="why"`); i < strings.Index(page, `id="cache"`) {
			t.Error("the section is not beside the cache")
		}
	}
}

// The most expensive sessions do not depend on the order of the list.
func TestCostliest(t *testing.T) {
	var sessions []ledger.SessionTotals
	for _, cents := range []uint64{3, 9, 0, 4, 7, 5, 8} {
		sessions = append(sessions, ledger.SessionTotals{NanoUSD: cents * centNano, Input: cents})
	}
	sessions = append(sessions, ledger.SessionTotals{NanoUSD: 7 * centNano, Input: 100})
	var got []uint64
	for _, s := range costliest(sessions) {
		got = append(got, s.Input)
	}
	if want := []uint64{9, 8, 100, 7, 5}; !slices.Equal(got, want) {
		t.Errorf("got %d, want %d", got, want)
	}
}
