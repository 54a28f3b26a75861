package daemon

import (
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A contextReader collects what changes the context of a main conversation, besides its
// requests: results of tools, and compactions. Each counts once, also in copies of the
// transcript.
type contextReader struct {
	tools       map[transcript.Key]string // of calls without a result so far
	seen        map[transcript.Key]bool   // results
	compacted   map[int64]bool            // times of compactions
	results     []ledger.SessionResult
	compactions []ledger.SessionCompaction
}

func newContextReader() contextReader {
	return contextReader{tools: make(map[transcript.Key]string), seen: make(map[transcript.Key]bool), compacted: make(map[int64]bool)}
}

// add adds an entry of the main conversation.
func (r *contextReader) add(e *transcript.Entry) {
	for i := range e.Uses {
		r.tools[e.Uses[i].Key] = e.Uses[i].Name
	}
	for i := range e.Results {
		key := e.Results[i].Key
		tool, called := r.tools[key]
		if delete(r.tools, key); called && !r.seen[key] {
			r.seen[key] = e.Results[i].ID.IsZero() // a short id may be used again
			r.results = append(r.results, ledger.SessionResult{When: e.Time, Tool: tool, Bytes: e.Results[i].Bytes})
		}
	}
	if c := e.Compaction; c != nil && !r.compacted[e.Time] {
		r.compacted[e.Time] = true
		r.compactions = append(r.compactions, ledger.SessionCompaction{When: e.Time, Trigger: c.Trigger, Before: c.PreTokens, After: c.PostTokens})
	}
}
