package watcher

import "time"

// A meter measures the CPU time of checking an item: a file or a directory of any tier.
// All of them cost one system call, and far less in a long check than in a short one,
// which also pays for caches that were cold after the pause. So one check of all tiers
// is measured, and not each of them.
type meter struct {
	seconds, items float64 // sums in which a measurement counts less with each later one
}

// meterDecay is the weight of the earlier measurements after a new one.
const meterDecay = 0.875

// measure makes a check, which returns the number of checked items, and measures the
// CPU time that it uses.
func (m *meter) measure(check func() (items int)) {
	items := 0
	took := cpuTime(func() { items = check() })
	m.add(items, took)
}

// add adds a measurement.
func (m *meter) add(items int, took time.Duration) {
	if items == 0 {
		return
	}
	m.items = meterDecay*m.items + float64(items)
	m.seconds = meterDecay*m.seconds + took.Seconds()
}

// cost returns the CPU seconds of checking an item, 0 before the first measurement.
func (m *meter) cost() float64 {
	if m.items == 0 {
		return 0
	}
	return m.seconds / m.items
}
