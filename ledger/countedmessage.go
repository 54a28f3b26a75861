package ledger

import (
	"math"

	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// counts hold the usage of a record of a message. There are hundreds of thousands of
// messages, so they are small: a number that does not fit is stored as the largest
// possible number, and cannot grow further.
type counts struct {
	tokens      [6]uint32 // in the order of usageFields
	serverTools [2]uint16 // web searches and web fetches
}

// Indexes of some tokens, see usageFields.
const (
	outputTokens  = 1
	write5mTokens = 3
	write1hTokens = 4
)

// usageFields returns the numbers of a usage. Their indexes are persisted: they
// determine the numbers of fields.
func usageFields(u *transcript.Usage) [8]*uint64 {
	return [...]*uint64{
		0: &u.Input, 1: &u.Output, 2: &u.CacheRead, 3: &u.CacheWrite5m, 4: &u.CacheWrite1h,
		5: &u.Thinking, 6: &u.WebSearches, 7: &u.WebFetches,
	}
}

// countsOf returns u as counts.
func countsOf(u transcript.Usage) (c counts) {
	c.growTo(u)
	return c
}

func (c *counts) usage() (u transcript.Usage) {
	fields := usageFields(&u)
	for i, n := range c.tokens {
		*fields[i] = uint64(n)
	}
	u.WebSearches, u.WebFetches = uint64(c.serverTools[0]), uint64(c.serverTools[1])
	return u
}

// growTo raises the counts to the numbers of u and returns how much each grew. The two
// lifetimes of cache writes grow by the growth of their sum: a better record may only
// move writes from one lifetime to the other.
func (c *counts) growTo(u transcript.Usage) (more transcript.Usage) {
	want, grown := usageFields(&u), usageFields(&more)
	for i := range c.tokens {
		if i != write5mTokens && i != write1hTokens {
			*grown[i] = grow(&c.tokens[i], *want[i])
		}
	}
	more.WebSearches = grow(&c.serverTools[0], u.WebSearches)
	more.WebFetches = grow(&c.serverTools[1], u.WebFetches)
	write5m, write1h := uint64(c.tokens[write5mTokens]), uint64(c.tokens[write1hTokens])
	full := max(write5m, write1h) == math.MaxUint32
	if before, after := write5m+write1h, u.CacheWrite5m+u.CacheWrite1h; after > before && !full {
		more.CacheWrite1h = grow(&c.tokens[write1hTokens], min(u.CacheWrite1h, write1h+after-before))
		more.CacheWrite5m = grow(&c.tokens[write5mTokens], write5m+after-before-more.CacheWrite1h)
	}
	return more
}

func grow[T uint16 | uint32](have *T, want uint64) (more uint64) {
	before := uint64(*have)
	if want <= before || *have == ^T(0) {
		return 0
	}
	*have = T(min(want, uint64(^T(0))))
	return want - before
}

// A countedMessage is the data of a counted message that a later correction needs, see
// correct.
type countedMessage struct {
	counts
	file   FileID
	labels uint32 // id in core.labelSets
	final  bool   // the counted record had a stop reason
	// incomplete is whether a record that counted was of a stream that broke off.
	incomplete bool
}

func codeCounted(c *table.Coder, m *countedMessage) {
	for i := range m.tokens {
		table.Uint(c, table.Number(1+i), &m.tokens[i]) // fields 1 to 6
	}
	table.Uint(c, 7, &m.serverTools[0])
	table.Uint(c, 8, &m.serverTools[1])
	table.Uint(c, 9, &m.file)
	table.Uint(c, 10, &m.labels)
	table.Bool(c, 11, &m.final)
	table.Bool(c, 12, &m.incomplete)
}
