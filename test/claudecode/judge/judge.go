// Package judge compares the answers of the API with the counters of ccwatchd. Every
// answer is on a line, or the table of reasons says why not; every answer on a line is
// counted.
package judge

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ccwatchd/ccwatchd/test/claudecode/api"
	"github.com/ccwatchd/ccwatchd/test/claudecode/scenario"
	"github.com/ccwatchd/ccwatchd/test/claudecode/version"
	"github.com/ccwatchd/ccwatchd/test/exposition"
)

// A Case is a run that ended.
type Case struct {
	Scenario scenario.Scenario
	Version  version.Version
	Served   []api.Served
	Lines    []Line
	Counted  exposition.Samples // by "ccwatchd once"
	Log      string             // of ccwatchd
}

// A Verdict is the result of a comparison.
type Verdict struct {
	ServedTokens  api.Tokens     // as the API stated them
	CountedTokens api.Tokens     // by ccwatchd
	Reasons       map[string]int // answers by the reason why they are not counted in full
	Problems      []string
}

// Compare compares a case.
func Compare(c Case) Verdict {
	v := Verdict{ServedTokens: api.Tokens{}, CountedTokens: api.Tokens{}, Reasons: make(map[string]int)}
	stated := v.answers(c)
	v.reasons(c)
	for _, s := range c.Counted {
		if s.Name() == "claude_tokens_total" {
			v.CountedTokens.Add(api.Tokens{string(s.Labels["type"]): int(s.Value)})
		}
	}
	for _, name := range api.Types {
		v.equal(name+" tokens", stated.tokens[name], v.CountedTokens[name])
	}
	v.equal("requests", stated.requests, sum(c.Counted, "claude_requests_total"))
	v.equal("tool calls", stated.tools, sum(c.Counted, "claude_tool_calls_total"))
	if c.Version.Compare(searchCounted) >= 0 {
		v.equal("web searches", stated.searches, sum(c.Counted, "claude_server_tool_requests_total"))
	}
	v.format(c)
	return v
}

// searchCounted is the first version that states how often WebSearch searched.
var searchCounted = version.MustParse("2.1.143")

func (v *Verdict) problem(format string, args ...any) {
	v.Problems = append(v.Problems, fmt.Sprintf(format, args...))
}

func (v *Verdict) equal(what string, stated, counted int) {
	if stated != counted {
		v.problem("%s: the lines state %d, counted are %d", what, stated, counted)
	}
}

func sum(all exposition.Samples, name string) int {
	n, _ := all.Sum(name)
	return int(n)
}

// stated is the usage on the lines, which has to be counted.
type stated struct {
	tokens                    api.Tokens
	requests, tools, searches int
}

// answers compares each answer with its lines.
func (v *Verdict) answers(c Case) stated {
	all := stated{tokens: api.Tokens{}}
	find := finder(c.Served, statements(c.Lines))
	for _, s := range c.Served {
		if !s.IsAnswer() {
			continue
		}
		sent := s.Start
		if s.Complete {
			sent = s.Usage
		}
		v.ServedTokens.Add(sent)
		all.searches += s.Searches
		lines := find(s)
		if len(lines) == 0 {
			v.because(c, s, "no line states it", func() (Reason, bool) { return untold(c.Version, s) })
			continue
		}
		all.requests++
		all.tools += len(s.Tools)
		hasTokens := func(t api.Tokens) func(statement) bool {
			return func(line statement) bool { return maps.Equal(line.tokens, t) }
		}
		switch {
		case slices.ContainsFunc(lines, hasTokens(sent)):
			all.tokens.Add(sent)
		case slices.ContainsFunc(lines, hasTokens(s.Start)):
			all.tokens.Add(s.Start)
			v.because(c, s, "lines state what message_start did", func() (Reason, bool) { return lower(c.Version, lines[0].sidechain) })
		default:
			v.problem("answer %s: lines state %v", describe(s), lines[0].tokens)
		}
	}
	return all
}

// because counts the reason of an answer. It must be in the table, and listed in the
// scenario unless all scenarios of the version have it.
func (v *Verdict) because(c Case, s api.Served, what string, reason func() (Reason, bool)) {
	r, found := reason()
	switch {
	case !found:
		v.problem("answer %s: %s", describe(s), what)
	case !r.Everywhere && !c.Scenario.Expects(r.Name):
		v.problem("answer %s: %s, and the scenario does not list %q", describe(s), what, r.Name)
	default:
		v.Reasons[r.Name]++
	}
}

func describe(s api.Served) string {
	return fmt.Sprintf("%d of %s (%s, %v)", s.Index+1, s.Script, s.Kind, s.Usage)
}

// reasons checks that the reasons of a scenario occurred.
func (v *Verdict) reasons(c Case) {
	for _, name := range c.Scenario.Reasons {
		_, applies := lookup(c.Version, func(r Reason) bool { return r.Name == name })
		if applies && v.Reasons[name] == 0 {
			v.problem("%q did not occur", name)
		}
	}
}

// finder returns a function that returns the lines of an answer: lines with its request
// id, or else its message id, or else its numbers.
func finder(served []api.Served, lines []statement) func(api.Served) []statement {
	ids, requests := map[string]int{}, map[string]bool{}
	for _, s := range served {
		if s.IsAnswer() {
			ids[s.ID]++
		}
	}
	for _, l := range lines {
		requests[l.requestID] = true
	}
	return func(s api.Served) (found []statement) {
		for _, l := range lines {
			same := maps.Equal(l.tokens, s.Usage) || maps.Equal(l.tokens, s.Start)
			switch {
			case requests[s.RequestID]:
				same = l.requestID == s.RequestID
			case ids[s.ID] == 1 && s.ID != "":
				same = l.id == s.ID
			}
			if same {
				found = append(found, l)
			}
		}
		return found
	}
}

// normal are the kinds of ccwatchd_unknown_format_total that raise no alert.
var normal = []string{"metadata_type", "subtype"}

// format checks that ccwatchd knew everything that it read.
func (v *Verdict) format(c Case) {
	for _, s := range c.Counted {
		switch kind := string(s.Labels["kind"]); {
		case s.Value == 0:
		case s.Labels["project"] == "unknown":
			v.problem("%s", s.Series())
		case s.Name() == "ccwatchd_unknown_format_total" && !slices.Contains(normal, kind):
			v.problem("unknown %s", kind)
		case s.Name() == "ccwatchd_line_errors_total":
			v.problem("%s", s.Series())
		}
	}
	for line := range strings.Lines(c.Log) {
		if strings.Contains(line, "level=WARN") || strings.Contains(line, "level=ERROR") {
			_, message, _ := strings.Cut(strings.TrimSpace(line), "level=")
			v.problem("logged: %s", message)
		}
	}
}
