package transcript

import (
	"cmp"
	"slices"
)

// message reads the usage of an assistant's message. Claude Code itself writes messages
// of the model "<synthetic>", which cost nothing.
func (p *Parser) message(e *Entry, to *Buffer) {
	r := &p.raw.message
	if !r.usage.present || r.model.is("<synthetic>") {
		return
	}
	m := push(&to.messages, Message{
		Model:      cmp.Or(p.label(r.model), "unknown"),
		StopReason: p.stopReason(r.stop),
	})
	r.usage.unknownKeys(e)
	m.Usage = r.usage.counts(e)
	m.Fast, m.US = r.usage.speed.is("fast"), r.usage.geo.is("us")
	m.RequestAttributes = p.requestAttributes()
	m.MissReason = p.raw.missReason()
	m.Incomplete = m.IsFinal() && r.stopDetails == nil && len(p.blocks) <= 1 && isFrom(m.Version, stopDetailsVersion)
	m.Iterations = p.iterations(e, m, to)
	if m.IsFinal() && !slices.Contains(stopReasons, m.StopReason) {
		e.unknown(unknownStopReason, m.StopReason)
	}
	e.Message = m
}

// stopDetailsVersion is the first version of Claude Code that writes stop_details,
// possibly null, on each line with a stop reason, unless the stream of the response
// broke off. Then the stop reason is invented, and the output is from the start of the
// stream. A response that was not streamed may lack stop_details, too; it is written as
// one line with all of its content blocks.
const stopDetailsVersion = "2.1.260"

// stopReason returns the cleaned stop reason. It is empty only while the response
// streams.
func (p *Parser) stopReason(v rawValue) string {
	if !v.truthy() {
		return ""
	}
	return cmp.Or(p.label(v), "other")
}

// counts decodes the counts, and records the keys of numbers above maxCount as unknown.
func (u *rawUsage) counts(e *Entry) Usage {
	count := func(v rawValue, key string) uint64 {
		n, ok := v.count()
		if !ok {
			e.unknown(unknownUsageKey, key)
		}
		return n
	}
	written5m := count(u.lifetimes[0], "cache_creation.ephemeral_5m_input_tokens")
	written1h := count(u.lifetimes[1], "cache_creation.ephemeral_1h_input_tokens")
	// Gateways write only the total, some releases of Claude Code only the parts.
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

// iterations reads the iterations of a response that its own usage does not include,
// and records unknown types. An iteration without a type is an included message.
func (p *Parser) iterations(e *Entry, m *Message, to *Buffer) []Iteration {
	if !p.raw.message.usage.otherIterations {
		return nil // the usual case
	}
	before := len(to.iterations)
	for iteration := range p.raw.message.usage.iterations.elements() {
		typ := iteration.member("type")
		kind := p.name(typ)
		switch {
		case slices.Contains(separateIterations, IterationKind(kind)):
			if !p.left.part() {
				continue
			}
			c := newCursor(iteration)
			var u rawUsage
			u.read(&c) // its unknown keys are specific to iterations
			push(&to.iterations, Iteration{
				Kind: IterationKind(kind), Model: cmp.Or(p.label(iteration.member("model")), m.Model),
				Fast: u.speed.isOr("fast", m.Fast), US: u.geo.isOr("us", m.US), Usage: u.counts(e),
			})
		case !typ.isNull() && !slices.Contains(includedIterations, kind):
			e.unknown(unknownIteration, kind)
		}
	}
	return tail(to.iterations, before)
}
