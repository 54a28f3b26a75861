package pricing

import (
	"errors"
	"strconv"
	"strings"
)

// ParseRate returns the rate of a price in US dollars per million tokens, such as 3 or
// 0.125. The result is exact.
func ParseRate(text string) (uint64, error) {
	n, isDecimal, isExact := parseDecimal(text, 5)
	switch {
	case !isDecimal:
		return 0, errors.New("expected US dollars per million tokens, such as 3 or 0.125")
	case !isExact:
		return 0, errors.New("expected at most 5 decimal places")
	case n > MaxRate/10:
		return 0, errors.New("expected at most 100000 US dollars per million tokens")
	}
	return n * 10, nil
}

// parseDecimal returns a decimal number times 10 to the power of decimals, or the
// largest number if the product does not fit. It is not exact if the text has more
// decimals.
func parseDecimal(text string, decimals int) (n uint64, isDecimal, isExact bool) {
	whole, fraction, hasPoint := strings.Cut(text, ".")
	if !isDigits(whole) || hasPoint && !isDigits(fraction) {
		return 0, false, false
	}
	fraction = strings.TrimRight(fraction, "0")
	if len(fraction) > decimals {
		return 0, true, false
	}
	n, _ = strconv.ParseUint(whole+fraction+strings.Repeat("0", decimals-len(fraction)), 10, 64)
	return n, true, true
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
