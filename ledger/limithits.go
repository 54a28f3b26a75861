package ledger

import (
	"cmp"
	"strconv"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// longestWindow is the longest time until a limit resets: windows last a week, and
// limits on spending a month.
const longestWindow = 32 * dayMillis

// limits counts API errors, and the usage limits that they report.
type limits struct {
	basic
	families limitFamilies
	errors   *dedupKeys
	windows  *dedupKeys // see limitKey
}

type limitFamilies struct{ errors, hits, resets counters.ID }

func newLimits(c *core) *limits {
	return &limits{
		basic: basic{c},
		families: limitFamilies{
			errors: c.declare(claudeCounter("api_errors_total", "API errors shown to the user after the retries of the client.", "error", "status")),
			hits: c.declare(caveat(claudeCounter("limit_hits_total", "Usage limits reached, each window counted once, whatever the number of refused requests.", "window"),
				"Once a day if no end is stated.")),
			resets: c.declare(gauge(caveat(claudeCounter("limit_hit_reset_timestamp_seconds", "Latest Unix time at which a usage limit that was reached resets.", "window"),
				"Errors without a time, or without its zone, are missing."), milli)),
		},
		errors: c.keys("api_error", tableAPIErrors), windows: c.keys("limit_hit", tableLimitHits),
	}
}

func (p *limits) addInitial() {
	for _, class := range transcript.ErrorClasses {
		if p.set.Peek(p.labels.errorClass, "", class) == class {
			p.set.AddInitial(p.families.errors, p.bounded(p.labels.errorClass, "", class, 0), "")
		}
	}
}

// countLine counts an API error.
func (p *limits) countLine(l *line, e *transcript.Entry) {
	if e.APIError == nil {
		return
	}
	isNew := p.once(p.errors, e.UUID, l)
	if isNew {
		class, status := p.bounded(p.labels.errorClass, l.source, e.APIError.Class, l.when), p.bounded(p.labels.status, l.source, e.APIError.Status, l.when)
		p.add(p.families.errors, 1, l.when, l.source, class, status)
	}
	if e.LimitHit != nil {
		p.count(l, e, isNew)
	}
}

// count counts a usage limit that an API error reports, unless the error is a copy.
// Parallel agents, and every further attempt, report the same limit again.
func (p *limits) count(l *line, e *transcript.Entry, isNew bool) {
	resets := e.LimitHit.Resets
	if resets <= e.Time || resets > e.Time+longestWindow {
		resets = 0 // anyone can write anything
	}
	key := hashOf(limitKey(l.source, e, resets))
	known := p.windows.Has(key)
	// Unlike first, this does not join the files: sessions that only ran into the same
	// limit share nothing else. So the key can be forgotten before the errors: their
	// copies do not count.
	p.windows.Put(key, l.id)
	if !isNew {
		return
	}
	window := p.bounded(p.labels.window, l.source, e.LimitHit.Window, l.when)
	if until := cmp.Or(resets, e.LimitHit.Until); until != 0 && e.Time == l.when { // not in the future
		p.add(p.families.resets, uint64(until), l.when, l.source, window)
	}
	if !known {
		p.add(p.families.hits, 1, l.when, l.source, window)
	}
}

// limitKey returns the key of a limit: its window and the minute of its reset or, if
// the reset is not stated, the text and the day. Different sources may belong to
// different accounts.
func limitKey(source SourceLabels, e *transcript.Entry, resets int64) transcript.Key {
	part := func(n int64) string { return strconv.FormatInt(n, 10) }
	hit := e.LimitHit
	switch {
	case resets != 0:
		return transcript.KeyOf("limit until", string(source), hit.Window, part((resets+minuteMillis/2)/minuteMillis))
	case e.Time != 0:
		return transcript.KeyOf("limit on", string(source), hit.Window, string(hit.Text[:]), part(e.Time/dayMillis))
	}
	return transcript.KeyOf("limit", string(source), hit.Window, string(e.UUID[:]))
}
