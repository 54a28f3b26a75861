package ledger

import (
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/wire"
)

// Code visits what the ledger takes from a batch. Session ids and directories
// are left out: the digest and the label made of them are what is counted.
func (b *Batch) Code(c *wire.Coder) {
	wire.Uint(c, &b.File)
	c.Int(&b.Now)
	wire.Uint(c, &b.Bytes)
	wire.Slice(c, &b.Entries, codeEntry)
	wire.Slice(c, &b.Problems, wire.String)
}

func codeEntry(c *wire.Coder, e *transcript.Entry) {
	wire.String(c, &e.Type)
	codeKey(c, &e.UUID)
	c.Int(&e.Time)
	codeKey(c, &e.Session)
	wire.String(c, &e.Project)
	wire.String(c, &e.Command)
	c.Bool(&e.Placed)
	c.Bool(&e.Sidechain)
	wire.Optional(c, &e.Message, codeMessageRecord)
	wire.Slice(c, &e.Uses, codeUse)
	wire.Slice(c, &e.Results, codeResult)
	wire.Optional(c, &e.Prompt, codePrompt)
	wire.Optional(c, &e.APIError, func(c *wire.Coder, x *transcript.APIError) {
		wire.String(c, &x.Class)
		wire.String(c, &x.Status)
	})
	wire.Optional(c, &e.Retry, func(c *wire.Coder, r *transcript.Retry) { wire.String(c, &r.Status) })
	wire.Optional(c, &e.Compaction, func(c *wire.Coder, k *transcript.Compaction) {
		wire.String(c, &k.Trigger)
		wire.Uint(c, &k.PreTokens)
	})
	wire.Optional(c, &e.Turn, func(c *wire.Coder, t *transcript.Turn) { wire.Uint(c, &t.Milliseconds) })
	wire.String(c, &e.QueueOperation)
	codeKey(c, &e.QueueKey)
	wire.Slice(c, &e.Reported, codeReportedUsage)
	c.Bool(&e.Warmup)
	// The name of what is unknown is left out: the transcript decides what it says.
	wire.Slice(c, &e.Unknown, func(c *wire.Coder, u *transcript.UnknownItem) { wire.String(c, &u.Kind) })
}

func codeMessageRecord(c *wire.Coder, m *transcript.Message) {
	codeKey(c, &m.Key)
	wire.String(c, &m.Model)
	wire.String(c, &m.StopReason)
	codeUsage(c, &m.Usage)
	wire.Slice(c, &m.Iterations, func(c *wire.Coder, i *transcript.Iteration) {
		wire.String(c, &i.Kind)
		wire.String(c, &i.Model)
		codeUsage(c, &i.Usage)
	})
}

func codeReportedUsage(c *wire.Coder, r *transcript.ReportedUsage) {
	codeKey(c, &r.Key)
	wire.String(c, &r.Model)
	for _, n := range [...]*uint64{&r.Input, &r.Output, &r.Thinking, &r.CacheRead, &r.CacheWrite, &r.WebSearches, &r.NanoUSD} {
		wire.Uint(c, n)
	}
}

func codeUsage(c *wire.Coder, u *transcript.Usage) {
	for _, n := range [...]*uint64{&u.Input, &u.Output, &u.CacheRead, &u.CacheWrite5m, &u.CacheWrite1h, &u.Thinking, &u.WebSearches, &u.WebFetches} {
		wire.Uint(c, n)
	}
}

func codeUse(c *wire.Coder, u *transcript.ToolUse) {
	codeKey(c, &u.Key)
	wire.String(c, &u.Name)
	wire.String(c, &u.MCPServer)
}

func codeResult(c *wire.Coder, r *transcript.ToolResult) {
	codeKey(c, &r.Key)
	c.Bool(&r.Error)
	wire.String(c, &r.Reason)
	wire.Uint(c, &r.Bytes)
	wire.Uint(c, &r.Added)
	wire.Uint(c, &r.Removed)
}

// codePrompt leaves out the name of the command: Entry.Command is its label.
func codePrompt(c *wire.Coder, p *transcript.Prompt) {
	wire.String(c, &p.Kind)
	codeKey(c, &p.TextKey)
}
