package config

import (
	"strings"

	"github.com/ccwatchd/ccwatchd/ledger"
)

// ledgerDefaults returns the limits and buckets that the labels and histograms declare.
func ledgerDefaults() (MaxValues, Buckets) {
	limits, families := ledger.Defaults()
	maxValues := MaxValues(limits)
	maxValues["session"] = 200 // not a label of the ledger
	buckets := make(Buckets, len(families))
	for family, bounds := range families {
		buckets[strings.TrimPrefix(family, "claude_")] = bounds
	}
	return maxValues, buckets
}
