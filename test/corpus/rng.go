package corpus

import (
	"math"
	"math/rand/v2"
)

const (
	hexDigits    = "0123456789abcdef"
	base62Digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// An rng draws everything that is random. The same seed draws the same.
type rng struct{ *rand.Rand }

func newRNG(seed uint64) rng {
	const stream = 0x636f72707573                   // differs from other users of the same seed
	return rng{rand.New(rand.NewPCG(seed, stream))} //nolint:gosec // reproducible, not secret
}

// chance returns true with a probability in percent.
func (r rng) chance(percent float64) bool { return r.Float64()*100 < percent }

// between draws a number from lo to hi, both included.
func (r rng) between(lo, hi int) int { return lo + r.IntN(hi-lo+1) }

// pick draws one of several values, all equally likely.
func pick[T any](r rng, values ...T) T { return values[r.IntN(len(values))] }

// draw draws a row of a table by the weights of a version.
func draw[T any, P interface {
	*T
	weightIn(n version) int
}](r rng, rows []T, n version) P {
	sum := 0
	for i := range rows {
		sum += P(&rows[i]).weightIn(n)
	}
	at := r.IntN(sum)
	for i := range rows {
		if at -= P(&rows[i]).weightIn(n); at < 0 {
			return &rows[i]
		}
	}
	panic("unreachable: the drawn number is less than the sum of the weights")
}

// quantiles are the measured values of a size or duration, at the probabilities of
// quantileAt. Between two of them values are interpolated logarithmically.
type quantiles [len(quantileAt)]float64

var quantileAt = [...]float64{0, .10, .25, .50, .75, .90, .95, .99, .999, 1}

func (q *quantiles) of(r rng) int {
	at := r.Float64()
	i := 1
	for at > quantileAt[i] {
		i++
	}
	part := (at - quantileAt[i-1]) / (quantileAt[i] - quantileAt[i-1])
	lo, hi := math.Log1p(q[i-1]), math.Log1p(q[i])
	return int(math.Expm1(lo + part*(hi-lo)))
}

func (r rng) digits(digits string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = digits[r.IntN(len(digits))]
	}
	return string(b)
}

func (r rng) hex(n int) string { return r.digits(hexDigits, n) }

func (r rng) uuid() string {
	u := []byte("xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx")
	for from := 0; from < len(u); from += 18 { // a half has at most 16 digits
		bits := r.Uint64()
		for i := range u[from : from+18] {
			if u[from+i] == 'x' {
				u[from+i] = hexDigits[bits&15]
				bits >>= 4
			}
		}
	}
	return string(u)
}
