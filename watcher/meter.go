package watcher

import "time"

// A meter measures the CPU time of checking an item: a file or a directory. It costs
// far more in a short check than in a long one, which pays once for caches that were
// cold after the pause. So a mean of checks counts the items of each.
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
