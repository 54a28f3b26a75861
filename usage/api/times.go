package api

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/usage"
)

var (
	// ErrRange is the error of a range without a time.
	ErrRange = errors.New("since must be before until")

	errTime    = errors.New("expected a time such as 2026-01-31T15:04:05Z, a date such as 2026-01-31 or 2026-01, today, yesterday, a duration such as 7d or 12h, or all")
	errTwice   = errors.New("given more than once")
	errUnknown = errors.New("unknown parameter, expected")
)

// checkParameters returns an error if a parameter is given twice, or has another name.
func checkParameters(parameters url.Values, names ...string) error {
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		switch {
		case !slices.Contains(names, name):
			return fmt.Errorf("%s: %w %s", name, errUnknown, strings.Join(names, ", "))
		case len(parameters[name]) > 1:
			return fmt.Errorf("%s: %w", name, errTwice)
		}
	}
	return nil
}

// parseRange returns the times of the parameters since and until. Without one, a time
// is zero: no limit.
func parseRange(parameters url.Values, now time.Time) (since, until time.Time, err error) {
	since, _, sinceErr := ParseDays(parameters.Get("since"), now)
	_, until, untilErr := ParseDays(parameters.Get("until"), now)
	switch {
	case sinceErr != nil:
		err = fmt.Errorf("since: %w", sinceErr)
	case untilErr != nil:
		err = fmt.Errorf("until: %w", untilErr)
	case !since.IsZero() && !until.IsZero() && !since.Before(until):
		err = ErrRange
	}
	return since, until, err
}

// ParseDays parses a time written by a person. For days and months it returns the
// beginning and the end (exclusive); for other times both are equal.
//
//	today, yesterday, 2026-01-31, 20260131, 2026-01
//	                                        in the location of now
//	7d, 2w, 1y                              midnight at the start of the last 7, 14
//	                                        or 365 days, today included
//	12h, 1d12h                              that long ago, to five minutes
//	2026-01-31T15:04:05Z                    this time
//	all                                     no limit: the zero time
func ParseDays(text string, now time.Time) (begin, end time.Time, err error) {
	year, month, day := now.Date()
	midnight := func(month time.Month, day int) time.Time { return usage.Midnight(year, month, day, now.Location()) }
	switch text {
	case "", "all":
		return begin, end, nil
	case "today":
		return midnight(month, day), midnight(month, day+1), nil
	case "yesterday":
		return midnight(month, day-1), midnight(month, day), nil
	}
	for _, layout := range []string{time.DateOnly, "20060102"} {
		if t, err := time.Parse(layout, text); err == nil {
			year, month, day = t.Date()
			return midnight(month, day), midnight(month, day+1), nil
		}
	}
	if t, err := time.Parse("2006-01", text); err == nil {
		year, month, _ = t.Date()
		return midnight(month, 1), midnight(month+1, 1), nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, t, nil
	}
	ago, err := model.ParseDuration(text)
	if err != nil {
		return begin, end, fmt.Errorf("%q: %w", text, errTime)
	}
	if days := int(time.Duration(ago) / (24 * time.Hour)); days > 0 && strings.ContainsAny(text[len(text)-1:], "dwy") {
		begin = midnight(month, day+1-days)
	} else {
		begin = now.Add(-time.Duration(ago)).Truncate(counters.Interval)
	}
	return begin, begin, nil
}
