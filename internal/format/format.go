// Package format formats numbers, sizes, durations and amounts of money for people.
//
// Formats for texts and the page have a unit after a space that does not break. Formats
// for tables in terminals have ordinary spaces or none, and one more digit. Size is for
// both, with an ordinary space and the fewer digits.
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

// grouped formats a number with decimals and groups its digits. Unrealistically large
// numbers get an exponent.
func grouped(n float64, decimals int) string {
	if math.Abs(n) >= 1e15 {
		return strconv.FormatFloat(n, 'g', 3, 64)
	}
	return group(strconv.FormatFloat(n, 'f', decimals, 64))
}

// Count returns a count with the singular or plural form of a noun.
func Count[T int | int64 | uint64](n T, singular, plural string) string {
	if n == 1 {
		return Number(n) + " " + singular
	}
	return Number(n) + " " + plural
}

// scaled formats a number with a decimal prefix, "" for numbers below 1000. It has some
// significant digits, and at least all digits before the decimal point.
func scaled(n float64, significant int) (number, prefix string) {
	const prefixes = "kMGTP"
	switch {
	case n < 999.5:
		return strconv.FormatFloat(math.Round(n), 'f', 0, 64), ""
	case n >= 1e21:
		return strconv.FormatFloat(n, 'g', 3, 64), ""
	}
	i := 0
	for n /= 1000; n >= 999.5 && i < len(prefixes)-1; n /= 1000 {
		i++
	}
	decimals := significant - 1
	for next := 10.0; decimals > 0 && n >= next-0.5*math.Pow10(-decimals); next *= 10 {
		decimals--
	}
	return strconv.FormatFloat(n, 'f', decimals, 64), prefixes[i : i+1]
}

// Short formats a count with two or three digits: 950, 1.2k, 35M, 140M.
func Short(n float64) string {
	number, prefix := scaled(n, 2)
	return number + prefix
}

// Size formats a number of bytes with a decimal prefix.
func Size[T int64 | uint64](n T) string {
	number, prefix := scaled(float64(n), 2)
	if prefix == "" {
		return Count(n, "byte", "bytes")
	}
	return number + " " + prefix + "B"
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

// Minutes formats a duration to the minute in its two largest units: 3d4h, 2h13m, 5m;
// below a minute to the second: 12s. It is never zero.
func Minutes(d time.Duration) string {
	if seconds := max(1, int(d.Round(time.Second).Seconds())); seconds < 60 {
		return fmt.Sprintf("%ds", seconds)
	}
	minutes := max(1, int(d.Round(time.Minute).Minutes()))
	days, hours := minutes/(24*60), minutes/60%24
	switch {
	case days > 0:
		return fmt.Sprintf("%dd%dh", days, hours)
	case hours > 0:
		return fmt.Sprintf("%dh%dm", hours, minutes%60)
	}
	return fmt.Sprintf("%dm", minutes)
}

// Seconds formats a mean time in seconds, such as 250 ms, 4.2 s or 5m10s.
func Seconds(s float64) string { return seconds(s, narrowSpace) }

func seconds(s float64, space string) string {
	switch {
	case s < 0.9995:
		return strconv.FormatFloat(s*1000, 'f', 0, 64) + space + "ms"
	case s < 99.95:
		return strconv.FormatFloat(s, 'f', 1, 64) + space + "s"
	}
	return time.Duration(math.Round(s) * float64(time.Second)).String()
}

// USD formats an amount in US dollars. Amounts of $1,000 and more have no cents.
func USD(amount float64) string {
	if amount >= 999.995 {
		return "$" + grouped(amount, 0)
	}
	return ExactUSD(amount)
}

// ExactUSD formats an amount in US dollars with cents.
func ExactUSD(amount float64) string {
	if amount > 0 && amount < 0.005 {
		return "<$0.01"
	}
	return "$" + grouped(amount, 2)
}

// Percent formats a share from 0 to 1. Small shares have a decimal.
func Percent(share float64) string { return percent(share, narrowSpace) }

// PlainPercent formats a share like Percent, with an ordinary space.
func PlainPercent(share float64) string { return percent(share, " ") }

func percent(share float64, space string) string {
	digits := 0
	if p := math.Abs(share) * 100; p > 0 && p < 9.95 {
		digits = 1
	}
	return strconv.FormatFloat(share*100, 'f', digits, 64) + space + "%"
}
