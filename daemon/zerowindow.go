package daemon

import "time"

// A zeroWindow decides when new series are released. A new series is exposed as 0 for
// at least Settings.ZeroWindow, so that every server with a shorter scrape interval
// sees it begin at 0.
//
// It counts ticks of a timer and reads no clock, so that neither setting the clock nor
// suspending the process or the machine changes the window. While no series is pending
// there are no ticks.
//
// The window is kept in memory only: after a restart, loaded series have their values,
// and only series created since then are exposed as 0.
type zeroWindow struct {
	newest []int // newest pending series at each of the last ticks
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

// restart restarts the windows of all pending series.
func (z *zeroWindow) restart() { z.newest = nil }

// running reports whether a window has begun.
func (z *zeroWindow) running() bool { return len(z.newest) > 0 }

// watchZero starts the ticks if a series is pending and no window has begun.
func (e *engine) watchZero(timer *time.Timer) {
	if !e.zero.running() {
		e.tickZero(timer)
	}
}

// tickZero releases the series whose window has ended, and sets the timer for the next
// tick unless no series is pending.
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
