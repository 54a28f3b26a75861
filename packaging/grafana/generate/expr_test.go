package main

import "testing"

func TestExpressionHelpers(t *testing.T) {
	for got, want := range map[string]string{
		total("rate", "", "$__range", "a_total"):         `sum(rate(a_total[$__range]))`,
		total("increase", "b, c", "$__range", "a_total"): `sum by (b, c) (increase(a_total[$__range]))`,
		increase("b", "a_total"):                         `round(sum by (b) (increase(a_total[$__range])))`,
		fraction("b", "$__range", "a_total", "c_total"): `clamp_max((sum by (b) (rate(a_total[$__range])) or 0 * sum by (b) (rate(c_total[$__range])))` +
			` / (sum by (b) (rate(c_total[$__range])) > 0), 1)`,
		topRates("b", 60, "a_total"): `60 * sum by (b) (rate(a_total[$__rate_interval]))` +
			` and topk(10, sum by (b) (increase(a_total[$__range] @ end())))`,
		quantile("0.5", "", "$__range", "a_bucket"):   `histogram_quantile(0.5, sum by (le) (rate(a_bucket[$__range]))) >= 0`,
		quantile("0.95", "b", "$__range", "a_bucket"): `histogram_quantile(0.95, sum by (le, b) (rate(a_bucket[$__range]))) >= 0`,
	} {
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
