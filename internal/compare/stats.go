package main

import (
	"slices"
	"time"
)

// median returns the middle of some values, the mean of both where two are in
// the middle, and 0 of none.
func median[T ~int64 | ~float64](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	switch {
	case n == 0:
		return 0
	case n%2 == 1:
		return sorted[n/2]
	default:
		return (sorted[n/2-1] + sorted[n/2]) / 2
	}
}

// values takes one number out of every sample.
func values[T any](samples []sample, of func(sample) T) []T {
	all := make([]T, len(samples))
	for i, s := range samples {
		all[i] = of(s)
	}
	return all
}

func wall(s sample) time.Duration { return s.wall }

// pairedRatio returns how many times as long as another a program took: the
// median of the ratios of the rounds that both took part in, 0 without any.
func pairedRatio(of, to []sample) float64 {
	var ratios []float64
	for i := range min(len(of), len(to)) {
		ratios = append(ratios, float64(of[i].wall)/float64(to[i].wall))
	}
	return median(ratios)
}
