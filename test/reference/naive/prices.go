package naive

import (
	"math/big"
	"strings"
	"time"
)

// priceList has the list prices in US dollars per million tokens:
//
//	models | input | 5m write | 1h write | cache read | output | condition; condition
//
// A condition is "from DAY", "until DAY", which includes that day, or "over TOKENS" in
// the prompt. Days are in UTC.
const priceList = `
claude-fable-5-2                    | 8    | 10    | 16   | 0.20 | 40    | from 2026-11-09
claude-fable-5-1, claude-mythos-5-1 | 10   | 12.50 | 20   | 0.25 | 50    | from 2026-09-01
claude-fable-5, claude-mythos-5     | 10   | 12.50 | 20   | 1.00 | 50    | from 2026-06-09
claude-opus-5-5                     | 4    | 5     | 8    | 0.20 | 20    | from 2026-09-22
claude-opus-5, claude-opus-4-8, claude-opus-4-7, claude-opus-4-6, claude-opus-4-5 | 5 | 6.25 | 10 | 0.50 | 25 |
claude-opus-4-1, claude-opus-4, claude-3-opus | 15 | 18.75 | 30 | 1.50 | 75 |
claude-sonnet-5-5                   | 2    | 2.50  | 4    | 0.20 | 10    | from 2026-09-28; until 2026-10-06
claude-sonnet-5-5                   | 2    | 2.50  | 4    | 0.10 | 10    | from 2026-10-07
claude-sonnet-5                     | 2    | 2.50  | 4    | 0.20 | 10    | from 2026-06-30
claude-sonnet-4-6, claude-3-7-sonnet, claude-3-5-sonnet | 3 | 3.75 | 6 | 0.30 | 15 |
claude-sonnet-4-5, claude-sonnet-4  | 3    | 3.75  | 6    | 0.30 | 15    |
claude-sonnet-4-5, claude-sonnet-4  | 6    | 7.50  | 12   | 0.60 | 22.50 | over 200,000
claude-haiku-5-5                    | 0.10 | 0.125 | 0.20 | 0.01 | 0.50  | from 2026-10-07
claude-haiku-5-5                    | 0.50 | 0.625 | 1.00 | 0.05 | 2.50  | from 2026-10-07; over 100,000
claude-haiku-4-5                    | 1    | 1.25  | 2    | 0.10 | 5     |
claude-3-5-haiku                    | 0.80 | 1     | 1.60 | 0.08 | 4     |
claude-3-haiku                      | 0.25 | 0.30  | 0.50 | 0.03 | 1.25  |
`

// fastList has the factors of fast mode in the same form.
const fastList = `
claude-fable-5-2, claude-opus-5-5, claude-opus-5, claude-opus-4-8 | 2 |
claude-opus-4-7, claude-opus-4-6 | 6 |
`

// regionFactor is the factor of inference in the US, and of regional inference
// profiles, except for the models in sameInRegions.
const regionFactor = "1.1"

var sameInRegions = []string{
	"claude-opus-4-1", "claude-opus-4", "claude-3-opus", "claude-sonnet-4", "claude-3-7-sonnet", "claude-3-5-sonnet",
	"claude-3-5-haiku", "claude-3-haiku",
}

// webSearch is the price of a web search in dollars.
const webSearch = "0.01"

// The columns of priceList.
const (
	colInput = iota
	colWrite5m
	colWrite1h
	colRead
	colOutput
)

// A row is a line of a list.
type row struct {
	models      []string
	values      []*big.Rat
	from, until time.Time // until is the first moment after; zero if unlimited
	over        float64   // prompt tokens that a request has to exceed
}

// inForce reports whether the row applies at a time.
func (r *row) inForce(at time.Time) bool {
	return !at.Before(r.from) && (r.until.IsZero() || at.Before(r.until))
}

func parseList(list string) (rows []row) {
	for line := range strings.Lines(strings.TrimSpace(list)) {
		columns := strings.Split(line, "|")
		for i := range columns {
			columns[i] = strings.TrimSpace(columns[i])
		}
		last := len(columns) - 1
		r := row{models: strings.Split(columns[0], ", ")}
		for _, column := range columns[1:last] {
			r.values = append(r.values, number(column))
		}
		for condition := range strings.SplitSeq(columns[last], "; ") {
			r.limit(condition)
		}
		rows = append(rows, r)
	}
	return rows
}

func (r *row) limit(condition string) {
	word, value, _ := strings.Cut(condition, " ")
	day := func() time.Time {
		at, err := time.Parse(time.DateOnly, value)
		if err != nil {
			panic(err)
		}
		return at
	}
	switch word {
	case "":
	case "from":
		r.from = day()
	case "until":
		r.until = day().AddDate(0, 0, 1)
	case "over":
		r.over, _ = number(strings.ReplaceAll(value, ",", "")).Float64()
	default:
		panic("unknown condition: " + condition)
	}
}
