package ledger

import (
	"github.com/ccwatchd/ccwatchd/codec"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// Code visits what the ledger takes from a batch. Session ids and directories
// are left out: the digest and the label made of them are what is counted.
func (b *Batch) Code(c *codec.Coder) {
	codec.Uint(c, 1, &b.File)
	codec.Int(c, 2, &b.Now)
	codec.Uint(c, 3, &b.Bytes)
	codec.Slice(c, 4, &b.Entries, codeEntry)
	codec.Strings(c, 5, &b.Problems)
}

// codeMessage uses numbers up to 100: heldMessage has more fields behind them.
func codeMessage(c *codec.Coder, m *transcript.Message, unknown *codec.Unknowns[iterationKey]) {
	codec.Fixed64(c, 1, &m.Key)
	codec.String(c, 2, &m.Model)
	codec.String(c, 3, &m.StopReason)
	codeUsage(c, 4, &m.Usage)
	at := iterationKey{message: m.Key}
	codec.Slice(c, 12, &m.Iterations, func(c *codec.Coder, i *transcript.Iteration) {
		unknown.Carry(c, at)
		codec.String(c, 1, &i.Model)
		codeUsage(c, 2, &i.Usage)
		codec.String(c, 10, &i.Kind)
		unknown.Rest(c, at)
		at.index++
	})
}

// codeUsage visits eight fields, of which the first has the given number.
func codeUsage(c *codec.Coder, first codec.Number, u *transcript.Usage) {
	for i, n := range [...]*uint64{&u.Input, &u.Output, &u.CacheRead, &u.CacheWrite5m, &u.CacheWrite1h, &u.Thinking, &u.WebSearches, &u.WebFetches} {
		codec.Uint(c, first+codec.Number(i), n)
	}
}

func codeUse(c *codec.Coder, u *transcript.ToolUse) {
	codec.Fixed64(c, 1, &u.Key)
	codec.String(c, 2, &u.Name)
	codec.String(c, 3, &u.MCPServer)
}

// codeResult uses numbers up to 100: orphan has more fields behind them.
func codeResult(c *codec.Coder, r *transcript.ToolResult) {
	codec.Fixed64(c, 1, &r.Key)
	codec.Bool(c, 2, &r.Error)
	codec.String(c, 3, &r.Reason)
	codec.Uint(c, 4, &r.Bytes)
	codec.Uint(c, 5, &r.Added)
	codec.Uint(c, 6, &r.Removed)
}

// codeUnknownItems leaves out the names of the items.
func codeUnknownItems(c *codec.Coder, n codec.Number, items *[]transcript.UnknownItem) {
	var kinds []string
	for _, item := range *items {
		kinds = append(kinds, item.Kind)
	}
	if codec.Strings(c, n, &kinds); !c.Reading() {
		return
	}
	*items = nil
	for _, kind := range kinds {
		*items = append(*items, transcript.UnknownItem{Kind: kind})
	}
}

func codeReportedUsage(c *codec.Coder, r *transcript.ReportedUsage) {
	codec.Fixed64(c, 1, &r.Key)
	codec.String(c, 2, &r.Model)
	for i, n := range [...]*uint64{&r.Input, &r.Output, &r.Thinking, &r.CacheRead, &r.CacheWrite, &r.WebSearches, &r.NanoUSD} {
		codec.Uint(c, 3+codec.Number(i), n)
	}
}
