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
	RecentFiles             // the maxRecent files that were written last, see poller.findRecent
	AllFiles                // all files and directories except inner ones, see poller.markInner
	Walks                   // of everything
	TierCount
)

// Parts of [Options.PollBudget] for each tier. With 200 projects and 2,500 sessions
// they suffice for checks of directories every four seconds, of recent files every six
// and of all files every 34, if a check costs 4 µs.
const (
	hotShare       = 0.2
	directoryShare = 0.2
	recentShare    = 0.1
	fileShare      = 0.3
	walkShare      = 0.05
	// urgentFileShare is used instead of fileShare rather than check all files more rarely
	// than every two ScanIntervals.
	urgentFileShare = 1.3
)

// A pace is the interval of a tier. It stretches so that the measured cost stays within
// the tier's share of a core.
type pace struct {
	meter       *meter
	least, most time.Duration
	share       float64
	// Beyond patience, the share is urgentShare.
	patience    time.Duration
	urgentShare float64

	owed float64 // items that are due; negative after checking more

	items int // checked in all
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
	return time.Duration(float64(items) * p.meter.cost() / share * float64(time.Second))
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
func (p *pace) checked(items int) {
	p.owed -= float64(items)
	p.items += items
}

// newPaces returns the paces of the tiers. The tier Walks is paced by [Watcher.pause].
// Hot files are measured together with directories.
func newPaces(o Options) [TierCount]pace {
	slowest, m := maxScanFactor*o.ScanInterval, new(meter)
	return [TierCount]pace{
		HotFiles:    {meter: m, least: o.PollInterval, most: o.ScanInterval, share: hotShare * o.PollBudget},
		Directories: {meter: m, least: dirCheckFactor * o.PollInterval, most: o.ScanInterval, share: directoryShare * o.PollBudget},
		RecentFiles: {meter: new(meter), least: o.ScanInterval / 5, most: o.ScanInterval, share: recentShare * o.PollBudget},
		AllFiles: {
			meter: new(meter), least: o.ScanInterval / 2, most: slowest, share: fileShare * o.PollBudget,
			patience: 2 * o.ScanInterval, urgentShare: urgentFileShare * o.PollBudget,
		},
	}
}
