package ledger

import (
	"strconv"

	"github.com/ccwatchd/ccwatchd/state/codec"
	"github.com/ccwatchd/ccwatchd/transcript"
)

const (
	minute = 60_000 // milliseconds
	day    = 24 * 60 * minute

	// longestWindow is the longest time until a limit resets: windows last a week, and
	// limits on spending a month.
	longestWindow = 32 * day
)

// limitHit counts a usage limit that an API error reports, unless the error is a copy.
// Parallel agents, and every further attempt, report the same one again.
func (l *Ledger) limitHit(lc *lineContext, e *transcript.Entry, isNew bool) {
	window, resets := e.LimitHit.Window, e.LimitHit.Resets
	if resets <= e.Time || resets > e.Time+longestWindow {
		resets = 0 // anyone can write anything
	}
	if resets != 0 && e.Time == lc.when { // not in the future
		l.raise(limitHitReset, uint64(resets), lc.when, lc.source, window)
	}
	key := hashOf(limitKey(lc.source, e, resets))
	_, known := l.seen[seenLimitHit].Get(key)
	// Unlike first, this does not join the files: sessions that only ran into the same
	// limit share nothing else, and would be remembered for each other's sake. The key
	// can therefore be forgotten before the errors: their copies do not count.
	l.seen[seenLimitHit].Put(key, lc.id)
	if isNew && !known {
		l.add(limitHits, 1, lc.when, lc.source, window)
	}
}

// limitKey returns the key of a limit: its window and the minute at which that resets
// or, if that is not stated, the text and the day. Different sources may be those of
// different accounts.
func limitKey(source SourceLabels, e *transcript.Entry, resets int64) transcript.Key {
	part := func(n int64) string { return strconv.FormatInt(n, 10) }
	hit := e.LimitHit
	switch {
	case resets != 0:
		return transcript.KeyOf("limit until", string(source), hit.Window, part((resets+minute/2)/minute))
	case e.Time != 0:
		return transcript.KeyOf("limit on", string(source), hit.Window, string(hit.Text[:]), part(e.Time/day))
	}
	return transcript.KeyOf("limit", string(source), hit.Window, string(e.UUID[:]))
}

func codeLimitHit(c *codec.Coder, h *transcript.LimitHit) {
	codec.String(c, 1, &h.Window)
	codec.Int(c, 2, &h.Resets)
	codec.Fixed64(c, 3, &h.Text)
}
