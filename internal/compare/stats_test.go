package main

import (
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   float64
	}{
		{nil, 0},
		{[]float64{7}, 7},
		{[]float64{1, 4}, 2.5},
		{[]float64{9, 1, 2}, 2},
		{[]float64{100, 4, 1, 2}, 3},
		{[]float64{5, 5, 1, 9, 5}, 5},
	} {
		before := append([]float64(nil), test.values...)
		if got := median(test.values); got != test.want {
			t.Errorf("median of %v is %v, want %v", before, got, test.want)
		}
		for i, v := range before {
			if test.values[i] != v {
				t.Errorf("median of %v leaves %v", before, test.values)
			}
		}
	}
	if got, want := median([]time.Duration{3 * time.Second, time.Second}), 2*time.Second; got != want {
		t.Errorf("median of durations is %v, want %v", got, want)
	}
}

func TestPairedRatio(t *testing.T) {
	for _, test := range []struct {
		name   string
		of, to []sample
		want   float64
	}{
		{"with itself", took(3, 5, 4), took(3, 5, 4), 1},
		// The ratio of the medians would be 4.
		{"noise in some rounds", took(10, 20, 30), took(5, 1, 10), 3},
		{"in one round only", took(30), took(10, 1, 1), 3},
		{"no round", nil, took(1), 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := pairedRatio(test.of, test.to); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// took makes samples that took so many milliseconds.
func took(milliseconds ...int) []sample {
	var all []sample
	for _, ms := range milliseconds {
		all = append(all, sample{wall: time.Duration(ms) * time.Millisecond})
	}
	return all
}
