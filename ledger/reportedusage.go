package ledger

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/ccwatchd/ccwatchd/internal/compactmap"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// Claude Code's own totals of a session ("cost-state" lines) are cumulative and go on
// when the session is resumed, so what is counted are the positive differences to
// the highest values of each session and model. A copied line adds nothing.

// The kinds of tokens in claude_reported_tokens_total.
const (
	reportedInput = iota
	reportedOutput
	reportedThinking
	reportedCacheRead
	reportedCacheWrite
	reportedTypes
)

// reportedTypeNames are the values of the type label of these tokens.
var reportedTypeNames = [reportedTypes]string{"input", "output", "thinking", "cache_read", "cache_write"}

// A reportedUsage is the highest totals that were stated of a session and a model.
type reportedUsage struct {
	file     FileID // that had it first
	tokens   [reportedTypes]uint64
	searches uint64
	nanoUSD  uint64
}

// report counts by how much the totals of one model of a session have grown.
func (l *Ledger) report(lc *lineContext, r *transcript.ReportedUsage) {
	key := hashOf(r.Key)
	known, again := l.reported.Get(key)
	if again {
		l.groups.join(known.file, lc.id)
	} else {
		known.file = lc.id
	}
	model := l.bounded(modelLabel, r.Model, lc.when)
	for i, n := range [reportedTypes]uint64{r.Input, r.Output, r.Thinking, r.CacheRead, r.CacheWrite} {
		if more := raiseTo(&known.tokens[i], n); more > 0 || !again {
			l.add(reportedTokens, more, lc.when, lc.source, model, reportedTypeNames[i])
		}
	}
	if more := raiseTo(&known.nanoUSD, r.NanoUSD); more > 0 || !again {
		l.add(reportedCost, more, lc.when, lc.source, model)
	}
	if more := raiseTo(&known.searches, r.WebSearches); more > 0 {
		l.add(reportedWebSearches, more, lc.when, lc.source, model)
	}
	l.reported.Put(key, known)
	l.reportSession(lc)
}

// raiseTo raises a total to n and returns by how much it grew.
func raiseTo(total *uint64, n uint64) (more uint64) {
	if n > *total {
		more, *total = n-*total, n
	}
	return more
}

// A sessionUsage is the tokens counted from the transcripts of a session.
type sessionUsage struct {
	file     FileID // one of its transcripts
	reported bool   // some line states the session's totals
	tokens   [reportedTypes]uint64
}

// reportSession counts a session when its totals are stated for the first time, and
// with it all tokens that its transcripts had so far.
func (l *Ledger) reportSession(lc *lineContext) {
	key := hashOf(lc.session)
	s, known := l.usage.Get(key)
	if s.reported {
		return
	}
	if !known {
		s.file = lc.id
	}
	s.reported = true
	l.usage.Put(key, s)
	l.groups.join(s.file, lc.id)
	l.add(reportedSessions, 1, lc.when, lc.source)
	l.addSeen(s.tokens, lc.when, lc.source)
}

// addSessionUsage adds tokens that were counted to those of their session.
func (l *Ledger) addSessionUsage(session hash64, f FileID, source SourceLabels, when int64, u transcript.Usage) {
	if session == noSession {
		return
	}
	s, known := l.usage.Get(session)
	if !known {
		s.file = f
	}
	l.groups.join(s.file, f) // a session is remembered while one of its transcripts exists
	more := [reportedTypes]uint64{u.Input, u.Output, u.Thinking, u.CacheRead, u.CacheWrite5m + u.CacheWrite1h}
	for i, n := range more {
		s.tokens[i] = sum(s.tokens[i], n)
	}
	l.usage.Put(session, s)
	if s.reported {
		l.addSeen(more, when, source)
	}
}

// addSeen adds to the tokens of sessions whose totals are stated.
func (l *Ledger) addSeen(tokens [reportedTypes]uint64, when int64, source SourceLabels) {
	for i, n := range tokens {
		l.add(reportedSeenTokens, n, when, source, reportedTypeNames[i])
	}
}

// The first number of either value in coded form says which totals are not zero;
// its bits are below 128, so the first byte has them all.
const isReported = 1 << 6

func (r *reportedUsage) totals() [7]*uint64 {
	t := &r.tokens
	return [...]*uint64{&t[0], &t[1], &t[2], &t[3], &t[4], &r.searches, &r.nanoUSD}
}

// Layout implements [compactmap.Value], as do the other methods.
func (reportedUsage) Layout() uint32 { return 1 }

func (reportedUsage) Varints(first byte) int { return 2 + bits.OnesCount8(first&0x7f) }

func (r reportedUsage) Append(b []byte) []byte {
	totals := r.totals()
	return appendTotals(b, 0, r.file, totals[:])
}

func (reportedUsage) Decode(b []byte) (r reportedUsage, size int) {
	d, totals := compactmap.NewDecoder(b), r.totals()
	decodeTotals(&d, totals[:], 0, &r.file)
	return r, d.Size()
}

func (s *sessionUsage) totals() [reportedTypes]*uint64 {
	t := &s.tokens
	return [...]*uint64{&t[0], &t[1], &t[2], &t[3], &t[4]}
}

// Layout implements [compactmap.Value], as do the other methods.
func (sessionUsage) Layout() uint32 { return 1 }

func (sessionUsage) Varints(first byte) int { return 2 + bits.OnesCount8(first&0x1f) }

func (s sessionUsage) Append(b []byte) []byte {
	var flags uint64
	if s.reported {
		flags = isReported
	}
	totals := s.totals()
	return appendTotals(b, flags, s.file, totals[:])
}

func (sessionUsage) Decode(b []byte) (s sessionUsage, size int) {
	d, totals := compactmap.NewDecoder(b), s.totals()
	s.reported = decodeTotals(&d, totals[:], isReported, &s.file) != 0
	return s, d.Size()
}

func appendTotals(b []byte, head uint64, f FileID, totals []*uint64) []byte {
	for i, n := range totals {
		if *n != 0 {
			head |= 1 << i
		}
	}
	b = binary.AppendUvarint(b, head)
	b = binary.AppendUvarint(b, uint64(f))
	for _, n := range totals {
		if *n != 0 {
			b = binary.AppendUvarint(b, *n)
		}
	}
	return b
}

// decodeTotals reads what appendTotals wrote, and returns those flags that are set.
func decodeTotals(d *compactmap.Decoder, totals []*uint64, flags uint64, f *FileID) uint64 {
	head := d.Uint(1<<len(totals) - 1 | flags)
	*f = FileID(d.Uint(math.MaxUint32)) //nolint:gosec // at most as much
	for i, n := range totals {
		if head&(1<<i) != 0 {
			*n = d.Uint(math.MaxUint64)
		}
	}
	return head & flags
}
