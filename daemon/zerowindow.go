package daemon

import "time"

// A zeroWindow decides when new series are released: every scraper gets 0 for a new
// series for at least the setting ZeroWindow, so that each server that scrapes more
// often sees it begin at 0.
//
// It counts ticks of a timer and reads no clock, so that neither setting the clock nor
// suspending the process or the machine changes the window. While no series is pending
// there are no ticks.
//
// The window is only in memory: after a restart, every series that was loaded has its
// value, and those that are counted from then on are 0 for a window.
type zeroWindow struct {
	newest []int // newest pending series at the last ticks, in order
}

// zeroTicks is the number of ticks of a window. A series may be created right after a
// tick, so a window is up to one tick longer than configured.
const zeroTicks = 16

// tick records the newest pending series, and returns the newest series whose window
// has ended, or 0.
func (z *zeroWindow) tick(newest int) (due int) {
	z.newest = append(z.newest, newest)
	if len(z.newest) <= zeroTicks {
		return 0
	}
	due, z.newest = z.newest[0], z.newest[1:]
	return due
}

// restart begins the windows of all pending series again.
func (z *zeroWindow) restart() { z.newest = nil }

// running reports whether a window has begun.
func (z *zeroWindow) running() bool { return len(z.newest) > 0 }

// watchZero begins the window of new series if there are no ticks: it sets timer for
// the next one.
func (e *engine) watchZero(timer *time.Timer) {
	if !e.zero.running() {
		e.tickZero(timer)
	}
}

// tickZero releases the series whose window has ended, and sets the timer for the next
// tick while others are pending.
func (e *engine) tickZero(timer *time.Timer) {
	timer.Stop()
	newest := e.daemon.state.Pending()
	if newest == 0 {
		e.zero.restart()
		return
	}
	interval := e.daemon.settings.Load().ZeroWindow / zeroTicks
	due := e.zero.tick(newest)
	if interval == 0 {
		due = newest
	}
	if due != 0 {
		e.daemon.state.Release(due)
	}
	timer.Reset(interval)
}
