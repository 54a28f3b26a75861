package statusline

import (
	"time"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/pricing"
)

// A promptCache is the state of a session's prompt cache, as Claude Code 2.1.332 states
// it after the first response.
type promptCache struct {
	expires time.Time // zero if it is not stated
	warm    bool      // as stated when the line was requested
	hour    bool      // entries last an hour instead of five minutes
	rewrite uint64    // tokens that the next request writes if the cache has expired
}

// maxRewrite limits the tokens of a rewrite: no context is larger.
const maxRewrite = 100_000_000

func (o object) promptCache() (p promptCache) {
	p = promptCache{warm: o.flag("warm"), hour: o.text("ttl") == "1h"}
	if n, ok := o.number("expires_at"); ok && n > 0 && n < 1e11 {
		p.expires = time.Unix(int64(n), 0)
	}
	if n, ok := o.number("recache_tokens_if_cold"); ok && n >= 1 && n <= maxRewrite {
		p.rewrite = uint64(n)
	}
	return p
}

// cachePart returns until when the prompt cache is warm, and the price of writing it
// again afterwards. Without a known price it has the number of tokens. It returns false
// before the first response, or if Claude Code does not state the cache.
func (in *Input) cachePart(now time.Time) (p part, ok bool) {
	c := in.cache
	if c.expires.IsZero() {
		return part{}, false
	}
	p = part{"cache cold", yellow}
	if c.warm && c.expires.After(now) {
		p = part{"cache until " + c.expires.In(now.Location()).Format("15:04"), 0}
	}
	if c.rewrite > 0 {
		p.text += " (" + in.rewriteCost(now) + ")"
	}
	return p, true
}

// rewriteCost returns the price of writing the cache again, by the built-in price list,
// or the number of tokens of a model without a price.
func (in *Input) rewriteCost(now time.Time) string {
	price := pricing.Default().Price(pricing.Request{Model: in.modelID, Time: now.UnixMilli(), Fast: in.fast})
	usage := pricing.Usage{CacheWrite5m: in.cache.rewrite}
	if in.cache.hour {
		usage = pricing.Usage{CacheWrite1h: in.cache.rewrite}
	}
	if price.Unknown {
		return format.Short(float64(in.cache.rewrite)) + " tokens"
	}
	return format.USD(float64(price.Cost(usage).Total()) / 1e9)
}
