package usage

import (
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
)

// A Block is five hours with requests. If the end of the window of a usage limit is
// stated, it is such a window. Otherwise it is about a window, as the program ccusage
// defines it: it begins with the full hour (UTC) of the first request after the
// previous block, but not before a stated end.
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

// CurrentBlock returns the block of a time, or false if no request was made in one.
// Status lines may have stated ends, by the labels of the source; errors of a full
// limit are in the history. Of several sources with different labels, which are several
// accounts, there is none.
func CurrentBlock(h *counters.History, now time.Time, ends map[counters.SourceLabels]time.Time) (b Block, ok bool) {
	source, ok := account(h)
	if !ok {
		return b, false
	}
	end := ends[source]
	if hit := lastHitEnd(h, source); hit.After(end) {
		end = hit
	}
	if start := end.Add(-blockLength); start.After(now) {
		end = time.Time{} // another clock
	} else if now.Before(end) {
		b.Start, b.End = start.UTC(), end.UTC()
	}
	if b.Start.IsZero() && !b.estimate(h, now, end) {
		return Block{}, false
	}
	var err error
	b.Usage, err = Compute(h, Query{Since: b.Start, Until: b.End, Only: []Measure{
		Cost, InputTokens, OutputTokens, CacheReadTokens, CacheWrite5mTokens, CacheWrite1hTokens, UnpricedTokens,
	}})
	return b, err == nil
}

// estimate sets the beginning and the end of a block that begins after the end of a
// known one. It returns false if no request was made in a block of the time now.
func (b *Block) estimate(h *counters.History, now, after time.Time) bool {
	since := now.Add(-blockMemory).Truncate(time.Hour)
	if after.After(since) {
		since = after
	}
	hours, err := Compute(h, Query{Since: since, Step: Hour, Only: []Measure{Requests}})
	if err != nil {
		return false
	}
	for i := range hours.Rows {
		at := hours.Rows[i].Start
		if at.Before(since) {
			at = since.UTC()
		}
		if !at.Before(b.End) && !at.After(now) {
			b.Start, b.End = at, at.Add(blockLength)
		}
	}
	return !b.Start.IsZero() && now.Before(b.End)
}

// lastHitEnd returns the latest end of a window that an error of a full limit from a
// source stated, the zero time if there is none.
func lastHitEnd(h *counters.History, source counters.SourceLabels) (end time.Time) {
	for _, f := range h.Gauges {
		for i := range f.Series {
			s := &f.Series[i]
			if f.Family.Name == "claude_limit_hit_reset_timestamp_seconds" && s.Source == source && slices.Contains(s.Labels, "five_hour") {
				end = time.UnixMilli(int64(s.Value))
			}
		}
	}
	return end
}

// account returns the source of all requests, or false if requests come from sources
// with different labels, or if there are none.
func account(h *counters.History) (source counters.SourceLabels, ok bool) {
	for i := range h.Families {
		f := &h.Families[i]
		if f.Family.Name != definitions[Requests].family {
			continue
		}
		for j := range f.Series {
			if f.Series[j].Source != f.Series[0].Source {
				return "", false
			}
			source, ok = f.Series[j].Source, true
		}
	}
	return source, ok
}
