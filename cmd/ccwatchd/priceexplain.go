package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/ccwatchd/ccwatchd/pricing"
)

// explain prints how a request is priced, line by line. The table has the model.
func explain(w io.Writer, table *pricing.Table, r pricing.Request, u pricing.Usage) {
	row, _ := table.Row(r.Model, r.Time)
	field := func(name, text string) { _, _ = fmt.Fprintf(w, "%-13s %s\n", name, text) }
	model := row.Model
	if r.Model != row.Model {
		model += ", the normalized form of " + r.Model
	}
	field("model", model)
	field("price", source(table, &row)+", "+period(&row, r.Time))
	field("prompt", prompt(&row, u))
	if r.Fast {
		field("fast mode", fastMode(&row))
	}
	if r.US {
		field("US inference", "rates of tokens x 1.1")
	}
	_, _ = fmt.Fprintln(w)
	base := table.Price(pricing.Request{Model: r.Model, Time: r.Time}).For(u)
	printAmounts(w, base, factors(&row, r), table.Price(r).Cost(u), u)
	_, _ = fmt.Fprint(w, "\nThis is an estimate by list price, and not the bill of a subscription.\n")
}

func source(table *pricing.Table, row *pricing.Row) string {
	if row.Overlay {
		return "from the configuration"
	}
	return "built-in list price as of " + table.Updated
}

// period describes when a row is in force, and why it applies to another time.
func period(row *pricing.Row, at int64) string {
	text := "in force"
	if row.From == 0 && row.Until == 0 {
		return "always " + text
	}
	if row.From > 0 {
		text += " from " + firstDay(row)
	}
	if row.Until > 0 {
		text += " until " + lastDay(row)
	}
	switch {
	case at < row.From:
		text += "; the first price of a model also holds before"
	case row.Until > 0 && at >= row.Until:
		text += "; it also holds until there is another one"
	}
	return text
}

// prompt describes the length of a prompt and which rates follow from it.
func prompt(row *pricing.Row, u pricing.Usage) string {
	text := grouped(u.Prompt()) + " tokens (input, cache writes and cache reads)"
	switch {
	case row.LongPrompt == 0:
	case u.Prompt() > row.LongPrompt:
		text += ", over " + grouped(row.LongPrompt) + ": the higher rates, for all tokens of the request"
	default:
		text += ", not over " + grouped(row.LongPrompt) + ": the lower rates"
	}
	return text
}

func fastMode(row *pricing.Row) string {
	if row.Fast == 0 {
		return "this price has no factor for it"
	}
	return fmt.Sprintf("rates of tokens x %d", row.Fast)
}

// factors returns the factors of the rates, such as " x 2 x 1.1".
func factors(row *pricing.Row, r pricing.Request) string {
	text := ""
	if r.Fast && row.Fast > 0 {
		text += fmt.Sprintf(" x %d", row.Fast)
	}
	if r.US {
		text += " x 1.1"
	}
	return text
}

// printAmounts prints a line for every part of a request, the sum, and what the cache
// saved and cost. The rates are those before the factors.
func printAmounts(w io.Writer, rates pricing.Rates, factors string, cost pricing.Cost, u pricing.Usage) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(name, number, rate, amount string) {
		_, _ = fmt.Fprintf(t, "%-24s\t%s\t%s\t%s\t\n", name, number, rate, amount)
	}
	tokens := func(name string, n, rate, amount uint64) {
		if n > 0 {
			line(name, grouped(n), "x "+perMillion(rate)+factors+" per million", "= "+dollars(amount)+" USD")
		}
	}
	tokens("input", u.Input, rates.Input, cost.Input)
	tokens("cache_write_5m", u.CacheWrite5m, rates.CacheWrite5m, cost.CacheWrite5m)
	tokens("cache_write_1h", u.CacheWrite1h, rates.CacheWrite1h, cost.CacheWrite1h)
	tokens("cache_read", u.CacheRead, rates.CacheRead, cost.CacheRead)
	tokens("output", u.Output, rates.Output, cost.Output)
	if u.WebSearches > 0 {
		line("web_search", grouped(u.WebSearches), "x 0.01 each", "= "+dollars(cost.WebSearch)+" USD")
	}
	line("total", "", "", dollars(cost.Total())+" USD")
	if u.CacheRead > 0 {
		line("saved by cache reads", "", "", dollars(cost.CacheSavings)+" USD")
	}
	if u.CacheWrite5m+u.CacheWrite1h > 0 {
		line("premium for cache writes", "", "", dollars(cost.CacheWritePremium)+" USD")
	}
	_ = t.Flush()
}
