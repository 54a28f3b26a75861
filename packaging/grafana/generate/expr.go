package main

import (
	"fmt"
	"strings"
)

// enough is the minimum number of events for a ratio: with fewer, it says little.
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
func increase(by, selection string) string {
	return "round(" + total("increase", by, "$__range", selection) + ")"
}

// increaseOrZero is the increase over the time range, 0 if the counter does not exist,
// and empty if no daemon was scraped.
func increaseOrZero(selection string) string {
	return increase("", selection) + " or 0 * count(last_over_time(ccwatchd_build_info[$__range]))"
}

// fraction divides the increase of part by that of whole over the time range, both
// numbers of events. It is empty if there are not enough, and 0 if only part is. It is
// at most 1, even if part is counted later than whole, as errors are.
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
// increased by enough.
func per(by, part, whole string) string {
	return fmt.Sprintf("%s / (%s >= %s)", total("increase", by, "$__range", part), total("increase", by, "$__range", whole), enough)
}

// topRates is the rate, times a factor, of the ten values of a label with the largest
// increase over the time range.
func topRates(by string, factor int, selection string) string {
	return fmt.Sprintf("%d * %s", factor, total("rate", by, "$__rate_interval", selection)) + inTopTen(by, selection)
}

// perDay is the increase on each day, exactly: the last value of the day minus the one
// before the day or, if there is none within a week, the first value of the day. A
// point is at the beginning of its day, the last one at that of the present day.
func perDay(by, selection string) string {
	last := fmt.Sprintf("last_over_time(%s[$__interval] offset -$__interval)", selection)
	before := fmt.Sprintf("last_over_time(%s[7d])", selection)
	first := fmt.Sprintf("min_over_time(%s[$__interval] offset -$__interval)", selection)
	return sum(by, fmt.Sprintf("clamp_min(%s - (%s or %s), 0)", last, before, first))
}

// inTopTen restricts an expression to the ten values of a label with the largest
// increase over the time range, the same at every step.
func inTopTen(by, selection string) string {
	return " and topk(10, " + total("increase", by, "$__range @ end()", selection) + ")"
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
