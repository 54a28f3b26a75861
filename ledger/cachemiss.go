package ledger

import "github.com/ccwatchd/ccwatchd/transcript"

// A missReason is why a request would miss the cache: the reason that Claude Code
// states, or else the reason that follows from the lines before it in the same
// conversation.
type missReason uint8

// The reasons of cache misses. Their numbers are persisted.
const (
	unexplained     missReason = 0
	coldStart       missReason = 1
	idleExpired     missReason = 2
	afterCompaction missReason = 3
	modelChange     missReason = 4
	systemChange    missReason = 5
	toolsChange     missReason = 6
)

// MissReasons are the values of the label reason of claude_cache_misses_total, by
// missReason, whose numbers are persisted. It must not be modified.
var MissReasons = []string{
	unexplained: "unexplained", coldStart: "cold_start", idleExpired: "idle_expired",
	afterCompaction: "after_compaction", modelChange: "model_change",
	systemChange: "system_changed", toolsChange: "tools_changed",
}

// A missContext is the part of the explanation of a cache miss that is derived from the
// lines before the message. It is kept for every message, since only its usage shows
// whether it is a miss.
type missContext struct {
	reason missReason
	cached uint32 // tokens that the request before it had in the cache
}

// statedReasons are the reasons that Claude Code states, by their names in
// transcript.StatedMissReasons. They precede the reasons that follow from earlier
// lines.
var statedReasons = map[string]missReason{
	"model_changed": modelChange, "system_changed": systemChange, "tools_changed": toolsChange,
}

// missOf returns the context of a message that begins with e at a time, after the
// request r of its conversation.
func missOf(r *lastRequest, at int64, e *transcript.Entry) missContext {
	lifetime := uint32(shortLifetime)
	if r.has(longLived) {
		lifetime = longLifetime
	}
	began := seconds(at)
	miss := missContext{cached: r.cached}
	switch {
	case !r.has(requestKnown):
		miss.reason = coldStart
	case r.ended > 0 && began > r.ended && began-r.ended > lifetime:
		miss.reason = idleExpired
	case r.has(compactedSince):
		miss.reason = afterCompaction
	case r.model != modelDigest(e.Message.Model):
		miss.reason = modelChange
	}
	return miss
}

// The results of using the prompt cache.
const (
	cacheHit     = "hit"
	cachePartial = "partial" // a part was read, but many tokens that were in the cache were written again
	cacheMiss    = "miss"
	uncached     = "uncached"
)

// minPartial is the minimal number of tokens that a partial hit writes again. They must
// also be a tenth of the tokens that were in the cache before. Below that it is a hit,
// since every request writes again a little of what it could have read.
const minPartial = 1024

// rewritten returns the maximal number of tokens that a request wrote to the cache
// although the previous request had them there:
// min(tokens written, tokens cached by the previous request − tokens read).
func (c missContext) rewritten(u *transcript.Usage) uint64 {
	unread := uint64(c.cached) - min(uint64(c.cached), u.CacheRead)
	return min(u.CacheWrite5m+u.CacheWrite1h, unread)
}

// result returns how a request used the prompt cache.
func (c missContext) result(u *transcript.Usage) string {
	again := c.rewritten(u)
	switch {
	case u.CacheRead > 0 && again >= minPartial && 10*again >= uint64(c.cached):
		return cachePartial
	case u.CacheRead > 0:
		return cacheHit
	case u.CacheWrite5m+u.CacheWrite1h > 0:
		return cacheMiss
	default:
		return uncached
	}
}

// A CacheUse is how a request used the prompt cache.
type CacheUse struct {
	Result string // hit, partial, miss or uncached
	// Reason is one of MissReasons for a miss and a partial hit, otherwise empty.
	Reason string
	// Rewritten is the number of tokens that were written to the cache again, and
	// RewrittenNanoUSD what that cost more than reading them, in 10^-9 US dollars.
	Rewritten, RewrittenNanoUSD uint64
}

// cacheUseOf returns how a message with a price used the cache.
func (p *messages) cacheUseOf(h *heldMessage, m *transcript.Message, price priceID) CacheUse {
	use, reason := CacheUse{Result: h.miss.result(&m.Usage)}, h.miss.reason
	if use.Result != cacheMiss && use.Result != cachePartial {
		return use
	}
	if stated, ok := statedReasons[m.MissReason]; ok {
		reason = stated
	}
	use.Reason = MissReasons[reason]
	if reason != coldStart {
		use.Rewritten = h.miss.rewritten(&m.Usage)
		use.RewrittenNanoUSD = p.rewriting(price, &m.Usage, use.Rewritten)
	}
	return use
}

// countCacheUse counts how a message used the prompt cache, why it missed it, and what
// it wrote to it again.
func (p *messages) countCacheUse(h *heldMessage, use *CacheUse, labels *messageLabels) {
	p.add(p.families.cacheRequests, 1, h.when, labels.source, use.Result, labels.model, labels.project, labels.agent)
	if use.Result == cacheMiss {
		p.add(p.families.cacheMisses, 1, h.when, labels.source, use.Reason, labels.project, labels.agent)
	}
	if use.Reason != "" && use.Reason != MissReasons[coldStart] {
		p.add(p.families.cacheRewritten, use.Rewritten, h.when, labels.source, use.Reason, labels.project, labels.agent)
	}
	if use.RewrittenNanoUSD > 0 {
		p.add(p.costs.cacheRewritten, use.RewrittenNanoUSD, h.when, labels.source, use.Reason, labels.project, labels.agent)
	}
}
