package ledger

import (
	"github.com/ccwatchd/ccwatchd/state/codec"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// Code visits the parts of a batch that are counted. It omits session ids and
// directories, of which only hashes and labels are counted.
func (b *Batch) Code(c *codec.Coder) {
	codec.Uint(c, 1, &b.File)
	codec.Int(c, 2, &b.Now)
	codec.Uint(c, 3, &b.Bytes)
	codec.Slice(c, 4, &b.Entries, codeEntry)
	codec.Strings(c, 5, &b.Problems)
}

// codeMessage uses field numbers up to 100: codeHeld adds higher ones.
func codeMessage(c *codec.Coder, m *transcript.Message, unknown *codec.Unknowns[iterationKey]) {
	codec.Fixed64(c, 1, &m.Key)
	codec.String(c, 2, &m.Model)
	codec.String(c, 3, &m.StopReason)
	usage := usageFields(&m.Usage)
	codeNumbers(c, 4, usage[:])
	key := iterationKey{message: m.Key}
	codec.Slice(c, 12, &m.Iterations, func(c *codec.Coder, i *transcript.Iteration) {
		unknown.Carry(c, key)
		codec.String(c, 1, &i.Model)
		usage := usageFields(&i.Usage)
		codeNumbers(c, 2, usage[:])
		codec.String(c, 10, &i.Kind)
		codec.Bool(c, 11, &i.Fast)
		codec.Bool(c, 12, &i.US)
		unknown.Rest(c, key)
		key.index++
	})
	codec.Bool(c, 13, &m.Fast)
	codec.Bool(c, 14, &m.US)
	codec.Bool(c, 15, &m.ModelChanged)
	codeCircumstances(c, &m.Circumstances)
}

// codeNumbers visits fields with consecutive numbers.
func codeNumbers(c *codec.Coder, first codec.Number, fields []*uint64) {
	for i, n := range fields {
		codec.Uint(c, first+codec.Number(i), n)
	}
}

func codeUse(c *codec.Coder, u *transcript.ToolUse) {
	codec.Fixed64(c, 1, &u.Key)
	codec.String(c, 2, &u.Name)
	codec.String(c, 3, &u.MCPServer)
	codec.String(c, 4, &u.Skill)
	codec.Fixed64(c, 7, &u.File)
	codec.String(c, 8, &u.FileOperation)
}

// codeResult uses field numbers up to 100: codeOrphan adds higher ones.
func codeResult(c *codec.Coder, r *transcript.ToolResult) {
	codec.Fixed64(c, 1, &r.Key)
	codec.Bool(c, 2, &r.Error)
	codec.String(c, 3, &r.Reason)
	codec.Uint(c, 4, &r.Bytes)
	codec.Uint(c, 5, &r.Added)
	codec.Uint(c, 6, &r.Removed)
	codec.String(c, 10, &r.Background)
}

// codeUnknownItems omits the names of the items.
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
	fields := reportedFields(r)
	codeNumbers(c, 3, fields[:])
}
