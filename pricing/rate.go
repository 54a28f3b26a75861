package pricing

import (
	"errors"
	"strconv"
	"strings"
)

// ParseRate returns the rate of a price in US dollars per million tokens, such as 3 or
// 0.125. The result is exact.
func ParseRate(text string) (uint64, error) {
	whole, fraction, hasPoint := strings.Cut(text, ".")
	if !isDigits(whole) || hasPoint && !isDigits(fraction) {
		return 0, errors.New("expected US dollars per million tokens, such as 3 or 0.125")
	}
	const decimals = len("00000")
	if len(strings.TrimRight(fraction, "0")) > decimals {
		return 0, errors.New("expected at most 5 decimal places")
	}
	fraction = (fraction + "00000")[:decimals]
	n, err := strconv.ParseUint(whole+fraction, 10, 64)
	if err != nil || n > MaxRate/10 {
		return 0, errors.New("expected at most 100000 US dollars per million tokens")
	}
	return n * 10, nil
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
