// Package clocktest has the clock of a machine that a test can put to sleep.
package clocktest

import (
	"time"
	"unsafe"
)

// A Clock stands still unless a test advances it. It is not safe for concurrent use.
type Clock struct {
	start         time.Time
	awake, asleep time.Duration
}

// New returns a clock that shows the current time.
func New() *Clock { return &Clock{start: time.Now()} }

// Now returns the time, with a monotonic reading.
func (c *Clock) Now() time.Time {
	t := c.start.Add(c.awake)
	// Package time cannot change one clock without the other, so this changes the field
	// that it describes at [time.Time]: the seconds of the wall clock are above 30 bits of
	// nanoseconds.
	*(*uint64)(unsafe.Pointer(&t)) += uint64(c.asleep/time.Second) << 30 //nolint:gosec // see above
	return t
}

// Advance lets time pass while the machine is awake.
func (c *Clock) Advance(d time.Duration) { c.awake += d }

// Sleep lets some seconds pass while the machine sleeps: the wall clock continues, the
// monotonic clock does not.
func (c *Clock) Sleep(d time.Duration) { c.asleep += d }
