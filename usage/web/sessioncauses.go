package web

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/usage/explain"
)

// A cacheMiss is a request that wrote tokens to the cache again.
type cacheMiss struct {
	Time, Part, Reason string
	Tokens             uint64
	Cost               float64
}

// maxMisses is the number of misses that are listed, the most expensive ones.
const maxMisses = 50

// newMisses returns the requests that wrote tokens to the cache again, by time, and the
// number of further ones.
func newMisses(d *ledger.SessionDetail, zone *time.Location) (misses []cacheMiss, more int) {
	var all []ledger.CountedRequest
	for _, r := range d.Requests {
		if r.Cache.Rewritten > 0 {
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b ledger.CountedRequest) int { return cmp.Compare(b.Cache.Rewritten, a.Cache.Rewritten) })
	listed := all[:min(len(all), maxMisses)]
	slices.SortStableFunc(listed, func(a, b ledger.CountedRequest) int { return cmp.Compare(a.When, b.When) })
	for _, r := range listed {
		part := "Main conversation"
		if r.Project != ledger.MainPart {
			part = shown(r.Project)
		}
		misses = append(misses, cacheMiss{
			time.UnixMilli(r.When).In(zone).Format(shortDay + " 15:04"), part, explain.ReasonName(r.Cache.Reason),
			r.Cache.Rewritten, float64(r.Cache.RewrittenNanoUSD) / 1e9,
		})
	}
	return misses, len(all) - len(listed)
}

// A permissionUse is how often a permission was decided in a way.
type permissionUse struct {
	Decision string
	Asked    string // who or what decided
	Count    int
}

// deciders are the sources of decisions in words.
var deciders = map[string]string{
	"once": "A person, for one call", "session": "A person, for more calls", "rule": "A rule", "mode": "The permission mode",
	"hook": "A hook", "other": "Something else",
}

// decisionsFamily counts permission decisions.
const decisionsFamily = "claude_permission_decisions_total"

// newPermissions returns the permission decisions of a session, the most frequent
// first.
func newPermissions(d *ledger.SessionDetail) (all []permissionUse) {
	counts := make(map[[2]string]int)
	for i := range d.History.Families {
		f := &d.History.Families[i]
		if f.Family.Name != decisionsFamily {
			continue
		}
		label := func(values []string, name string) string { return values[slices.Index(f.Family.Labels, name)] }
		for j := range f.Series {
			if s := &f.Series[j]; s.Value > 0 && label(s.Labels, projectParameter) != ledger.OtherPart {
				counts[[2]string{label(s.Labels, "decision"), label(s.Labels, "source")}] += int(s.Value)
			}
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(counts), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		decision := "Permitted"
		if key[0] == "reject" {
			decision = "Refused"
		}
		all = append(all, permissionUse{decision, cmp.Or(deciders[key[1]], key[1]), counts[key]})
	}
	slices.SortStableFunc(all, func(a, b permissionUse) int { return cmp.Compare(b.Count, a.Count) })
	return all
}
