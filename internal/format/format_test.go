package format

import (
	"strings"
	"testing"
	"time"
)

// check compares the results of a function. Narrow spaces are written as underscores.
func check[T comparable](t *testing.T, name string, format func(T) string, cases map[T]string) {
	t.Helper()
	for n, want := range cases {
		if got := strings.ReplaceAll(format(n), narrowSpace, "_"); got != want {
			t.Errorf("%s(%v): got %q, want %q", name, n, got, want)
		}
	}
}

func TestFormats(t *testing.T) {
	check(t, "Size", Size[int64], map[int64]string{
		0: "0 bytes", 1: "1 byte", 999: "999 bytes", 1000: "1.0 kB", 9949: "9.9 kB", 9951: "10 kB", 999_499: "999 kB",
		999_500: "1.0 MB", 409_000_000: "409 MB", 3_400_000_000: "3.4 GB", 7_000_000_000_000_000: "7.0 PB",
	})
	check(t, "Duration", Duration, map[time.Duration]string{
		0: "1 second", 59 * time.Second: "59 seconds", time.Minute: "1 minute", 59*time.Minute + 59*time.Second: "59 minutes",
		time.Hour: "1 hour", 47 * time.Hour: "47 hours", 48 * time.Hour: "2 days",
	})
	check(t, "Minutes", Minutes, map[time.Duration]string{
		-time.Hour: "1s", 29 * time.Second: "29s", 59*time.Second + 600*time.Millisecond: "1m", 90 * time.Second: "2m", 59*time.Minute + 40*time.Second: "1h0m", 133 * time.Minute: "2h13m",
		23*time.Hour + 59*time.Minute + 31*time.Second: "1d0h", 76 * time.Hour: "3d4h",
	})
	check(t, "Number", Number[int], map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -123: "-123", -1234: "-1,234"})
	check(t, "USD", USD, map[float64]string{
		0: "$0.00", 0.004: "<$0.01", 0.006: "$0.01", 12.345: "$12.35", 999.99: "$999.99", 999.996: "$1,000", 12_345.6: "$12,346",
		1e14: "$100,000,000,000,000", 1e15: "$1e+15", 1.2345e20: "$1.23e+20", 1e308: "$1e+308", -1e308: "$-1e+308",
	})
	check(t, "Short", Short, map[float64]string{
		0: "0", 12: "12", 999.4: "999", 999.6: "1.0k", 9_940: "9.9k", 9_960: "10k", 123_456: "123k", 999_600: "1.0M",
		35e6: "35M", 1.44e9: "1.4G", 7e15: "7.0P", 1e20: "100000P", 1e308: "1e+308",
	})
	check(t, "Seconds", Seconds, map[float64]string{0: "0_ms", 0.25: "250_ms", 0.9996: "1.0_s", 4.24: "4.2_s", 99.94: "99.9_s", 99.96: "1m40s", 310.2: "5m10s", 3599.9: "1h0m0s"})
	check(t, "Percent", Percent, map[float64]string{0: "0_%", 0.0123: "1.2_%", 0.0996: "10_%", 0.5: "50_%", 1: "100_%", -0.031: "-3.1_%"})
	check(t, "PlainPercent", PlainPercent, map[float64]string{0.0123: "1.2 %", 0.5: "50 %"})
}

func TestTableFormats(t *testing.T) {
	check(t, "TableCount", TableCount, map[uint64]string{
		0: "0", 999: "999", 1000: "1.00k", 9_994: "9.99k", 9_999: "10.0k", 999_499: "999k", 999_500: "1.00M", 12_345_678: "12.3M", 1<<64 - 1: "18447P",
	})
	check(t, "ExactUSD", ExactUSD, map[float64]string{0: "$0.00", 0.0049: "<$0.01", 0.005: "$0.01", 1_234_567.89: "$1,234,567.89"})
	check(t, "TableUSD", TableUSD, map[float64]string{
		0.0049: "<$0.01", 999.49: "$999.49", 999.996: "$1,000", 99_999.4: "$99,999", 99_999.6: "$100k", 1_234_567: "$1.23M", 1e308: "$1e+308",
	})
	check(t, "TableSeconds", TableSeconds, map[float64]string{0: "0 ms", 0.9994: "999 ms", 0.9996: "1.0 s", 99.94: "99.9 s", 99.96: "1m40s"})
	check(t, "TablePercent", TablePercent, map[float64]string{0: "0.0%", 0.9417: "94.2%", 1: "100.0%"})
	check(t, "TableWholePercent", TableWholePercent, map[float64]string{0: "0%", 0.29: "29%", 0.999: "99%", 1: "100%", 1e9: "999%"})
}
