package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/pricing"
)

// usageArgs is the usage of a request on the command line, in the form PART=NUMBER. It
// implements kingpin.Value.
type usageArgs struct {
	pricing.Usage
	given []string
}

// A usagePart is a part of the usage of a request, and the label value of its cost.
type usagePart struct {
	name  string
	count *uint64
}

func usageParts(u *pricing.Usage) []usagePart {
	return []usagePart{
		{"input", &u.Input},
		{"cache_write_5m", &u.CacheWrite5m},
		{"cache_write_1h", &u.CacheWrite1h},
		{"cache_read", &u.CacheRead},
		{"output", &u.Output},
		{"web_search", &u.WebSearches},
	}
}

// String implements kingpin.Value.
func (u *usageArgs) String() string { return strings.Join(u.given, " ") }

// IsCumulative makes kingpin call Set for every argument.
func (u *usageArgs) IsCumulative() bool { return true }

// Set adds a part.
func (u *usageArgs) Set(arg string) error {
	name, number, _ := strings.Cut(arg, "=")
	parts := usageParts(&u.Usage)
	i := slices.IndexFunc(parts, func(p usagePart) bool { return p.name == name })
	if i < 0 {
		var names []string
		for _, p := range parts {
			names = append(names, p.name)
		}
		return fmt.Errorf("%q: expected PART=NUMBER with one of %s", arg, strings.Join(names, ", "))
	}
	if slices.ContainsFunc(u.given, func(other string) bool { return strings.HasPrefix(other, name+"=") }) {
		return fmt.Errorf("%q: %s is already given", arg, name)
	}
	n, ok := parseCount(number)
	if !ok {
		return fmt.Errorf("%q: expected a number up to 1000M, such as 1200, 90k or 1.5M", arg)
	}
	*parts[i].count = n
	u.given = append(u.given, arg)
	return nil
}

// parseCount parses a whole number, which may be written in thousands or millions.
func parseCount(text string) (uint64, bool) {
	places := 0
	switch {
	case strings.HasSuffix(text, "k"):
		places = 3
	case strings.HasSuffix(text, "M"):
		places = 6
	}
	if places > 0 {
		text = text[:len(text)-1]
	}
	whole, fraction, hasPoint := strings.Cut(text, ".")
	if whole == "" || hasPoint && fraction == "" || len(fraction) > places {
		return 0, false
	}
	n, err := strconv.ParseUint(whole+fraction+strings.Repeat("0", places-len(fraction)), 10, 64)
	const most = 1e9
	return n, err == nil && n <= most
}

// A dateFlag is a day in UTC. It implements kingpin.Value.
type dateFlag struct {
	time.Time
	isSet bool
}

// String implements kingpin.Value.
func (d *dateFlag) String() string { return "" }

// Set parses a date.
func (d *dateFlag) Set(text string) (err error) {
	if d.Time, err = time.Parse(time.DateOnly, text); err != nil {
		return fmt.Errorf("--date: %q: expected a day, such as 2026-01-31", text)
	}
	d.isSet = true
	return nil
}

// unknownModel returns the error for a model without a price, with similar ids.
func unknownModel(table *pricing.Table, model string) error {
	id := pricing.Normalize(model)
	written := strconv.Quote(model)
	if id != model {
		written += " (" + strconv.Quote(id) + ")"
	}
	return errors.New("no price for the model " + written + "; similar ids: " + strings.Join(similar(table, id), ", ") +
		"; prices can be added with pricing.models in the configuration")
}

// similar returns the three ids of a table that are the most similar to another one.
func similar(table *pricing.Table, id string) []string {
	var ids []string
	for _, row := range table.Rows {
		ids = append(ids, row.Model)
	}
	ids = slices.Compact(ids)
	slices.SortStableFunc(ids, func(a, b string) int { return cmp.Compare(distance(a, id), distance(b, id)) })
	return ids[:min(3, len(ids))]
}

// distance returns the number of bytes to insert, delete or replace to get from one
// text to another.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
