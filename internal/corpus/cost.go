package corpus

import (
	"cmp"
	"slices"
	"strings"
)

// costStateSince is the first version that writes cost-state lines.
var costStateSince = v(2, 1, 261)

// A cost is what a session used of a model.
type cost struct {
	model string
	usage usage
}

// spend adds what a message used to what the session reports, or subtracts it if sign
// is -1.
func (s *session) spend(model string, u *usage, sign int) {
	for _, it := range u.iterations {
		if it.counted() {
			s.spend(cmp.Or(it.model, model), &usage{tokens: it.tokens}, sign)
		}
	}
	if s.longContext && strings.HasPrefix(model, "claude-") {
		model += "[1m]"
	}
	i := slices.IndexFunc(s.spent, func(c cost) bool { return c.model == model })
	if i < 0 {
		i = len(s.spent)
		s.spent = append(s.spent, cost{model: model})
	}
	sum := &s.spent[i].usage
	sum.add(u.tokens, sign)
	sum.thinking += sign * u.thinking
	sum.searches += sign * u.searches
}

// A reportedField is a field of a model in a cost-state line.
type reportedField struct {
	name  string
	value float64
}

// fields returns the fields of a model; some have one that is not a total.
func (s *session) fields(c *cost) []reportedField {
	u := &c.usage
	all := []reportedField{
		{"inputTokens", float64(u.input)},
		{"outputTokens", float64(u.output)},
		{"thinkingTokens", float64(u.thinking)},
		{"cacheReadInputTokens", float64(u.read)},
		{"cacheCreationInputTokens", float64(u.written)},
		{"webSearchRequests", float64(u.searches)},
		{"costUSD", float64(u.input)*5e-6 + float64(u.output)*25e-6 + float64(u.read)*.5e-6 + float64(u.written)*6.25e-6},
	}
	if s.longContext {
		all = append(all, reportedField{"contextWindow", 1_000_000})
	}
	return all
}

// reportCosts writes the running totals of a session that has them. They include calls
// that no transcript contains.
func (s *session) reportCosts() {
	if s.reports {
		hidden := usage{tokens: tokens{input: s.between(100, 4000), output: s.between(5, 200)}}
		s.spend("claude-haiku-4-5-20251001", &hidden, 1)
		s.costState(s.spent)
	}
}

// costState writes a line with totals, and counts those that are higher than before.
func (s *session) costState(spent []cost) {
	s.costStateLine(func() {
		s.raw(`{`)
		for i := range spent {
			s.comma(i)
			s.quote(spent[i].model).raw(`:{`)
			for j, field := range s.fields(&spent[i]) {
				s.comma(j)
				s.quote(field.name).raw(`:`).float(field.value)
				s.expected.reported(s.sessionID, spent[i].model, field)
			}
			s.raw(`}`)
		}
		s.raw(`}`)
	})
	s.expected.reportedSession(s.sessionID)
}

// costStateLine writes a cost-state line with the given usage by model.
func (s *session) costStateLine(models func()) {
	s.note("cost-state", func() {
		s.named("cost-state", "")()
		models()
	})
}

// resume ends the session and continues later.
func (s *session) resume() {
	s.reportCosts()
	s.pass(s.between(60_000, 3_600_000))
}

// restart continues with a process whose totals begin at zero.
func (s *session) restart() {
	s.resume()
	if s.reports {
		s.costState([]cost{{s.spent[0].model, usage{tokens: tokens{input: 1, output: 1}}}})
	}
}

// misreport writes cost-state lines with missing and invalid values.
func (s *session) misreport() {
	if !s.reports {
		return
	}
	s.reportCosts()
	for _, models := range []string{`null`, `"none"`, `[]`, `7`,
		`{"claude-odd":7,"claude-even":{"inputTokens":"12","outputTokens":null,"thinkingTokens":true,` +
			`"cacheReadInputTokens":-5,"cacheCreationInputTokens":{"a":1},"webSearchRequests":2.75,"costUSD":0.0000000123}}`} {
		s.costStateLine(func() { s.raw(models) })
	}
	s.expected.reported(s.sessionID, "claude-even", reportedField{"webSearchRequests", 2.75})
	s.expected.reported(s.sessionID, "claude-even", reportedField{"costUSD", 0.0000000123})
	for _, owner := range []string{``, `"sessionId":7,`} {
		s.note("cost-state", func() { s.raw(owner).raw(`"modelUsage":{"claude-even":{"inputTokens":9}}`) })
	}
}
