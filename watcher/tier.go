package watcher

import "time"

// DefaultPollBudget is the share of a core that checks without events may use.
const DefaultPollBudget = 0.001

// A Tier is a kind of check that finds changes without events.
type Tier int

// The tiers. A walk is the truth; the others find sooner what happens most often.
const (
	HotFiles    Tier = iota // files that were written recently
	Directories             // those where new files are likely, see poller.checkDirs
	AllFiles                // all files and directories except inner ones, see poller.markInner
	Walks                   // of everything
	TierCount
)

// Parts of [Options.PollBudget] for each tier. The rest is for waking up.
const (
	hotShare       = 0.25
	directoryShare = 0.25
	fileShare      = 0.3
	walkShare      = 0.05
	// urgentFileShare is used instead of fileShare rather than check all files more rarely
	// than every two ScanIntervals.
	urgentFileShare = 1.3
)

// A pace is the interval of a tier. It stretches so that the measured cost stays within
// the tier's share of a core.
type pace struct {
	least, most time.Duration
	share       float64
	// Beyond patience, the share is urgentShare.
	patience    time.Duration
	urgentShare float64

	cost float64 // CPU seconds of checking one item, a moving average
	owed float64 // items that are due; negative after checking more

	items int // checked in all
}

// costWeight is the weight of a new measurement in the average.
const costWeight = 0.125

// measure makes a check, which returns the number of checked items, and measures the
// CPU time that it uses.
func (p *pace) measure(check func() (items int)) {
	items := 0
	took := cpuTime(func() { items = check() })
	p.items += items
	p.add(items, took)
}

// add adds a measurement to the average.
func (p *pace) add(items int, took time.Duration) {
	if items == 0 {
		return
	}
	cost := took.Seconds() / float64(items)
	if p.cost == 0 {
		p.cost = cost
	}
	p.cost += costWeight * (cost - p.cost)
}

// interval returns the time between two checks of each item.
func (p *pace) interval(items int) time.Duration {
	needed := p.affordable(items, p.share)
	if p.patience > 0 && needed > p.patience {
		needed = max(p.patience, p.affordable(items, p.urgentShare))
	}
	return max(p.least, min(needed, p.most))
}

// affordable returns the interval in which checking the items takes a share of a core.
func (p *pace) affordable(items int, share float64) time.Duration {
	return time.Duration(float64(items) * p.cost / share * float64(time.Second))
}

// due returns how many of the items to check when some time has passed since the last
// check: all of them in the course of an interval. A fraction is left for the next
// check, and so is what was checked beyond it, see [pace.checked].
func (p *pace) due(items int, elapsed time.Duration) int {
	p.owed += float64(items) * elapsed.Seconds() / p.interval(items).Seconds()
	p.owed = min(p.owed, float64(items))
	return int(p.owed)
}

// checked states how many items were checked of those that were due.
func (p *pace) checked(items int) { p.owed -= float64(items) }

// newPaces returns the paces of the tiers without a measurement. The tier Walks is
// paced by [Watcher.pause].
func newPaces(o Options) [TierCount]pace {
	slowest := maxScanFactor * o.ScanInterval
	return [TierCount]pace{
		HotFiles:    {least: o.PollInterval, most: o.ScanInterval, share: hotShare * o.PollBudget},
		Directories: {least: rootCheckFactor * o.PollInterval, most: o.ScanInterval, share: directoryShare * o.PollBudget},
		AllFiles: {
			least: o.ScanInterval / 2, most: slowest, share: fileShare * o.PollBudget,
			patience: 2 * o.ScanInterval, urgentShare: urgentFileShare * o.PollBudget,
		},
	}
}
