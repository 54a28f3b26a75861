package daemon

import "github.com/ccwatchd/ccwatchd/ledger"

// A Courier takes what is counted to somebody of whom it is only known later
// whether it has arrived, such as a server that it is sent to. Only what has
// arrived is taken for seen: until then a series that is new stays zero, over
// restarts too. It is used by one goroutine.
type Courier struct {
	daemon  *Daemon
	viewer  string
	showing uint64 // that was filled last
}

// NewCourier returns a Courier who has taken nothing yet.
func (d *Daemon) NewCourier() *Courier { return &Courier{daemon: d} }

// Fill makes s what is taken to a viewer, who is always the same, as Daemon.Fill
// does for a scrape.
func (c *Courier) Fill(s *ledger.Snapshot, viewer string) bool {
	if !c.daemon.ready.Load() {
		return false
	}
	counted, now := c.daemon.counted, c.daemon.Now()
	counted.mu.Lock()
	defer counted.mu.Unlock()
	filled := counted.fill(s, counted.audience.come(viewer, now), now)
	c.viewer, c.showing = viewer, s.Showing
	return filled
}

// Arrived says that the viewer has seen what was filled last.
func (c *Courier) Arrived() {
	counted := c.daemon.counted
	counted.mu.Lock()
	defer counted.mu.Unlock()
	counted.audience.saw(c.viewer, c.showing)
}
