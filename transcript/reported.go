package transcript

import (
	"cmp"
	"math"
	"strconv"
)

// reported reads Claude Code's own totals of a session by model. The last of equal
// model names wins.
func (p *Parser) reported(e *Entry, to *Buffer) []ReportedUsage {
	v := p.member("modelUsage")
	if e.SessionID == "" || !v.isObject() {
		return nil
	}
	before, index := len(to.reported), make(map[string]int)
	facts := len(to.facts)
	c := newCursor(v)
	for more := c.enter('{'); more; more = c.more('}') {
		model, totals := string(appendValid(nil, c.key())), c.value()
		i, seen := index[model]
		if !seen {
			if !p.left.part() {
				break
			}
			i = len(to.reported)
			index[model] = i
			push(&to.reported, ReportedUsage{})
		}
		to.reported[i] = reportedUsage(e.SessionID, model, totals)
		p.costBasis(e.SessionID, totals, facts, to)
	}
	return tail(to.reported, before)
}

func reportedUsage(session, model string, totals rawValue) ReportedUsage {
	count := func(key string) uint64 { return totals.member(key).countOrZero() }
	return ReportedUsage{
		Key:         KeyOf("reported", session, model),
		Model:       cmp.Or(Clean(model), "unknown"),
		Input:       count("inputTokens"),
		Output:      count("outputTokens"),
		Thinking:    count("thinkingTokens"),
		CacheRead:   count("cacheReadInputTokens"),
		CacheWrite:  count("cacheCreationInputTokens"),
		WebSearches: count("webSearchRequests"),
		NanoUSD:     totals.member("costUSD").nano(),

		ContextWindow: count("contextWindow"),
	}
}

// nano returns a number in units of 10^-9, rounded. It is 0 for other values, negative
// numbers, and results above maxCount.
func (v rawValue) nano() uint64 {
	if !v.isNumber() {
		return 0
	}
	f, _ := strconv.ParseFloat(string(v), 64) // out of range is ±Inf
	if f = math.RoundToEven(f * 1e9); f < 0 || f > maxCount {
		return 0
	}
	return uint64(f)
}
