package main

import "fmt"

// total is what counters of a selection grew by in a window, as sum by a label
// or, if that is empty, over all: op is rate or increase.
func total(op, by, window, selection string) string {
	if by != "" {
		by = " by (" + by + ") "
	}
	return fmt.Sprintf("sum%s(%s(%s[%s]))", by, op, selection, window)
}

// grown is what counters grew by in the whole range. A server reckons with what
// may have happened before its first sample and after its last, and so comes to
// fractions of what is counted in whole.
func grown(by, selection string) string {
	return "round(" + total("increase", by, "$__range", selection) + ")"
}

// counted is what counters grew by in the whole range, and 0 where they do not
// exist because nothing happened. It is nothing where no daemon was scraped.
func counted(selection string) string {
	return grown("", selection) + " or 0 * count(last_over_time(ccwatchd_build_info[$__range]))"
}

// share is what part the one has in the other. Where nothing happened there is
// no share, and where only the part did not happen it is 0. It is all at most,
// though the part may be counted later than its whole, as errors are.
func share(by, window, part, whole string) string {
	of := total("rate", by, window, whole)
	return fmt.Sprintf("clamp_max((%s or 0 * %s) / (%s > 0), 1)", total("rate", by, window, part), of, of)
}

// hitRatio is the share of the prompt that came from the cache.
func hitRatio(by, window string) string {
	return share(by, window, `claude_tokens_total{type="cache_read"}`, `claude_tokens_total{type!="output"}`)
}

// largest is the rate, times a factor, of those ten values of a label that had
// most over the whole range.
func largest(by string, factor int, selection string) string {
	return fmt.Sprintf("%d * %s", factor, total("rate", by, "$__rate_interval", selection)) + ofTen(by, selection)
}

// ofTen leaves of an expression those ten values of a label that had most of
// something over the whole range: the same ones at every moment of it.
func ofTen(by, selection string) string {
	return fmt.Sprintf(" and topk(10, sum by (%s) (increase(%s[$__range] @ end())))", by, selection)
}

// quantile is the value below which a share of what a histogram saw lies. What
// it saw nothing of, which would be NaN, is left out.
func quantile(q, by, window, histogram string) string {
	if by != "" {
		by = ", " + by
	}
	return fmt.Sprintf("histogram_quantile(%s, sum by (le%s) (rate(%s[%s]))) >= 0", q, by, histogram, window)
}
