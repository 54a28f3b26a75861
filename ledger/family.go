package ledger

import "github.com/ccwatchd/ccwatchd/counters"

const (
	milli = 1000
	nano  = 1e9

	// Caveats of several families.
	attributed   = "Since Claude Code 2.1.123."
	sessionEnded = "Observed once, after a day without a line; what follows later is missing."
)

// declare adds a family to the counters.
func (c *core) declare(f counters.Family) counters.ID { return c.set.Declare(f) }

// claudeCounter describes a counter of what was seen of Claude Code.
func claudeCounter(name, help string, labels ...string) counters.Family {
	return counters.Family{Name: "claude_" + name, Help: help, Labels: labels, Sourced: true}
}

// daemonCounter describes a counter of what the daemon did.
func daemonCounter(name, help string, labels ...string) counters.Family {
	return counters.Family{Name: "ccwatchd_" + name, Help: help, Labels: labels}
}

// histogram makes a family a histogram with default bounds, of numbers of which so many
// are in its unit.
func histogram(f counters.Family, perUnit uint64, bounds ...float64) counters.Family {
	f.Type, f.PerUnit, f.Buckets = counters.Histogram, perUnit, bounds
	return f
}

// gauge makes a family a gauge that never falls.
func gauge(f counters.Family, perUnit uint64) counters.Family {
	f.Type, f.PerUnit = counters.Gauge, perUnit
	return f
}

// level makes a family a gauge that falls.
func level(f counters.Family) counters.Family {
	f.Type = counters.Level
	return f
}

// dollars makes a family count 10^-9 US dollars.
func dollars(f counters.Family) counters.Family {
	f.PerUnit = nano
	return f
}

// priced makes a family depend on prices.
func priced(f counters.Family) counters.Family {
	f.Priced = true
	return f
}

// inSeconds makes a family count milliseconds.
func inSeconds(f counters.Family) counters.Family {
	f.PerUnit = milli
	return f
}

// caveat adds to a family what is known to be missing or biased.
func caveat(f counters.Family, text string) counters.Family {
	f.Caveat = text
	return f
}

// Families returns every family of the ledger, with the buckets of the options.
func Families(o Options) []counters.Family { return New(o, 0).set.Families() }

// Defaults returns the limits of labels, and the buckets of histograms by family name,
// that apply unless the options have others.
func Defaults() (limits map[string]int, buckets map[string][]float64) {
	return New(Options{}, 0).set.Defaults()
}
