package usage

import (
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
)

// A Block is five hours with requests, as the program ccusage defines it: it begins
// with the full hour (UTC) of the first request after the previous block. A limit of
// five hours applies to about such a time.
type Block struct {
	Start, End time.Time
	Usage      Usage // between them
}

// blockLength is the length of a block. The requests of the last blockMemory determine
// where blocks begin; Claude Code deletes transcripts earlier.
const (
	blockLength = 5 * time.Hour
	blockMemory = 35 * 24 * time.Hour
)

// CurrentBlock returns the block of a time, or false if no request was made in one. Of
// several sources with different labels, which are several accounts, there is none.
func CurrentBlock(h *counters.History, now time.Time) (b Block, ok bool) {
	if hasAccounts(h) {
		return b, false
	}
	hours, err := Compute(h, Query{Since: now.Add(-blockMemory).Truncate(time.Hour), Step: Hour, Only: []Measure{Requests}})
	if err != nil {
		return b, false
	}
	for i := range hours.Rows {
		if at := hours.Rows[i].Start; !at.Before(b.End) && !at.After(now) {
			b.Start, b.End = at, at.Add(blockLength)
		}
	}
	if b.Start.IsZero() || !now.Before(b.End) {
		return Block{}, false
	}
	b.Usage, err = Compute(h, Query{Since: b.Start, Until: b.End, Only: []Measure{
		Cost, InputTokens, OutputTokens, CacheReadTokens, CacheWrite5mTokens, CacheWrite1hTokens, UnpricedTokens,
	}})
	return b, err == nil
}

// hasAccounts reports whether requests come from sources with different labels.
func hasAccounts(h *counters.History) bool {
	for i := range h.Families {
		f := &h.Families[i]
		if f.Family.Name != definitions[Requests].family {
			continue
		}
		for j := range f.Series {
			if f.Series[j].Source != f.Series[0].Source {
				return true
			}
		}
	}
	return false
}
