package format

import (
	"fmt"
	"strconv"
)

// TableCount formats a count with three digits: 950, 1.23k, 12.3M.
func TableCount(n uint64) string {
	number, prefix := scaled(float64(n), 3)
	return number + prefix
}

// TableUSD formats US dollars like USD, but large amounts with three digits: $123k.
func TableUSD(amount float64) string {
	if amount < 99_999.5 {
		return USD(amount)
	}
	number, prefix := scaled(amount, 3)
	return "$" + number + prefix
}

// TableSeconds formats a mean time like Seconds.
func TableSeconds(s float64) string { return seconds(s, " ") }

// TablePercent formats a share from 0 to 1 with a decimal: 94.2%.
func TablePercent(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) + "%" }

// TableWholePercent formats a share without decimals: 94%. It does not round up to
// 100%, and has at most three digits.
func TableWholePercent(share float64) string {
	return fmt.Sprintf("%d%%", int(min(share, 9.99)*100+1e-9)) // 0.29 is a bit less than 29%
}
