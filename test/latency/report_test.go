package main

import (
	"testing"
	"time"
)

func TestDistribution(t *testing.T) {
	ms := func(values ...int) (all []time.Duration) {
		for _, v := range values {
			all = append(all, time.Duration(v)*time.Millisecond)
		}
		return all
	}
	var hundred []int
	for i := range 100 {
		hundred = append(hundred, 100-i)
	}
	for _, test := range []struct {
		name, want string
		all        []time.Duration
	}{
		{"one", "3.0 ms / 3.0 ms / 3.0 ms / 3.0 ms", ms(3)},
		{"two", "2.0 ms / 2.0 ms / 40 ms / 40 ms", ms(40, 2)},
		{"unsorted", "1.0 ms / 3.0 ms / 5.0 ms / 5.0 ms", ms(5, 1, 4, 2, 3)},
		{"a hundred", "1.0 ms / 50 ms / 95 ms / 100 ms", ms(hundred...)},
	} {
		if got := distribution(test.all); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		40 * time.Microsecond:     "0.0 ms",
		940 * time.Microsecond:    "0.9 ms",
		9940 * time.Microsecond:   "9.9 ms",
		9960 * time.Microsecond:   "10 ms",
		999 * time.Millisecond:    "999 ms",
		999600 * time.Microsecond: "1.0 s",
		8449 * time.Millisecond:   "8.4 s",
		90 * time.Second:          "90.0 s",
	} {
		if got := duration(d); got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
	}
}
