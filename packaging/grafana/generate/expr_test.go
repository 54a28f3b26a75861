package main

import "testing"

func TestExpressionHelpers(t *testing.T) {
	for got, want := range map[string]string{
		total("rate", "", "$__range", "a_total"):          `sum(rate(a_total[$__range]))`,
		total("increase", "b, c", "$__range", "a_total"):  `sum by (b, c) (increase(a_total[$__range]))`,
		increase("b", "a_total"):                          `round(sum by (b) (increase(a_total[$__range])))`,
		total("increase", "b", "1h offset 1d", "a_total"): `sum by (b) (increase(a_total[1h] offset 1d))`,
		total("rate", tokenKind+", b", "1h", "a_total"):   "sum by (kind_of_tokens, b) (" + addTokenKind(`sum by (type, b) (rate(a_total[1h]))`) + ")",
		total("rate", modelName, "1h", "a_total"):         "sum by (model_name) (" + addModelName(`sum by (model) (rate(a_total[1h]))`) + ")",
		per("", "a_total", "b_total", "10"):               `sum(increase(a_total[$__range])) / (sum(increase(b_total[$__range])) >= 10)`,
		perDay("b", "a_total"): `sum by (b) (clamp_min(last_over_time(a_total[$__interval] offset -$__interval) - ` +
			`(last_over_time(a_total[7d]) or min_over_time(a_total[$__interval] offset -$__interval)), 0)) > 0`,
		fraction("b", "a_total", "c_total"): `clamp_max((sum by (b) (increase(a_total[$__range])) or 0 * sum by (b) (increase(c_total[$__range])))` +
			` / (sum by (b) (increase(c_total[$__range])) >= 10), 1)`,
		topTen("b", "a_total"): perStep("b", "a_total") +
			` and topk(10, sum by (b) (increase(a_total[$__range] @ end() offset -$__interval)))`,
		change("a", "b"):                             `clamp_max(((a) > 0) / (b or 0 * (a)) - 1, 99)`,
		used("b", "a_total"):                         `round(sum by (b) (increase(a_total[$__range]))) > 0`,
		quantile("p50", "", "$__range", "a_bucket"):  `histogram_quantile(0.5, sum by (le) (rate(a_bucket[$__range]))) >= 0`,
		quantile("p95", "b", "$__range", "a_bucket"): `histogram_quantile(0.95, sum by (le, b) (rate(a_bucket[$__range]))) >= 0`,
	} {
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
