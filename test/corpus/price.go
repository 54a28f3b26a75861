package corpus

import (
	"cmp"
	"hash/crc32"
	"strings"

	"github.com/ccwatchd/ccwatchd/pricing"
)

// fastSince is the first version that writes messages in fast mode.
var fastSince = v(2, 1, 240)

// drawSpeed sets the speed of a message, and where it was processed. They follow from
// its id: 1 in 40 messages of Opus is fast, 1 in 50 messages is from the US.
func (m *message) drawSpeed(since version) {
	if since < fastSince || !strings.HasPrefix(m.model, "claude-") {
		return
	}
	n := crc32.ChecksumIEEE([]byte(m.id))
	m.fast, m.us = n%40 == 0 && strings.HasPrefix(m.model, "claude-opus-"), n%50 == 0
}

// speed returns the speed as it is written.
func (m *message) speed() string {
	if m.fast {
		return "fast"
	}
	return "standard"
}

// place returns where the message was processed, as it is written.
func (m *message) place() string {
	if m.us {
		return "us"
	}
	return "not_available"
}

// hurry has fast responses, in the US and elsewhere, and one that asks an advisor.
func (s *session) hurry() {
	for _, us := range []bool{false, true} {
		s.say(s.response("end_turn", func(m *message) {
			m.model, m.fast, m.us, m.iterations = "claude-opus-5", true, us, []iteration{s.advice()}
		}), true, s.named("text", ""))
	}
}

// switchToUnpriced has a response of a model that has no list price.
func (s *session) switchToUnpriced() {
	s.say(s.response("end_turn", func(m *message) {
		m.model, m.fast, m.us = "glm-5.1", false, false
	}), true, s.named("text", ""))
}

// cost counts what a message and its iterations cost, or takes it back if sign is -1.
// The amounts are those of package pricing; which messages count how often is not.
func (e *Expected) cost(m *message, sign int) {
	e.addCost(m, m.model, &m.usage, sign)
	for _, it := range m.iterations {
		if it.counted() {
			e.addCost(m, cmp.Or(it.model, m.model), &it.usage, sign)
		}
	}
}

func (e *Expected) addCost(m *message, model string, u *usage, sign int) {
	price := e.prices.Price(pricing.Request{Model: model, Time: m.at, Fast: m.fast, US: m.us})
	labels := "model=" + model
	if price.Unknown {
		e.add("unpriced_tokens", labels, sign*(u[input]+u[output]+u[read]+u[written]))
		return
	}
	n := func(i int) uint64 { return uint64(u[i]) } //nolint:gosec // positive
	c := price.Cost(pricing.Usage{
		Input: n(input), Output: n(output), CacheRead: n(read), CacheWrite5m: n(written) - n(written1h), CacheWrite1h: n(written1h),
		WebSearches: n(searches),
	})
	for component, amount := range map[string]uint64{
		"input": c.Input, "output": c.Output, "cache_read": c.CacheRead, "web_search": c.WebSearch,
		"cache_write_5m": c.CacheWrite5m, "cache_write_1h": c.CacheWrite1h,
	} {
		e.add("cost", "component="+component+","+labels, sign*int(amount)) //nolint:gosec // far below the limit
	}
	e.add("cache_savings", labels, sign*int(c.CacheSavings))            //nolint:gosec // likewise
	e.add("cache_write_premium", labels, sign*int(c.CacheWritePremium)) //nolint:gosec // likewise
}
