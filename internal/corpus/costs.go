package corpus

import (
	"cmp"
	"math"
	"strconv"
	"strings"
)

// costStateSince is the first version that is taken to write cost-state lines.
var costStateSince = v(2, 1, 261)

// A modelSpent is what a session used of a model.
type modelSpent struct {
	model string
	usage usage
}

// A reportKey names a value of which only the highest counts.
type reportKey struct{ session, model, field string }

// spend adds what a message used to what the session reports, or with sign -1
// takes it away.
func (s *session) spend(model string, u *usage, sign int) {
	for _, it := range u.iterations {
		if it.kind == "advisor_message" || it.kind == "compaction" {
			s.spend(cmp.Or(it.model, model), &usage{input: it.input, output: it.output, read: it.read, written: it.written}, sign)
		}
	}
	if s.long && strings.HasPrefix(model, "claude-") {
		model += "[1m]"
	}
	for i := range s.spent {
		if s.spent[i].model == model {
			s.spent[i].usage.addCounts(u, sign)
			return
		}
	}
	s.spent = append(s.spent, modelSpent{model: model})
	s.spent[len(s.spent)-1].usage.addCounts(u, sign)
}

// addCounts adds the tokens of another usage so many times.
func (u *usage) addCounts(o *usage, times int) {
	u.input += times * o.input
	u.output += times * o.output
	u.read += times * o.read
	u.written += times * (o.written5m + o.written1h + o.written)
	u.thinking += times * o.thinking
	u.searches += times * o.searches
}

// A reportedField is a field of a model in a cost-state line.
type reportedField struct {
	name  string
	value float64
}

// fields are what a cost-state line says of a model.
func (m *modelSpent) fields() []reportedField {
	u := &m.usage
	cost := float64(u.input)*5e-6 + float64(u.output)*25e-6 + float64(u.read)*.5e-6 + float64(u.written)*6.25e-6
	return []reportedField{
		{"inputTokens", float64(u.input)},
		{"outputTokens", float64(u.output)},
		{"thinkingTokens", float64(u.thinking)},
		{"cacheReadInputTokens", float64(u.read)},
		{"cacheCreationInputTokens", float64(u.written)},
		{"webSearchRequests", float64(u.searches)},
		{"costUSD", cost},
	}
}

// reportCosts writes the running totals of the session, which include calls that
// no transcript contains. A session that does not report has none.
func (s *session) reportCosts() {
	if !s.reports {
		return
	}
	s.spend("claude-haiku-4-5-20251001", &usage{input: s.between(100, 4000), output: s.between(5, 200)}, 1)
	s.costState(s.spent)
}

// costState writes a line with totals and enters those that are higher than before.
func (s *session) costState(spent []modelSpent) {
	s.costStateWith(func() {
		s.raw(`{`)
		for i := range spent {
			if i > 0 {
				s.raw(`,`)
			}
			s.quote(spent[i].model).raw(`:{`)
			for j, field := range s.fieldsOf(&spent[i]) {
				if j > 0 {
					s.raw(`,`)
				}
				s.quote(field.name).raw(`:`).float(field.value)
				s.books.reported(reportKey{s.sessionID, spent[i].model, field.name}, field.value)
			}
			s.raw(`}`)
		}
		s.raw(`}`)
	})
	s.books.reportedSession(s.sessionID)
}

// fieldsOf are the fields of a model; some have one that is no total.
func (s *session) fieldsOf(m *modelSpent) []reportedField {
	all := m.fields()
	if s.long {
		all = append(all, reportedField{"contextWindow", 1_000_000})
	}
	return all
}

