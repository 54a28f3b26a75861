package ledger

import (
	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// searches counts the web searches that results of the tool WebSearch state. Claude
// Code makes a request of its own for each call, and no line states its usage. So
// searches count like an iteration of the message that called the tool, at its model
// and labels.
type searches struct {
	messages *messages
	calls    *table.Table[hash64, searchCall] // of WebSearch, without a result so far
}

const (
	webSearchTool = "WebSearch"
	unknownModel  = "unknown"
)

func newSearches(c *core, m *messages) *searches {
	return &searches{m, owned(c, tableSearchCalls, codeSearchCall, func(s searchCall) FileID { return s.file })}
}

// A searchCall is the message of a call, as its line states it.
type searchCall struct {
	file   FileID
	labels uint32 // id in core.labelSets; without the model
	model  string
}

// addCall records a call, if it is one of WebSearch.
func (p *searches) addCall(l *line, key hash64, name string, m *transcript.Message) {
	if name != webSearchTool {
		return
	}
	call := searchCall{file: l.id, model: unknownModel}
	labels := l.labels()
	if m != nil {
		call.model, labels.entrypoint = m.Model, attributesOf(l.file, m).entrypoint
	}
	call.labels = p.messages.labelSets.ID(p.messages.limitAttributions(labels, l.when))
	p.calls.Put(key, call)
}

// answer counts the searches in the result of a call, at the time when.
func (p *searches) answer(key hash64, at event, n uint64) {
	call, ok := p.calls.Get(key)
	if !ok {
		return
	}
	p.calls.Delete(key)
	if n == 0 {
		return
	}
	labels, u := p.messages.labelSets.Value(call.labels), transcript.Usage{WebSearches: n}
	labels.model = p.messages.bounded(p.messages.labels.model, labels.source, call.model, at.when)
	at.priced = at.when
	id := keyOf(key)
	p.messages.countNew(&at, hashOf(transcript.KeyOf("searches", string(id[:]))), countedMessage{counts: countsOf(u), final: true}, &u, labels, pricing.Request{Model: call.model})
}

// isValid reports whether the rows fit the labels.
func (p *searches) isValid() bool {
	for _, s := range p.calls.All() {
		if int(s.labels) >= p.messages.labelSets.Len() {
			return false
		}
	}
	return true
}

func codeSearchCall(c *table.Coder, s *searchCall) {
	table.Uint(c, 1, &s.file)
	table.Uint(c, 2, &s.labels)
	table.String(c, 3, &s.model)
}
