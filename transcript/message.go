package transcript

import (
	"bytes"
	"cmp"
	"slices"
)

// message reads the usage of an assistant's message. Messages of the model
// "<synthetic>" are written by Claude Code itself and cost nothing.
func (p *Parser) message(e *Entry, to *Buffer) {
	r := &p.raw.message
	if !r.usage.there || r.model.is("<synthetic>") {
		return
	}
	m := keep(&to.messages, Message{
		Model:      cmp.Or(p.label(r.model), "unknown"),
		StopReason: p.stopReason(r.stop),
	})
	if id := p.text(r.id); len(id) > 0 {
		m.Key = keyOfBytes("message", id)
	}
	p.unknownUsage(e, &r.usage)
	m.Usage = r.usage.counts(e)
	m.Iterations = p.iterations(e, m.Model, to)
	p.unknownIterations(e, r.usage.iterations)
	if m.IsFinal() && !slices.Contains(stopReasons, m.StopReason) {
		e.unknown(unknownStopReason, m.StopReason)
	}
	e.Message = m
}

// stopReason is empty exactly if the record does not say that the response ended.
func (p *Parser) stopReason(v rawValue) string {
	if !v.truthy() {
		return ""
	}
	return cmp.Or(p.label(v), "other")
}

// counts reads the counts of one record, and notes those that are larger than any
// count can be.
func (u *rawUsage) counts(e *Entry) Usage {
	count := func(v rawValue, key string) uint64 {
		n, ok := v.count()
		if !ok {
			e.unknown(unknownUsageKey, key)
		}
		return n
	}
	written5m, written1h := count(u.lifetimes[0], "cache_creation.ephemeral_5m_input_tokens"), count(u.lifetimes[1], "cache_creation.ephemeral_1h_input_tokens")
	// Gateways state only the sum; some releases of Claude Code only the parts.
	written := cmp.Or(count(u.written, "cache_creation_input_tokens"), written5m+written1h)
	written1h = min(written1h, written)
	return Usage{
		Input:        count(u.input, "input_tokens"),
		Output:       count(u.output, "output_tokens"),
		CacheRead:    count(u.cached, "cache_read_input_tokens"),
		CacheWrite5m: written - written1h,
		CacheWrite1h: written1h,
		Thinking:     count(u.details[0], "output_tokens_details.thinking_tokens"),
		WebSearches:  count(u.tools[0], "server_tool_use.web_search_requests"),
		WebFetches:   count(u.tools[1], "server_tool_use.web_fetch_requests"),
	}
}

// apart are the types of iterations whose tokens are not in the top level.
var apart = [...]IterationKind{AdvisorIteration, CompactionIteration}

// iterations reads those iterations of a response that its own counts do not include.
func (p *Parser) iterations(e *Entry, model string, to *Buffer) []Iteration {
	all := p.raw.message.usage.iterations
	if !mentionsIteration(all) {
		return nil
	}
	before := len(to.iterations)
	for one := range all.elements() {
		var f [2]rawValue
		one.pick([]string{"type", "model"}, f[:])
		kind := iterationKind(f[0])
		if kind == "" {
			continue
		}
		if len(to.iterations)-before == maxBlocks {
			break
		}
		var w cursor
		var u rawUsage
		w.begin(one)
		u.read(&w)
		// Its other keys are an iteration's own.
		keep(&to.iterations, Iteration{Kind: kind, Model: cmp.Or(p.label(f[1]), model), Usage: u.counts(e)})
	}
	return since(to.iterations, before)
}

// mentionsIteration reports whether an array of iterations may hold one that counts
// by itself. Nearly none does, and a search is the cheapest way to find out.
func mentionsIteration(v rawValue) bool {
	for _, kind := range apart {
		if bytes.Contains(v, []byte(kind)) {
			return true
		}
	}
	return bytes.IndexByte(v, '\\') >= 0
}

// iterationKind returns the kind of an iteration, "" if the top level includes it.
func iterationKind(typ rawValue) IterationKind {
	for _, kind := range apart {
		if typ.is(string(kind)) {
			return kind
		}
	}
	return ""
}
