package web

import (
	"math"

	"github.com/ccwatchd/ccwatchd/internal/format"
)

// A comparison compares an amount with the amount before.
type comparison struct {
	Now    string
	Before string // empty if there is nothing to compare with
	// Difference is a percentage without a sign, and Words describe the change. Difference
	// is empty if a percentage would mean nothing.
	Difference, Words string
	Direction         string // up, down or same
}

// compare compares an amount with the amount before.
func compare(now, before float64, show func(float64) string) comparison {
	c := comparison{Now: show(now), Before: show(before)}
	change := now/before - 1
	switch {
	case now == before:
		c.Direction, c.Words = "same", "the same as"
	case math.Abs(change) < 0.005: // the amounts may be shown differently, as 1.8G and 1.7G
		c.Direction, c.Words = "same", "about the same as"
	case before == 0:
		c.Direction, c.Words = "up", "more than"
	case change >= 9:
		c.Direction, c.Words = "up", show(now-before)+" more than"
	case change > 0:
		c.Direction, c.Difference, c.Words = "up", format.Percent(change), "more than"
	default:
		c.Direction, c.Difference, c.Words = "down", format.Percent(-change), "less than"
	}
	return c
}

// signed returns the difference with its sign, empty if a percentage says nothing.
func (c *comparison) signed() string {
	switch {
	case c.Difference == "":
		return ""
	case c.Direction == "up":
		return "+" + c.Difference
	}
	return "−" + c.Difference
}

// A card compares the usage of a period with the period before.
type card struct {
	Period       link
	Cost, Tokens comparison
	Priced       bool   // there is a cost
	Baseline     string // what the comparisons compare with; empty if there is none
	NoBaseline   string // why there is none; empty if that is stated above
}

func newCard(s *span, to link) card {
	c := card{Period: to, Priced: isPriced(&s.current), Baseline: s.baseline()}
	c.Cost = s.compareCost()
	c.Tokens = compare(float64(s.current.Total.Tokens()), float64(s.before.Total.Tokens()), format.Short)
	if !s.comparable {
		c.Cost.Before, c.Tokens.Before = "", ""
	}
	return c
}

// compareCost compares the cost of a span with the cost before, if it is known.
func (s *span) compareCost() comparison {
	now, before := totalCost(&s.current), totalCost(&s.before)
	c := compare(now.USD, before.USD, format.USD)
	c.Now, c.Before = costText(now), before.Text(format.USD, "")
	return c
}

// baseline returns the name of the period that a span is compared with, or "".
func (s *span) baseline() string {
	if !s.comparable {
		return ""
	}
	return s.period.baseline
}

// The reasons why a span is not compared with the period before.
const (
	unknownBefore = "No comparison: earlier usage unknown."
	nothingBefore = "No comparison: no earlier usage."
)

// The formats of dates.
const (
	dayFormat     = "2 January 2006"
	shortDay      = "2 Jan"
	weekdayFormat = "Mon 2 Jan"
)
