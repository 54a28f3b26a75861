package reference

import (
	"bytes"
	"maps"
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/test/reference/cost"
)

// unpricedMetric is the only metric of package cost that is not an amount of dollars.
const unpricedMetric = "unpriced_tokens"

// costMetrics are the metrics of package cost.
var costMetrics = []string{"cost", "cache_savings", "cache_write_premium", unpricedMetric}

// ReadCosts returns what the transcripts below a directory cost, as package cost finds
// it. Entries without a time are from now.
func ReadCosts(dir string, now time.Time) (Totals, error) {
	all, err := cost.Read(dir, now)
	if err != nil {
		return nil, err
	}
	var tsv bytes.Buffer
	if err := all.WriteTSV(&tsv); err != nil {
		return nil, err
	}
	return ParseTSV(&tsv)
}

// Costs returns those of the totals that ReadCosts computes.
func (t Totals) Costs() Totals {
	costs := maps.Clone(t)
	maps.DeleteFunc(costs, func(key Key, _ int64) bool { return !slices.Contains(costMetrics, key.Metric) })
	return costs
}

// isAmount reports whether the total of package cost is in dollars.
func (k Key) isAmount() bool {
	return slices.Contains(costMetrics, k.Metric) && k.Metric != unpricedMetric
}

// imprecision returns how far an amount of n 10^-9 dollars may be off because it was
// exposed in dollars as a float64. The division and the multiplication by 10^9 have a
// relative error of 2^-53 each, so that rounding restores every amount below 2^51,
// which is over two million dollars.
func imprecision(n int64) int64 { return n >> 51 }
