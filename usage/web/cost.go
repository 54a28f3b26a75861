package web

import (
	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/usage"
)

// noPrice is the cost of tokens without a known price.
const noPrice = "no price"

func costText(c format.Cost) string { return c.Text(format.USD, noPrice) }

func costOf(u *usage.Usage, part *usage.Values) format.Cost {
	return format.Cost{USD: part.USD(), Unpriced: u.HasUnpriced(part)}
}

func totalCost(u *usage.Usage) format.Cost { return costOf(u, &u.Total) }

func sessionCost(s *ledger.SessionTotals) format.Cost {
	return format.Cost{USD: float64(s.NanoUSD) / 1e9, Unpriced: s.Unpriced > 0}
}

// isPriced reports whether a usage has a known cost. Without usage, that is 0.
func isPriced(u *usage.Usage) bool { return has(u, usage.Cost) && totalCost(u).IsKnown() }

// isFree reports whether the tokens of a usage cost nothing.
func isFree(u *usage.Usage) bool { return u.Total[usage.Cost] == 0 && u.Total.Tokens() > 0 }
