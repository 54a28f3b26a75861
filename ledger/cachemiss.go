package ledger

import "github.com/ccwatchd/ccwatchd/transcript"

// A missReason is why a request would miss the cache, as far as the lines before it
// show. The numbers are part of the state.
type missReason uint8

const (
	unexplained missReason = iota
	coldStart
	idleExpired
	afterCompaction
	modelChange
)

// MissReasons are the values of the label reason of claude_cache_misses_total, by
// missReason. It must not be modified.
var MissReasons = []string{"unexplained", "cold_start", "idle_expired", "after_compaction", "model_change"}

// A missContext is what the lines before a message say about a cache miss of it.
type missContext struct {
	reason missReason
	cached uint32 // tokens that the request before it had in the cache
}

// statedReasons are the reasons that Claude Code states, which precede those that
// follow from the lines before, by their names in transcript.StatedMissReasons.
var statedReasons = map[string]missReason{"model_changed": modelChange}

// missOf returns the context of a message that begins with e, after the request r of
// its conversation.
func missOf(r *lastRequest, e *transcript.Entry) missContext {
	lifetime := uint32(shortLifetime)
	if r.is(longLived) {
		lifetime = longLifetime
	}
	began := seconds(e.Time)
	miss := missContext{cached: r.cached}
	switch {
	case !r.is(requestKnown):
		miss.reason = coldStart
	case r.ended > 0 && began > r.ended && began-r.ended > lifetime:
		miss.reason = idleExpired
	case r.is(compactedSince):
		miss.reason = afterCompaction
	case r.model != modelDigest(e.Message.Model):
		miss.reason = modelChange
	}
	return miss
}

// cacheResult returns how a request used the prompt cache.
func cacheResult(u transcript.Usage) string {
	switch {
	case u.CacheRead > 0:
		return "hit"
	case u.CacheWrite5m+u.CacheWrite1h > 0:
		return "miss"
	default:
		return "uncached"
	}
}

// countMiss counts the cache miss of a message, if it is one.
func (p *messages) countMiss(h *heldMessage, m *transcript.Message, labels *messageLabels) {
	if cacheResult(m.Usage) != "miss" {
		return
	}
	reason := h.miss.reason
	if stated, ok := statedReasons[m.MissReason]; ok {
		reason = stated
	}
	name := MissReasons[reason]
	p.add(p.families.cacheMisses, 1, h.when, labels.source, name, labels.project, labels.agent)
	if reason != coldStart {
		again := min(m.Usage.CacheWrite5m+m.Usage.CacheWrite1h, uint64(h.miss.cached))
		p.add(p.families.cacheRewritten, again, h.when, labels.source, name, labels.project, labels.agent)
	}
}
