package daemon

import "time"

// A zeroWindow decides when new series are released: a series is exposed as 0 for
// at least the interval ZeroWindow, and for everyone alike, so that each server that
// scrapes more often than that sees it begin at 0.
//
// It counts ticks of a timer and reads no clock, so that neither a clock that is set
// nor the time that a process or machine is suspended changes how long a series is
// exposed. The window of series that were pending when the daemon stopped begins
// again with its start. While nothing is pending there is no tick.
type zeroWindow struct {
	marks []uint64 // the newest pending series at the last ticks, the latest last
}

// zeroTicks is how many ticks a window has. A series may be created right after a
// tick, so windows last up to one tick longer than configured.
const zeroTicks = 16

// tick notes the newest pending series, and returns up to which number series have
// been exposed for zeroTicks; 0 is none.
func (z *zeroWindow) tick(newest uint64) (due uint64) {
	z.marks = append(z.marks, newest)
	if len(z.marks) <= zeroTicks {
		return 0
	}
	due, z.marks = z.marks[0], z.marks[1:]
	return due
}

// restart begins the windows of all pending series again.
func (z *zeroWindow) restart() { z.marks = nil }

// running reports whether the window of some series has begun.
func (z *zeroWindow) running() bool { return len(z.marks) > 0 }

// watchZero begins the window of series that are new, if no tick would: timer gets
// the next one.
func (e *engine) watchZero(timer *time.Timer) {
	if !e.zero.running() {
		e.tickZero(timer)
	}
}

// tickZero releases the series whose window is over, and sets the timer for as long
// as others are pending.
func (e *engine) tickZero(timer *time.Timer) {
	timer.Stop()
	newest := e.daemon.state.NewestPending()
	if newest == 0 {
		e.zero.restart()
		return
	}
	interval := e.daemon.settings.ZeroWindow / zeroTicks
	due := e.zero.tick(newest)
	if interval == 0 {
		due = newest
	}
	if due != 0 {
		e.daemon.state.Release(due)
	}
	timer.Reset(interval)
}
