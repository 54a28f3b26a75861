package pricing

import (
	"errors"
	"strconv"
)

// A Multiplier is a factor of prices, in millionths.
type Multiplier uint64

// multiplierUnit is the Multiplier of 1.
const multiplierUnit = 1e6

// ParseMultiplier returns the multiplier of a decimal number such as 0.85.
func ParseMultiplier(text string) (Multiplier, error) {
	n, _, isExact := parseDecimal(text, 6)
	if !isExact || n == 0 || n > MaxMultiplier {
		return 0, errors.New("expected a number above 0 and up to 1000 with at most 6 decimal places, such as 0.85")
	}
	return Multiplier(n), nil
}

// String returns the multiplier as a decimal number.
func (m Multiplier) String() string {
	return strconv.FormatFloat(float64(m)/multiplierUnit, 'f', -1, 64)
}

// times returns a rate times the multiplier, rounded half up.
func (m Multiplier) times(rate uint64) uint64 {
	return product(rate, uint64(m)).rounded(multiplierUnit)
}

func (m Multiplier) applyTo(r Rates) Rates {
	for _, rate := range r.all() {
		*rate = m.times(*rate)
	}
	return r
}

// Multiplied returns the table with a multiplier for the rows that do not have their
// own.
func (t *Table) Multiplied(m Multiplier) *Table {
	table := NewTable(t.Updated, t.Rows)
	for i := range table.Rows {
		if r := &table.Rows[i]; r.Multiplier == 0 {
			r.Multiplier = m
		}
	}
	return table
}
