package format

// A Cost is the cost of some usage.
type Cost struct {
	USD      float64 // of the tokens with a known price
	Unpriced bool    // some tokens have, or may have, no known price
}

// IsKnown reports whether any token has a known price. A price may be 0.
func (c Cost) IsKnown() bool { return c.USD > 0 || !c.Unpriced }

// Text formats a cost, with a plus sign if it is a lower bound. It returns unknown if
// no price is known.
func (c Cost) Text(money func(float64) string, unknown string) string {
	switch {
	case !c.IsKnown():
		return unknown
	case c.Unpriced:
		return money(c.USD) + "+"
	}
	return money(c.USD)
}
