package top

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ccwatchd/ccwatchd/usage/api"
)

// An order is a way to sort sessions.
type order struct {
	key     string // that selects it
	name    string
	compare func(a, b *api.Session) int
}

// orders are all orders; the first is the default. Numbers descend.
var orders = []order{
	{"a", "age", func(a, b *api.Session) int { return b.Last.Compare(a.Last) }},
	{"c", "cost", func(a, b *api.Session) int { return cmp.Compare(costOf(b), costOf(a)) }},
	{"t", "tokens", func(a, b *api.Session) int { return cmp.Compare(tokensOf(b), tokensOf(a)) }},
	{"x", "context", func(a, b *api.Session) int { return cmp.Compare(b.ContextTokens, a.ContextTokens) }},
	{"r", "requests", func(a, b *api.Session) int { return cmp.Compare(b.Requests, a.Requests) }},
	{"e", "errors", func(a, b *api.Session) int { return cmp.Compare(b.ToolErrors, a.ToolErrors) }},
	{"p", "project", func(a, b *api.Session) int { return strings.Compare(a.Project, b.Project) }},
}

// sorted returns the sessions in an order. Equal sessions stay sorted, newest first.
func (o *order) sorted(all []api.Session, reverse bool) []api.Session {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b api.Session) int {
		if reverse {
			return -o.compare(&a, &b)
		}
		return o.compare(&a, &b)
	})
	return all
}
