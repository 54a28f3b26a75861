package ledger

import (
	"cmp"
	"math"
	"time"
)

const (
	minuteMillis = int64(time.Minute / time.Millisecond)
	dayMillis    = int64(24 * time.Hour / time.Millisecond)
)

// dayOf returns the number of a day since the epoch, in UTC.
func dayOf(millis int64) int64 { return millis / dayMillis }

// seconds returns a time in whole seconds, 0 if it is not stated.
func seconds(t int64) uint32 { return uint32(min(max(0, t)/1000, math.MaxUint32)) }

// minTime is the time before which no line can have been written: Claude Code did not
// exist.
var minTime = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()

// The reasons why a line does not count at the time that it states.
const (
	missingTime = "missing"
	futureTime  = "future"
	pastTime    = "before_2020"
)

// TimeReasons lists them. It must not be modified.
var TimeReasons = []string{missingTime, futureTime, pastTime}

// setTimes sets the times of a line that states a time:
//
//   - It counts at this time, unless it is missing, in the future or before 2020.
//   - Up to a day in the future it counts when it is read: a clock is wrong.
//   - Otherwise the time is not usable. The line counts at the latest time of the
//     lines before it, or else when its file was modified: not whenever it is read.
func (l *line) setTimes(stated int64) {
	l.when, l.time = stated, stated
	switch {
	case stated == 0:
		l.replaced = missingTime
	case stated > l.now:
		l.replaced = futureTime
	case stated < minTime:
		l.replaced = pastTime
	default:
		return
	}
	if l.when = l.now; l.replaced != futureTime || stated > l.now+dayMillis {
		l.time = 0
		l.when = min(cmp.Or(int64(l.file.latest)*1000, l.modified, l.now), l.now)
	}
}
