package usagetest

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

var (
	models = []string{"claude-opus-4-6", "claude-sonnet-4-6", "claude-haiku-4-5", "claude-opus-4-1", "claude-sonnet-4-5"}
	tools  = []string{"Bash", "Read", "Edit", "Grep", "Write", "Glob", "TodoWrite", "Task", "WebFetch", "WebSearch"}
)

// Ordinary returns a person with some months of usage, whose newest model has no
// price.
func Ordinary(until time.Time) Person {
	return Person{
		Days: 75, Until: until, Messages: 250, Tools: tools, Models: append([]string{}, models[0], models[1], models[2], "claude-next-1"),
		Projects: []string{"storefront", "billing-service", "mobile-app", "infra", "docs", "search"},
	}
}

// Heavy returns a person with a year of much usage: 1,000 messages a day, 20 projects,
// 5 models and 40 tools.
func Heavy(until time.Time) Person {
	p := Person{Days: 400, Until: until, Messages: 1_000, Models: models, Tools: slices.Clone(tools)}
	for _, name := range []string{"storefront", "billing-service", "mobile-app", "infra", "docs", "design-system", "search", "data-pipeline", "website", "cli"} {
		p.Projects = append(p.Projects, name, name+"-experiments")
	}
	for n := range 30 {
		p.Tools = append(p.Tools, fmt.Sprintf("mcp__tracker__operation_%d", n+1))
	}
	return p
}

// Hostile returns a person whose names are made to break a page.
func Hostile(until time.Time) Person {
	names := []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</title></svg><iframe src=//evil>`, `' onmouseover='alert(1)`,
		`javascript:alert(1)`, `&lt;b&gt;&amp;&#60;`, `{{.Status}} ${x} %s`, "a\u202egnp.exe\u2066b", "zero\u200bwidth\ufeff\u00ad\u2060", "z\u0301\u0302\u0303\u0304\u0305\u0306\u0307algo",
		strings.Repeat("W", 128), "a?b=c&range=all#d/../e%00%zz+", "日本語のプロジェクト", "مشروع", "🦀🏳️‍🌈", "", " ", "line\u2028break\u0085", "C:\\work\\<x>", "*/}</style><style>*{display:none}",
	}
	return Person{Days: 40, Until: until, Messages: 400, Projects: names, Models: names, Tools: names}
}
