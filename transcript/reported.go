package transcript

import (
	"cmp"
	"math"
	"strconv"
)

// reported reads Claude Code's own totals of a session, model by model. The last of
// equal names of models wins.
func (p *Parser) reported(e *Entry, to *Buffer) []ReportedUsage {
	v := p.member("modelUsage")
	if e.SessionID == "" || !v.isObject() {
		return nil
	}
	before, places := len(to.reported), make(map[string]int)
	var w cursor
	w.begin(v)
	for more := w.enter('{'); more; more = w.more('}') {
		model, totals := string(appendValid(nil, w.key())), w.value()
		place, again := places[model]
		if !again && len(places) == maxBlocks {
			break
		}
		if !again {
			place = len(to.reported)
			places[model] = place
			keep(&to.reported, ReportedUsage{})
		}
		to.reported[place] = reportedUsage(e.SessionID, model, totals)
	}
	return since(to.reported, before)
}

func reportedUsage(session, model string, totals rawValue) ReportedUsage {
	var f [7]rawValue
	totals.pick([]string{
		"inputTokens", "outputTokens", "thinkingTokens", "cacheReadInputTokens", "cacheCreationInputTokens",
		"webSearchRequests", "costUSD",
	}, f[:])
	return ReportedUsage{
		Key:   KeyOf("reported", session, model),
		Model: cmp.Or(Clean(model), "unknown"),
		Input: f[0].countOrZero(), Output: f[1].countOrZero(), Thinking: f[2].countOrZero(),
		CacheRead: f[3].countOrZero(), CacheWrite: f[4].countOrZero(),
		WebSearches: f[5].countOrZero(), NanoUSD: f[6].nano(),
	}
}

// nano reads a number in units of 10^-9: 0 for what is no number, below zero, or
// larger than a count can be.
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
