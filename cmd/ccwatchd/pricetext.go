package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ccwatchd/ccwatchd/pricing"
)

// rateCells returns a line of tab-separated cells for a header and for each of several
// rates, with the decimal points of a column below each other.
func rateCells(all []pricing.Rates) []string {
	columns := []struct {
		name string
		of   func(pricing.Rates) uint64
	}{
		{"INPUT", func(r pricing.Rates) uint64 { return r.Input }},
		{"5M WRITE", func(r pricing.Rates) uint64 { return r.CacheWrite5m }},
		{"1H WRITE", func(r pricing.Rates) uint64 { return r.CacheWrite1h }},
		{"CACHE READ", func(r pricing.Rates) uint64 { return r.CacheRead }},
		{"OUTPUT", func(r pricing.Rates) uint64 { return r.Output }},
	}
	lines := make([][]string, len(all)+1)
	for _, column := range columns {
		cells := []string{column.name}
		decimals := 0
		for _, r := range all {
			cells = append(cells, perMillion(column.of(r)))
			decimals = max(decimals, decimalsOf(cells[len(cells)-1]))
		}
		width := len(column.name)
		for i := 1; i < len(cells); i++ {
			cells[i] += strings.Repeat(" ", decimals-decimalsOf(cells[i]))
			width = max(width, len(cells[i]))
		}
		for i, cell := range cells {
			lines[i] = append(lines[i], fmt.Sprintf("%*s", width, cell))
		}
	}
	joined := make([]string, len(lines))
	for i, line := range lines {
		joined[i] = strings.Join(line, "\t")
	}
	return joined
}

func decimalsOf(number string) int {
	_, fraction, _ := strings.Cut(number, ".")
	return len(fraction)
}

// perMillion formats a rate in US dollars per million tokens, with at least two decimal
// places.
func perMillion(rate uint64) string {
	whole, fraction := rate/1e6, strings.TrimRight(fmt.Sprintf("%06d", rate%1e6), "0")
	return fmt.Sprintf("%d.%-2s", whole, fraction+strings.Repeat("0", max(0, 2-len(fraction))))
}

// dollars formats an amount of 10^-9 US dollars.
func dollars(amount uint64) string {
	return fmt.Sprintf("%d.%09d", amount/1e9, amount%1e9)
}

// grouped formats a number with commas between thousands.
func grouped(n uint64) string {
	text := strconv.FormatUint(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
