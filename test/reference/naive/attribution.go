package naive

import (
	"cmp"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/test/reference/cost"
)

// docs/attribution.md: what messages and calls work for.

var attributedFamilies = []string{
	"claude_attributed_requests_total", "claude_attributed_tokens_total", "claude_attributed_cost_usd_total",
	"claude_skill_calls_total",
	"claude_subagent_requests_total", "claude_subagent_tokens_total", "claude_subagent_cost_usd_total",
	"claude_subagent_tool_calls_total",
}

// publicAgents and publicSkills are names that Claude Code itself gives.
var (
	publicAgents = []string{
		"general-purpose", "Explore", "Plan", "Bash", "fork", "statusline-setup", "output-style-setup", "claude-code-guide",
		"workflow-subagent",
	}
	publicSkills = []string{"code-review", "verify", "simplify", "security-review", "review", "init", "batch", "loop", "claude-api"}
)

// public returns a name, or custom if it may be private.
func public(name string, names []string) string {
	if name == "" || slices.Contains(names, name) {
		return name
	}
	return "custom"
}

// An attributedMessage is a message with its best record, and the labels of its first.
type attributedMessage struct {
	agentType, skill, plugin, mcpServer string
	best                                map[string]any
	at                                  time.Time
}

// countAttributed counts messages by the first line that has them.
func countAttributed(tree *Tree, to *Totals) {
	prices, err := cost.NewPrices()
	if err != nil {
		panic(err)
	}
	all, calls := make(map[string]*attributedMessage), make(map[string]bool)
	for _, f := range inReadingOrder(tree) {
		a := newAgentFile(f)
		for i, e := range f.Entries {
			if e.Text("type") != "assistant" {
				a.see(e)
				continue
			}
			where := f.Path + ":" + strconv.Itoa(i)
			a.attributeMessage(all, e, where, tree.Now)
			a.attributeCalls(calls, e, where, to)
		}
	}
	for _, m := range all {
		m.count(prices, to)
	}
}

func (a *agentFile) attributeMessage(all map[string]*attributedMessage, e Entry, where string, now float64) {
	message, _ := e.At("message").(map[string]any)
	if e.At("message", "usage") == nil || message["model"] == "<synthetic>" {
		return
	}
	if _, ok := message["usage"].(map[string]any); !ok {
		return
	}
	id := cmp.Or(e.Text("message", "id"), "uuid "+cmp.Or(e.Text("uuid"), where))
	at, ok := cost.ParseTime(e.Text("timestamp"))
	if end := time.UnixMilli(int64(now * 1000)); !ok || at.After(end) {
		at = end
	}
	m := all[id]
	if m == nil {
		m = &attributedMessage{
			skill:  public(e.Text("attributionSkill"), publicSkills),
			plugin: public(e.Text("attributionPlugin"), nil), mcpServer: e.Text("attributionMcpServer"),
		}
		if a.agent(e) == "subagent" {
			m.agentType = a.typeOf(e)
		}
		all[id] = m
	}
	switch rank := compareRecords(message, m.best); {
	case rank > 0:
		m.best, m.at = message, at
	case rank == 0:
		m.best = message
		if at.Before(m.at) {
			m.at = at
		}
	}
}

// compareRecords compares what decides between two records of a message.
func compareRecords(a, b map[string]any) int {
	if b == nil {
		return 1
	}
	final := func(m map[string]any) int {
		switch m["stop_reason"] {
		case nil, "", false:
			return 0
		}
		return 1
	}
	output := func(m map[string]any) float64 { return number(member(m, "usage", "output_tokens")) }
	return cmp.Or(cmp.Compare(final(a), final(b)), cmp.Compare(output(a), output(b)))
}

func (m *attributedMessage) count(prices *cost.Prices, to *Totals) {
	own := tokensOf(member(m.best, "usage"))
	rest := 0.0
	for _, it := range objects(member(m.best, "usage", "iterations")) {
		if kind := it.Text("type"); kind == "advisor_message" || kind == "compaction" {
			rest += tokensOf(map[string]any(it))
		}
	}
	ownCost, restCost := prices.Message(m.best, m.at)
	if m.agentType != "" {
		model, _ := m.best["model"].(string)
		labels := []string{"type", m.agentType, "model", cmp.Or(model, "unknown")}
		to.Add(1, "claude_subagent_requests_total", labels[:2]...)
		to.Add(own, "claude_subagent_tokens_total", labels...)
		to.Add(dollars(ownCost), "claude_subagent_cost_usd_total", labels...)
	}
	if m.skill+m.plugin+m.mcpServer != "" {
		labels := []string{"skill", m.skill, "plugin", m.plugin, "mcp_server", m.mcpServer}
		to.Add(1, "claude_attributed_requests_total", labels...)
		to.Add(own+rest, "claude_attributed_tokens_total", labels...)
		to.Add(dollars(ownCost.Add(ownCost, restCost)), "claude_attributed_cost_usd_total", labels...)
	}
}

func dollars(nano *big.Int) float64 {
	f, _ := new(big.Float).SetInt(nano).Float64()
	return f / 1e9
}

// tokensOf returns the tokens of a usage, of all types together.
func tokensOf(usage any) float64 {
	n := func(names ...string) float64 { return max(0, number(member(usage, names...))) }
	written := cmp.Or(n("cache_creation_input_tokens"),
		n("cache_creation", "ephemeral_5m_input_tokens")+n("cache_creation", "ephemeral_1h_input_tokens"))
	return n("input_tokens") + n("output_tokens") + n("cache_read_input_tokens") + written
}

// attributeCalls counts the tool calls that no earlier line has.
func (a *agentFile) attributeCalls(known map[string]bool, e Entry, where string, to *Totals) {
	for i, b := range e.Objects("message", "content") {
		if !slices.Contains([]string{"tool_use", "server_tool_use", "mcp_tool_use"}, b.Text("type")) {
			continue
		}
		id, ok := b.At("id").(string)
		if !ok {
			id = "call of " + cmp.Or(e.Text("uuid"), where) + strconv.Itoa(i)
		}
		if known[id] {
			continue
		}
		known[id] = true
		if a.agent(e) == "subagent" {
			to.Add(1, "claude_subagent_tool_calls_total", "type", a.typeOf(e))
		}
		if b.Text("name") == "Skill" {
			name := strings.TrimPrefix(cmp.Or(b.Text("input", "skill"), b.Text("input", "command")), "/")
			to.Add(1, "claude_skill_calls_total", "skill", cmp.Or(public(name, publicSkills), "custom"))
		}
	}
}
