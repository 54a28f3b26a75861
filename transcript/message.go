package transcript

import (
	"cmp"
	"slices"
)

// message reads the usage of an assistant's message. Messages of the model
// "<synthetic>" are written by Claude Code itself and cost nothing.
func (p *Parser) message(e *Entry, to *Page) {
	r := &p.record.message
	model := p.name(r.model)
	if !r.usage.there || model == "<synthetic>" {
		return
	}
	m := keep(&to.messages, Message{
		Model:      cmp.Or(Clean(model), "unknown"),
		StopReason: p.stopReason(r.stop),
	})
	if id := p.text(r.id); len(id) > 0 {
		m.Key = keyOfBytes("message", id)
	}
	var others bool
	if m.Usage, others = r.usage.counts(e); others || r.usage.unknown {
		e.unknown(unknownUsageKey)
	}
	m.Advisors = p.advisors(e, m.Model, to)
	if m.Final() && !slices.Contains(stopReasons, m.StopReason) {
		e.unknown(unknownStopReason)
	}
	e.Message = m
}

// stopReason is empty exactly if the record does not say that the response ended.
func (p *Parser) stopReason(v raw) string {
	if !v.truthy() {
		return ""
	}
	return cmp.Or(Clean(p.name(v)), "other")
}

// counts reads the counts of one record, and notes those that are larger than any
// count can be. others reports whether the objects among them have other keys,
// which may hold something to be counted.
func (u *usage) counts(e *Entry) (counts Usage, others bool) {
	var lifetimes, tools [2]raw
	var details [1]raw
	others = u.lifetimes.pick([]string{"ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"}, lifetimes[:])
	others = u.details.pick([]string{"thinking_tokens"}, details[:]) || others
	others = u.tools.pick([]string{"web_search_requests", "web_fetch_requests"}, tools[:]) || others
	count := func(v raw) uint64 {
		n, ok := v.count()
		if !ok {
			e.unknown(unknownUsageKey)
		}
		return n
	}
	written5m, written1h := count(lifetimes[0]), count(lifetimes[1])
	// Gateways state only the sum; some releases of Claude Code only the parts.
	written := cmp.Or(count(u.written), written5m+written1h)
	written1h = min(written1h, written)
	return Usage{
		Input:        count(u.input),
		Output:       count(u.output),
		CacheRead:    count(u.cached),
		CacheWrite5m: written - written1h,
		CacheWrite1h: written1h,
		Thinking:     count(details[0]),
		WebSearches:  count(tools[0]),
		WebFetches:   count(tools[1]),
	}, others
}

// advisors reads the requests to other models that were made for one response.
// The other iterations are in the response's own counts already.
func (p *Parser) advisors(e *Entry, model string, to *Page) []Advisor {
	before := len(to.advisors)
	for one := range p.record.message.usage.iterations.elements() {
		var f [2]raw
		one.pick([]string{"type", "model"}, f[:])
		if !f[0].is("advisor_message") {
			continue
		}
		var w walk
		var u usage
		w.begin(one)
		u.read(&w)
		counts, _ := u.counts(e) // an iteration has keys of its own
		keep(&to.advisors, Advisor{Model: cmp.Or(Clean(p.name(f[1])), model), Usage: counts})
	}
	return since(to.advisors, before)
}
