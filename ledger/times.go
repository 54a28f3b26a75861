package ledger

import (
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

// The reasons why a line counts at the time when it was read.
const (
	missingTime = "missing"
	futureTime  = "future"
	pastTime    = "before_2020"
)

// TimeReasons lists them. It must not be modified.
var TimeReasons = []string{missingTime, futureTime, pastTime}

// timeOf returns the time when a line counts: its own, unless that is missing, in
// the future, or before 2020. Then it is the time when the line was read, and reason
// states why.
func timeOf(stated, now int64) (when int64, reason string) {
	switch {
	case stated == 0:
		return now, missingTime
	case stated > now:
		return now, futureTime
	case stated < minTime:
		return now, pastTime
	default:
		return stated, ""
	}
}
