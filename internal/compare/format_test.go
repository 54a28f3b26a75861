package main

import (
	"testing"
	"time"
)

func TestNumbers(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{grouped(0), "0"},
		{grouped(999), "999"},
		{grouped(1000), "1,000"},
		{grouped(-999), "-999"},
		{grouped(-1234567), "-1,234,567"},
		{grouped(2847930202), "2,847,930,202"},
		{megabytes(0), "0.0"},
		{megabytes(1_250_000), "1.2"},
		{megabytes(9_949_999), "9.9"},
		{megabytes(9_950_000), "10"},
		{megabytes(2_147_483_648), "2,147"},
		{seconds(0), "0.00 s"},
		{seconds(1236 * time.Millisecond), "1.24 s"},
		{seconds(2 * time.Minute), "120.00 s"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

func TestDeviation(t *testing.T) {
	for _, test := range []struct {
		got, want int64
		text      string
	}{
		{5, 5, "exact"},
		{0, 0, "exact"},
		{1, 0, "should be 0"},
		{0, 7, "-100.0 %"},
		{150, 100, "+50.0 %"},
		{999, 1000, "-0.1 %"},
		{9996, 10000, "-0.04 %"},
		{2_847_930_203, 2_847_930_202, "+0.00000004 %"}, // never "+0.0 %"
	} {
		if got := deviation(test.got, test.want); got != test.text {
			t.Errorf("%d for %d is %q, want %q", test.got, test.want, got, test.text)
		}
	}
}