// costStateWith writes a cost-state line; use writes the usage by model.
func (s *session) costStateWith(use func()) {
	s.note("cost-state", func() {
		s.owner().raw(`,"totalCostUSD":`).float(float64(s.between(1, 9_000_000)) * 1e-7)
		s.raw(`,"totalAPIDuration":`).num(s.between(1000, 900_000)).raw(`,"totalAPIDurationWithoutRetries":`).num(s.between(1000, 900_000))
		s.raw(`,"totalToolDuration":`).num(s.between(0, 900_000)).raw(`,"totalLinesAdded":`).num(s.IntN(900)).raw(`,"totalLinesRemoved":`).num(s.IntN(400))
		s.raw(`,"totalDuration":`).num(s.between(1000, 9_000_000)).raw(`,"startTime":`).num(int(s.out.tempo.at(s.now))).raw(`,"hasUnknownModelCost":false`)
		s.raw(`,"modelUsage":`)
		use()
	})
}

// quit ends the session, which then reports its cost.
func (s *session) quit() { s.reportCosts() }

// resume ends the session and goes on with it later.
func (s *session) resume() {
	s.quit()
	s.pass(s.between(60_000, 3_600_000))
}

// restart ends the session and goes on with a process that begins its totals again.
func (s *session) restart() {
	s.resume()
	if s.reports {
		s.costState([]modelSpent{{model: s.spent[0].model, usage: usage{input: 1, output: 1}}})
	}
}

// misreport writes cost-state lines that hold less than they should.
func (s *session) misreport() {
	if !s.reports {
		return
	}
	s.reportCosts()
	for _, use := range []string{`null`, `"none"`, `[]`, `7`} {
		s.costStateWith(func() { s.raw(use) })
	}
	s.costStateWith(func() {
		s.raw(`{"claude-odd":7,"claude-even":{"inputTokens":"12","outputTokens":null,"thinkingTokens":true,"cacheReadInputTokens":-5,`)
		s.raw(`"cacheCreationInputTokens":{"a":1},"webSearchRequests":2.75,"costUSD":0.0000000123}}`)
	})
	s.books.reported(reportKey{s.sessionID, "claude-even", "webSearchRequests"}, 2.75)
	s.books.reported(reportKey{s.sessionID, "claude-even", "costUSD"}, 0.0000000123)
	s.note("cost-state", func() { s.raw(`,"modelUsage":{"claude-even":{"inputTokens":9}}`) })
	s.note("cost-state", func() { s.raw(`,"sessionId":7,"modelUsage":{"claude-even":{"inputTokens":9}}`) })
}

// float adds a number as JavaScript writes those that are neither tiny nor huge.
func (o *out) float(v float64) { o.b = strconv.AppendFloat(o.b, v, 'f', -1, 64) }

// reported enters a value of a cost-state line by what it adds to the highest so far.
// Costs are in 10^-9 dollars; what is left of a token is dropped.
func (b *books) reported(key reportKey, value float64) {
	n := int64(value)
	if key.field == "costUSD" {
		n = int64(math.RoundToEven(value * 1e9))
	}
	if more := n - b.highest[key]; more > 0 {
		b.highest[key] = n
		b.add("reported", "field="+key.field+",model="+key.model, int(more))
	}
}

// reportedSession enters a session with a cost-state line, once.
func (b *books) reportedSession(id string) {
	key := reportKey{session: id}
	if b.highest[key] == 0 {
		b.highest[key] = 1
		b.add("reported_sessions", "", 1)
	}
}

// reportedSeen enters the tokens of a message of a session that has cost-state lines,
// with those of iterations that the top level does not include.
func (b *books) reportedSeen(u *usage, sign int) {
	all := *u
	all.written += u.written5m + u.written1h
	for _, it := range u.iterations {
		if it.kind == "advisor_message" || it.kind == "compaction" {
			all.input += it.input
			all.output += it.output
			all.read += it.read
			all.written += it.written
		}
	}
	b.add("reported_seen_tokens", "type=input", sign*all.input)
	b.add("reported_seen_tokens", "type=output", sign*all.output)
	b.add("reported_seen_tokens", "type=thinking", sign*all.thinking)
	b.add("reported_seen_tokens", "type=cache_read", sign*all.read)
	b.add("reported_seen_tokens", "type=cache_write", sign*all.written)
}
