package top

import (
	"fmt"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/internal/terminal"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/usage"
	"github.com/ccwatchd/ccwatchd/usage/api"
)

// A row is a session that is shown at some time.
type row struct {
	*api.Session
	now time.Time
}

// A column shows one property of sessions.
type column struct {
	title string
	order string // the name of the order that sorts by it
	// The column needs the width min and can use the width max. If max is 0, the column is
	// as wide as its widest number.
	min, max int
	// On a narrow screen, columns with the largest rank are left out first.
	rank int
	text func(r *row) string
	look func(r *row) look // nil for plain
}

const none = "–"

// columns are all columns from left to right.
var columns = []column{
	{title: " ", min: 1, max: 1, text: (*row).state, look: func(*row) look { return good }},
	{title: "SESSION", min: idWidth, max: idWidth, rank: 6, text: (*row).id},
	{title: "PROJECT", order: "project", min: 10, max: 32, rank: 1, text: func(r *row) string { return terminal.Printable(r.Project) }},
	{title: "MODEL", min: 8, max: 20, rank: 5, text: (*row).model},
	{title: "CTX", order: "context", min: 5, rank: 3, text: func(r *row) string { return orNone(r.ContextTokens) }, look: (*row).fullness},
	{title: "WINDOW", min: 4 + barWidth, max: 4 + barWidth, rank: 10, text: (*row).bar, look: (*row).fullness},
	{title: "IN", order: "tokens", min: 5, rank: 8, text: func(r *row) string { return format.TableCount(r.InputTokens) }},
	{title: "OUT", order: "tokens", min: 5, rank: 7, text: func(r *row) string { return format.TableCount(r.OutputTokens) }},
	{title: "HIT", min: 4, rank: 11, text: (*row).hits},
	{title: "COST", order: "cost", min: 7, rank: 2, text: (*row).cost},
	{title: "REQ", order: "requests", min: 4, rank: 9, text: func(r *row) string { return format.TableCount(r.Requests) }},
	{title: "TOOLS", min: 5, rank: 12, text: func(r *row) string { return format.TableCount(r.ToolCalls) }},
	{title: "ERR", order: "errors", min: 3, rank: 12, text: func(r *row) string { return format.TableCount(r.ToolErrors) }, look: (*row).errors},
	{title: "AGE", order: "age", min: 4, rank: 4, text: (*row).age},
}

// barWidth is the width of the bar of the context.
const barWidth = 8

// idWidth is the number of characters of a session's id that are shown. They are
// random.
const idWidth = 8

func (r *row) id() string {
	id := []rune(terminal.Printable(r.ID))
	return string(id[:min(len(id), idWidth)])
}

func (r *row) state() string {
	if r.Live {
		return "●"
	}
	return ""
}

// model returns the name of the model.
func (r *row) model() string {
	if r.Model == "" {
		return none
	}
	return terminal.Printable(usage.ModelName(r.Model))
}

func orNone(n uint64) string {
	if n == 0 {
		return none
	}
	return format.TableCount(n)
}

// share returns how full the context is, 0 if that is not known.
func (r *row) share() float64 {
	window := ledger.ContextWindow(r.ContextWindow, r.ContextTokens, r.Model)
	if window == 0 {
		return 0
	}
	return float64(r.ContextTokens) / float64(window)
}

func (r *row) bar() string {
	share := r.share()
	if share == 0 {
		return ""
	}
	return terminal.Left(terminal.Bar(share, barWidth), barWidth) + terminal.Right(format.TableWholePercent(share), 4)
}

func (r *row) fullness() look { return lookOf(r.share()) }

// hits returns the share of the tokens sent to models that were read from the cache.
func (r *row) hits() string {
	v := r.Values()
	ratio, ok := v.CacheHitRatio()
	if !ok {
		return none
	}
	return format.TableWholePercent(ratio)
}

func (r *row) cost() string {
	if r.CostUSD == nil {
		return none
	}
	c := format.Cost{USD: *r.CostUSD, Unpriced: r.UnpricedTokens > 0}
	return c.Text(format.TableUSD, none)
}

func (r *row) errors() look {
	if r.ToolErrors > 0 {
		return warning
	}
	return plain
}

// age returns how long ago the last line was written, in one unit.
func (r *row) age() string {
	if r.Last.IsZero() {
		return none
	}
	age := max(0, r.now.Sub(r.Last))
	switch {
	case age < time.Minute:
		return fmt.Sprintf("%ds", age/time.Second)
	case age < time.Hour:
		return fmt.Sprintf("%dm", age/time.Minute)
	case age < 48*time.Hour:
		return fmt.Sprintf("%dh", age/time.Hour)
	}
	return fmt.Sprintf("%dd", age/(24*time.Hour))
}
