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

// countCacheUse counts how a message with a price used the prompt cache, why it missed
// it, and what it wrote to it again.
func (p *messages) countCacheUse(h *heldMessage, m *transcript.Message, labels *messageLabels, price priceID) {
	result, reason := h.miss.result(&m.Usage), h.miss.reason
	p.add(p.families.cacheRequests, 1, h.when, labels.source, result, labels.model, labels.project, labels.agent)
	if result != cacheMiss && result != cachePartial {
		return
	}
	if stated, ok := statedReasons[m.MissReason]; ok {
		reason = stated
	}
	name := MissReasons[reason]
	if result == cacheMiss {
		p.add(p.families.cacheMisses, 1, h.when, labels.source, name, labels.project, labels.agent)
	}
	if reason != coldStart {
		again := h.miss.rewritten(&m.Usage)
		p.add(p.families.cacheRewritten, again, h.when, labels.source, name, labels.project, labels.agent)
		if cost := p.rewriting(price, &m.Usage, again); cost > 0 {
			p.add(p.costs.cacheRewritten, cost, h.when, labels.source, name, labels.project, labels.agent)
		}
	}
}
