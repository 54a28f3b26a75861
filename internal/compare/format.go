package main

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// grouped writes a number with commas between its thousands.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	first := 0
	if n < 0 {
		first = 1
	}
	for i := len(s) - 3; i > first; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// megabytes writes bytes as millions of them: two digits of small numbers, all
// of large ones.
func megabytes(n int64) string {
	mb := float64(n) / 1e6
	if mb < 9.95 {
		return strconv.FormatFloat(mb, 'f', 1, 64)
	}
	return grouped(int64(math.Round(mb)))
}

// seconds writes a duration to the hundredth of a second, which is more than
// two measurements have in common.
func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

// deviation says by how much a total is off: "exact" only if by nothing.
func deviation(got, want int64) string {
	switch {
	case got == want:
		return "exact"
	case want == 0:
		return "should be 0"
	}
	percent := 100 * float64(got-want) / float64(want)
	// As many decimals as it takes to show that it is not nothing.
	decimals := max(1, int(math.Ceil(-math.Log10(math.Abs(percent)))))
	return fmt.Sprintf("%+.*f %%", decimals, percent)
}
