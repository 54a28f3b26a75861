// Package format formats numbers, sizes, durations and amounts of money for people.
package format

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// narrowSpace separates a number from its unit. A line does not break at it.
const narrowSpace = "\u202f"

// Number groups the digits of a count.
func Number[T int | int64 | uint64](n T) string { return group(fmt.Sprint(n)) }

// group groups the digits before the decimal point.
func group(digits string) string {
	end := len(digits)
	for i, c := range digits {
		if c == '.' {
			end = i
			break
		}
	}
	for i := end - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Count returns a count with the singular or plural form of a noun.
func Count[T int | int64 | uint64](n T, one, many string) string {
	if n == 1 {
		return Number(n) + " " + one
	}
	return Number(n) + " " + many
}

// Size formats a number of bytes with a decimal prefix.
func Size(n int64) string {
	const unit = 1000
	if n < unit {
		return Count(n, "byte", "bytes")
	}
	value, prefix := float64(n)/unit, 0
	for value >= 999.5 && prefix < 3 {
		value, prefix = value/unit, prefix+1
	}
	digits := 0
	if value < 9.95 {
		digits = 1
	}
	return fmt.Sprintf("%.*f %cB", digits, value, "kMGT"[prefix])
}

// Duration formats a duration in its largest unit. It is never zero.
func Duration(d time.Duration) string {
	switch {
	case d < time.Minute:
		return Count(max(1, int(d.Seconds())), "second", "seconds")
	case d < time.Hour:
		return Count(int(d.Minutes()), "minute", "minutes")
	case d < 48*time.Hour:
		return Count(int(d.Hours()), "hour", "hours")
	default:
		return Count(int(d.Hours()/24), "day", "days")
	}
}

// Seconds formats a mean time in seconds, such as 250 ms, 4.2 s or 310 s.
func Seconds(s float64) string {
	digits := 0
	switch {
	case s < 0.9995:
		return strconv.FormatFloat(s*1000, 'f', 0, 64) + narrowSpace + "ms"
	case s < 99.95:
		digits = 1
	}
	return group(strconv.FormatFloat(s, 'f', digits, 64)) + narrowSpace + "s"
}

// USD formats an amount in US dollars. Amounts of $1,000 and more have no cents.
func USD(amount float64) string {
	digits := 2
	switch {
	case amount > 0 && amount < 0.005:
		return "<$0.01"
	case amount >= 999.995:
		digits = 0
	}
	return "$" + group(strconv.FormatFloat(amount, 'f', digits, 64))
}

// LowerBound marks the formatted cost of some usage with a plus sign if it is a lower
// bound: some tokens have no price, or the usage is incomplete.
func LowerBound(cost string, unpricedTokens uint64, incomplete bool) string {
	if unpricedTokens > 0 || incomplete {
		return cost + "+"
	}
	return cost
}

// Short formats a count with three significant digits at most: 950, 1.2k, 35M, 1.4G.
func Short(n float64) string {
	const units = "kMGT"
	if n < 999.5 {
		return strconv.FormatFloat(math.Round(n), 'f', 0, 64)
	}
	unit := 0
	for n /= 1000; n >= 999.5 && unit < len(units)-1; n /= 1000 {
		unit++
	}
	digits := 0
	if n < 9.95 {
		digits = 1
	}
	return strconv.FormatFloat(n, 'f', digits, 64) + units[unit:unit+1]
}

// Percent formats a share from 0 to 1. Small ones have a decimal.
func Percent(share float64) string {
	digits := 0
	if p := math.Abs(share) * 100; p > 0 && p < 9.95 {
		digits = 1
	}
	return strconv.FormatFloat(share*100, 'f', digits, 64) + narrowSpace + "%"
}
