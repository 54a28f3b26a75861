package corpus

import (
	"slices"
	"strconv"
	"strings"
)

// costStateSince is the first version that writes cost-state lines.
var costStateSince = v(2, 1, 252)

// reported returns the percentage of the sessions of a version that have such lines:
// later nearly all that were not killed, of which some are in use.
func reported(n version) float64 {
	if n >= requestsSince {
		return 90
	}
	return 32
}

// A cost is what a session used of a model.
type cost struct {
	model string
	usage usage
}

// costFields are the fields of a model in a cost-state line: the first counts of a
// usage, the price, and one that is not a total.
var costFields = [...]string{
	"inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens", "thinkingTokens",
	"webSearchRequests", "costUSD", "contextWindow",
}

// report adds to what the session reports, or subtracts if sign is -1.
func (s *session) report(model string, u *usage, sign int) {
	if s.longContext && strings.HasPrefix(model, "claude-") {
		model += "[1m]"
	}
	i := slices.IndexFunc(s.spent, func(c cost) bool { return c.model == model })
	if i < 0 {
		i = len(s.spent)
		s.spent = append(s.spent, cost{model: model})
	}
	s.spent[i].usage.add(u, sign)
}

// reportCosts writes the running totals of a session that has them. They include calls
// that no transcript contains.
func (s *session) reportCosts() {
	if s.reports {
		s.report("claude-haiku-4-5-20251001", &usage{input: s.between(100, 4000), output: s.between(5, 200)}, 1)
		s.costState(s.spent)
	}
}

// costState writes a line with totals.
func (s *session) costState(spent []cost) {
	s.costStateLine(func() {
		s.raw(`{`)
		for i, c := range spent {
			s.comma(i)
			s.raw(`"`, c.model, `":{`)
			for j, value := range s.costValues(&c.usage) {
				s.comma(j)
				s.raw(`"`, costFields[j], `":`)
				s.b = strconv.AppendFloat(s.b, value, 'f', -1, 64)
			}
			if s.longContext {
				s.raw(`,"costBasis":"list"`)
			}
			s.raw(`}`)
		}
		s.raw(`}`)
	})
}

// costValues returns the values of the fields that the session has.
func (s *session) costValues(u *usage) []float64 {
	values := make([]float64, 0, len(costFields))
	for _, n := range u[:searches+1] {
		values = append(values, float64(n))
	}
	values = append(values, float64(u[input])*5e-6+float64(u[output])*25e-6+float64(u[read])*.5e-6+float64(u[written])*6.25e-6)
	if s.longContext {
		values = append(values, 1_000_000)
	}
	return values
}

// costStateLine writes a cost-state line with the given usage by model.
func (s *session) costStateLine(models func()) {
	s.note("cost-state", func() {
		s.named("cost-state", "")()
		models()
	})
}

// restart continues with a process whose totals begin at zero.
func (s *session) restart() {
	s.reportCosts()
	if s.reports {
		s.began = s.now
		s.costState([]cost{{s.spent[0].model, usage{input: 1, output: 1}}})
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
	for _, owner := range []string{``, `"sessionId":7,`} {
		s.note("cost-state", func() { s.raw(owner, `"modelUsage":{"claude-even":{"inputTokens":9}}`) })
	}
}
