package corpus

import (
	"math"
	"math/rand/v2"
)

// dice draw everything that is left to chance. The same seed draws the same.
type dice struct{ *rand.Rand }

func newDice(seed uint64) dice {
	const purpose = 0x636f72707573                    // apart from other users of the same seed
	return dice{rand.New(rand.NewPCG(seed, purpose))} //nolint:gosec // it must repeat itself
}

// chance is true in so many of a hundred cases.
func (d dice) chance(percent float64) bool { return d.Float64()*100 < percent }

// times draws how often something happens that does so in so many of a hundred
// cases, which may be more than all of them.
func (d dice) times(percent float64) int {
	n := int(percent / 100)
	if d.chance(percent - float64(n)*100) {
		n++
	}
	return n
}

// between draws a number from lo to hi, both included.
func (d dice) between(lo, hi int) int { return lo + d.IntN(hi-lo+1) }

// pick draws one of several values.
func pick[T any](d dice, values []T) T { return values[d.IntN(len(values))] }

// draw draws one of several values, each as often as its weight says.
func draw[T any](d dice, values []T, weight func(*T) int) *T {
	sum := 0
	for i := range values {
		sum += weight(&values[i])
	}
	at := d.IntN(sum)
	for i := range values {
		if at -= weight(&values[i]); at < 0 {
			return &values[i]
		}
	}
	panic("unreachable: the weights add up to more than what was drawn")
}

// Quantiles are what was measured of a size or a duration: the values at the
// shares of quantileAt. Between two of them a drawn value is as likely to be
// twice the lower one as to be half of the upper one.
type quantiles [len(quantileAt)]float64

var quantileAt = [...]float64{0, .10, .25, .50, .75, .90, .95, .99, .999, 1}

// of draws a value.
func (q *quantiles) of(d dice) int {
	at := d.Float64()
	i := 1
	for at > quantileAt[i] {
		i++
	}
	part := (at - quantileAt[i-1]) / (quantileAt[i] - quantileAt[i-1])
	lo, hi := math.Log1p(q[i-1]), math.Log1p(q[i])
	return int(math.Expm1(lo + part*(hi-lo)))
}
