package counters

import (
	"math"
	"slices"
)

// maxBounds is the maximum number of bounds. Above it, bounds that are not exposed are
// forgotten.
const maxBounds = 1000

// areBounds reports whether bounds of buckets are in order.
func areBounds(bounds []float64) bool {
	for i := range bounds {
		if math.IsNaN(bounds[i]) || i > 0 && bounds[i] <= bounds[i-1] {
			return false
		}
	}
	return true
}

// rebucket changes the bounds that a histogram exposes. Counts under a bound that is no
// longer exposed are kept, so the bound continues from its count when it returns. A new
// bound begins with the count of the bound below it. So no cumulative count falls.
func (t *familySeries) rebucket(exposed []float64) {
	bounds := exposed
	if len(t.inOrder) > 0 {
		bounds = slices.Concat(t.bounds, exposed)
		slices.Sort(bounds)
		bounds = slices.Compact(bounds)
	}
	if len(bounds) > maxBounds {
		bounds = exposed
	}
	for _, s := range t.series {
		moved := make([]uint64, len(bounds)+1)
		for i, n := range s.Counts {
			moved[bucketOf(bounds, t.bounds, i)] += n
		}
		s.Counts = moved
	}
	t.bounds, t.Buckets = slices.Clone(bounds), slices.Clone(exposed)
	t.assignBuckets()
}

// assignBuckets finds the exposed bucket of each count.
func (t *familySeries) assignBuckets() {
	t.buckets = make([]int, len(t.bounds)+1)
	for i := range t.buckets {
		t.buckets[i] = bucketOf(t.Buckets, t.bounds, i)
	}
}

// bucketOf returns the bucket, by bounds, that contains bucket i by the bounds others.
// The last bucket has no bound.
func bucketOf(bounds, others []float64, i int) int {
	if i == len(others) {
		return len(bounds)
	}
	at, _ := slices.BinarySearch(bounds, others[i])
	return at
}

// validBounds reports whether the decoded bounds are in order and contain the exposed
// bounds.
func (t *familySeries) validBounds() bool {
	if t.Type != Histogram {
		return len(t.Buckets)+len(t.bounds) == 0
	}
	unknown := func(bound float64) bool { return !slices.Contains(t.bounds, bound) }
	return areBounds(t.Buckets) && areBounds(t.bounds) && !slices.ContainsFunc(t.Buckets, unknown)
}
