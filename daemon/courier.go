package daemon

import "github.com/ccwatchd/ccwatchd/ledger"

// A Courier takes what is counted to somebody of whom it is only known later
// whether it has arrived, such as a server that it is sent to. Only what has
// arrived is taken for seen: until then a series that is new stays zero, over
// restarts too. It is used by one goroutine.
type Courier struct {
	daemon *Daemon
	series int // in the snapshot
}

// NewCourier returns a Courier who has taken nothing yet.
func (d *Daemon) NewCourier() *Courier { return &Courier{daemon: d} }

// Fill makes s what a scrape would show, as Daemon.Fill does.
func (c *Courier) Fill(s *ledger.Snapshot) bool {
	if !c.daemon.ready.Load() || !c.daemon.counted.look(s, c.daemon.Now().UnixMilli()) {
		return false
	}
	c.series = 0
	for i := range s.Families {
		c.series += len(s.Families[i].Samples)
	}
	return true
}

// Arrived takes for seen what was filled last. If there are more series by now,
// none is: those that were zero are so once more, which does no harm.
func (c *Courier) Arrived() {
	s := c.daemon.counted
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil && s.state.ledger.Series() == c.series {
		s.show()
	}
}
