package web

import "github.com/ccwatchd/ccwatchd/usage"

// A cacheUse is the use of the prompt cache by one model, or by all.
type cacheUse struct {
	Name                string
	Hit                 float64 // share of the prompt tokens that were read from the cache
	HasHit              bool
	Read, Written5m     uint64 // tokens
	Written1h, Uncached uint64
	Savings             float64 // in US dollars by list price
}

// A cacheSection shows the use of the prompt cache.
type cacheSection struct {
	All    cacheUse
	Models []cacheUse
	Bar    string // length of the bar of the hit ratio
	Priced bool   // there are savings
}

// newCache returns the use of the cache, or nil if there was none.
func newCache(byModel *usage.Usage) *cacheSection {
	names, totals := ranked(byModel, func(v *usage.Values) float64 { return float64(v.CacheTokens()) })
	c := &cacheSection{All: newCacheUse("All models", &byModel.Total), Priced: byModel.Total[usage.CacheSavings] > 0}
	c.Bar = percent(100 * c.All.Hit)
	if byModel.Total.CacheTokens() == 0 {
		return nil
	}
	for _, name := range names {
		if use := newCacheUse(shown(name), totals[name]); use.HasHit {
			c.Models = append(c.Models, use)
		}
	}
	return c
}

func newCacheUse(name string, v *usage.Values) cacheUse {
	use := cacheUse{
		Name: name, Read: v[usage.CacheReadTokens], Written5m: v[usage.CacheWrite5mTokens],
		Written1h: v[usage.CacheWrite1hTokens], Uncached: v[usage.InputTokens], Savings: v.In(usage.CacheSavings),
	}
	use.Hit, use.HasHit = v.CacheHitRatio()
	return use
}
