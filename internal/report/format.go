package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// A style is how numbers are written.
type style int

const (
	short style = iota // 12.3M
	long               // 12,345,678
)

// count formats a number of things.
func (s style) count(n uint64) string {
	if s == long {
		return group(strconv.FormatUint(n, 10))
	}
	return scaled(float64(n), 1000, "", "k", "M", "G", "T", "P")
}

// bytes formats a number of bytes.
func (s style) bytes(n uint64) string {
	if s == long {
		return group(strconv.FormatUint(n, 10)) + " B"
	}
	return scaled(float64(n), 1000, " B", " kB", " MB", " GB", " TB", " PB")
}

// money formats an amount in US dollars.
func (s style) money(usd float64) string {
	switch {
	case usd > 0 && usd < 0.005:
		return "<$0.01"
	case s == short && usd >= 99_999.5:
		return "$" + scaled(usd, 1000, "", "k", "M", "G", "T")
	case s == short && usd >= 999.5:
		return "$" + group(strconv.FormatFloat(usd, 'f', 0, 64))
	}
	return "$" + group(strconv.FormatFloat(usd, 'f', 2, 64))
}

// percent formats a ratio.
func percent(ratio float64) string {
	return strconv.FormatFloat(100*ratio, 'f', 1, 64) + "%"
}

// duration formats a mean time in seconds.
func duration(seconds float64) string {
	switch {
	case seconds < 0.9995:
		return fmt.Sprintf("%.0f ms", 1000*seconds)
	case seconds < 99.95:
		return fmt.Sprintf("%.1f s", seconds)
	}
	return time.Duration(math.Round(seconds) * float64(time.Second)).String()
}

// scaled formats a number with three digits and the unit that fits.
func scaled(n, base float64, units ...string) string {
	unit := 0
	for n >= base-base/2000 && unit < len(units)-1 {
		n /= base
		unit++
	}
	digits := 0
	switch {
	case unit == 0:
	case n < 9.995:
		digits = 2
	case n < 99.95:
		digits = 1
	}
	return strconv.FormatFloat(n, 'f', digits, 64) + units[unit]
}

// group separates the thousands of a decimal number.
func group(digits string) string {
	whole, fraction, _ := strings.Cut(digits, ".")
	var b strings.Builder
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	if fraction != "" {
		b.WriteString("." + fraction)
	}
	return b.String()
}

// Printable returns a text in which control characters, and others without an
// appearance, are escaped.
func Printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}
