package exposition

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Difference is a total that differs between two sides. A missing total counts as 0.
type Difference[K comparable, N int64 | uint64 | float64] struct {
	Key       K
	Want, Got N
}

// Kind is "missing" without a got value, "extra" without a wanted value, or "differs".
func (d Difference[K, N]) Kind() string {
	switch {
	case d.Got == 0:
		return "missing"
	case d.Want == 0:
		return "extra"
	default:
		return "differs"
	}
}

func (d Difference[K, N]) String() string {
	return fmt.Sprintf("%v %s: want %v, got %v", d.Key, d.Kind(), d.Want, d.Got)
}

// Differences are sorted by key.
type Differences[K comparable, N int64 | uint64 | float64] []Difference[K, N]

// Text describes each difference in a line.
func (all Differences[K, N]) Text() string {
	var lines strings.Builder
	for _, d := range all {
		lines.WriteString(d.String() + "\n")
	}
	return lines.String()
}

// Err describes the first difference. It is nil if there are none.
func (all Differences[K, N]) Err() error {
	if len(all) == 0 {
		return nil
	}
	return fmt.Errorf("%v (and %d more differences)", all[0], len(all)-1)
}

// Diff returns the totals that differ. equal decides whether two values are the
// same; without it they must be equal.
func Diff[M ~map[K]N, K comparable, N int64 | uint64 | float64](
	want, got M, equal func(key K, want, got N) bool,
) (all Differences[K, N]) {
	if equal == nil {
		equal = func(_ K, want, got N) bool { return want == got }
	}
	keys := make(map[K]bool)
	for key := range maps.Keys(want) {
		keys[key] = true
	}
	for key := range maps.Keys(got) {
		keys[key] = true
	}
	for key := range keys {
		if !equal(key, want[key], got[key]) {
			all = append(all, Difference[K, N]{key, want[key], got[key]})
		}
	}
	slices.SortFunc(all, func(a, b Difference[K, N]) int {
		return cmp.Compare(fmt.Sprint(a.Key), fmt.Sprint(b.Key))
	})
	return all
}
