package main

import "fmt"

// total is the rate or increase (op) of counters over a window, summed by labels or, if
// by is empty, over all.
func total(op, by, window, selection string) string {
	if by != "" {
		by = " by (" + by + ") "
	}
	return fmt.Sprintf("sum%s(%s(%s[%s]))", by, op, selection, window)
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

// fraction divides the rates of part and whole. It is empty if whole is 0, and 0 if
// only part is. It is at most 1, even if part is counted later than whole, as errors
// are.
func fraction(by, window, part, whole string) string {
	of := total("rate", by, window, whole)
	return fmt.Sprintf("clamp_max((%s or 0 * %s) / (%s > 0), 1)", total("rate", by, window, part), of, of)
}

// hitRatio is the fraction of input tokens read from the cache.
func hitRatio(by, window string) string {
	return fraction(by, window, `claude_tokens_total{type="cache_read"}`, `claude_tokens_total{type!="output"}`)
}

// topRates is the rate, times a factor, of the ten values of a label with the largest
// increase over the time range.
func topRates(by string, factor int, selection string) string {
	return fmt.Sprintf("%d * %s", factor, total("rate", by, "$__rate_interval", selection)) + inTopTen(by, selection)
}

// inTopTen restricts an expression to the ten values of a label with the largest
// increase over the time range, the same at every step.
func inTopTen(by, selection string) string {
	return fmt.Sprintf(" and topk(10, sum by (%s) (increase(%s[$__range] @ end())))", by, selection)
}

// quantile is a quantile of a histogram, empty instead of NaN without observations.
func quantile(q, by, window, histogram string) string {
	if by != "" {
		by = ", " + by
	}
	return fmt.Sprintf("histogram_quantile(%s, sum by (le%s) (rate(%s[%s]))) >= 0", q, by, histogram, window)
}
