package main

import (
	"fmt"
	"strings"
)

// enough is the minimum number of events for a ratio.
const enough = "10"

// total is the rate or increase (op) of counters over a window, summed by labels or, if
// by is empty, over all. The window may have a modifier, such as "1h offset 1d".
func total(op, by, window, selection string) string {
	window, modifier, modified := strings.Cut(window, " ")
	if modified {
		modifier = " " + modifier
	}
	return sum(by, fmt.Sprintf("%s(%s[%s]%s)", op, selection, window, modifier))
}

// sum adds up an expression by labels or, if by is empty, all of it.
func sum(by, expr string) string {
	if by == "" {
		return "sum(" + expr + ")"
	}
	if add, source := derive(by); add != nil {
		expr = add("sum by (" + source + ") (" + expr + ")")
	}
	return "sum by (" + by + ") (" + expr + ")"
}

// increase is the rounded increase of counters over the time range, since Prometheus
// extrapolates to fractions.
func increase(by, selection string) string { return increaseIn("$__range", by, selection) }

// increaseIn is increase over a window.
func increaseIn(window, by, selection string) string {
	return "round(" + total("increase", by, window, selection) + ")"
}

// increaseOrZero is the increase over the time range, 0 if the counter does not exist,
// and empty if no daemon was scraped.
func increaseOrZero(selection string) string { return orZero(increase("", selection)) }

func orZero(expr string) string {
	return expr + " or 0 * count(last_over_time(ccwatchd_build_info[$__range]))"
}

// positive leaves out zeros: rows of tables without usage, and errors that never
// happened.
func positive(expr string) string { return expr + " > 0" }

// used is increase for a table or bars.
func used(by, selection string) string { return positive(increase(by, selection)) }

// fraction divides the increase of part by the increase of whole over the time range,
// both numbers of events. It is empty without enough events, and 0 if only part has no
// series. It is at most 1, even if part is counted later than whole, as errors are.
func fraction(by, part, whole string) string { return share(by, part, whole, ">= "+enough) }

// anyFraction is fraction for a table that has the number of events in another column.
func anyFraction(by, part, whole string) string { return share(by, part, whole, "> 0") }

func share(by, part, whole, condition string) string {
	of := total("increase", by, "$__range", whole)
	return fmt.Sprintf("clamp_max((%s or 0 * %s) / (%s %s), 1)", total("increase", by, "$__range", part), of, of, condition)
}

// hitRatio is the fraction of input tokens read from the cache, if there are enough
// requests.
func hitRatio(by, window string) string {
	read := total("increase", by, window, `claude_tokens_total{type="cache_read"}`)
	input := total("increase", by, window, `claude_tokens_total{type!="output"}`)
	requests := total("increase", by, window, `claude_requests_total`)
	return fmt.Sprintf("(%s or 0 * %s) / (%s > 0 and %s >= %s)", read, input, input, requests, enough)
}

// per divides the increase of two counters over the time range, if the second has
// increased by at least a number.
func per(by, part, whole, least string) string {
	return fmt.Sprintf("%s / (%s >= %s)", total("increase", by, "$__range", part), total("increase", by, "$__range", whole), least)
}

// perStep is the exact increase in each step of a graph: the last value in the step
// minus the last value before it or, if an hour has no earlier value, the first value
// in the step. So the total of a legend is the increase over the graph. A point is at
// the beginning of its step; steps without an increase have no point.
func perStep(by, selection string) string { return steps(by, selection, "1h") }

// perDay is perStep for days. Servers that are off at the weekend have no values then.
func perDay(by, selection string) string { return steps(by, selection, "7d") }

func steps(by, selection, within string) string {
	last := fmt.Sprintf("last_over_time(%s[$__interval] offset -$__interval)", selection)
	before := fmt.Sprintf("last_over_time(%s[%s])", selection, within)
	first := fmt.Sprintf("min_over_time(%s[$__interval] offset -$__interval)", selection)
	return positive(sum(by, fmt.Sprintf("clamp_min(%s - (%s or %s), 0)", last, before, first)))
}

// inTopTen restricts an expression to the ten values of a label with the largest
// increase over the time range, the same at every step. The last point of a graph is at
// the beginning of its step, so the time range begins and ends a step later: a graph of
// days includes values that are new today.
func inTopTen(by, selection string) string {
	return " and topk(10, " + total("increase", by, "$__range @ end() offset -$__interval", selection) + ")"
}

// quantile is a quantile of a histogram, such as p95. It is empty instead of NaN
// without observations.
func quantile(q, by, window, histogram string) string {
	if by != "" {
		by = ", " + by
	}
	q = strings.TrimRight("0."+q[1:], "0")
	return fmt.Sprintf("histogram_quantile(%s, %s) >= 0", q, sum("le"+by, fmt.Sprintf("rate(%s[%s])", histogram, window)))
}

// quantiles are queries for the p50, p95 and p99 of a histogram, or for some of them.
func quantiles(prefix, by, window, histogram, unit string, only ...string) (all []query) {
	if len(only) == 0 {
		only = []string{"p50", "p95", "p99"}
	}
	for _, q := range only {
		all = append(all, query{expr: quantile(q, by, window, histogram), name: prefix + q, unit: unit})
	}
	return all
}

// inMinutes divides queries for seconds by 60: axes have round numbers of minutes, not
// 1,000 seconds as "16.7 min".
func inMinutes(all []query) []query {
	for i := range all {
		all[i].expr = "(" + all[i].expr + ") / 60"
	}
	return all
}

// topTen is perStep for the ten values of a label with the largest increase over the
// time range.
func topTen(by, selection string) string { return perStep(by, selection) + inTopTen(by, selection) }
