package api

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/usage"
)

// UsagePath is the path of usage.
const UsagePath = "/api/v1/usage"

// usage sends the usage that the parameters of the request ask for.
func (s *server) usage(w http.ResponseWriter, r *http.Request) {
	q, ok := parsed(w, r, func(p url.Values) (usage.Query, error) { return ParseUsage(p, s.Now(), s.Location()) })
	if !ok {
		return
	}
	s.answer(w, r, func(to io.Writer) bool {
		h, ok := s.recorded(w)
		if !ok {
			return false
		}
		u, err := usage.Compute(&h, q)
		if err != nil {
			fail(w, http.StatusBadRequest, err.Error())
			return false
		}
		_ = u.WriteJSON(to) // which never fails
		return true
	})
}

var errZone = errors.New("expected a time zone such as Europe/Berlin, UTC or +05:30")

// once are the parameters of usage that have one value.
var once = []string{"since", "until", "step", "tz"}

// IsUsageParameter reports whether a parameter of usage with this name is no label, so
// that no label with the name can be selected.
func IsUsageParameter(name string) bool { return name == "by" || slices.Contains(once, name) }

// ParseZone returns the time zone of a parameter, or local without one.
func ParseZone(name string, local *time.Location) (*time.Location, error) {
	if name == "" {
		return local, nil
	}
	zone, err := usage.ParseZone(name)
	if err != nil {
		return nil, fmt.Errorf("tz: %q: %w", name, errZone)
	}
	return zone, nil
}

// ParseUsage returns the query that parameters describe: since, until, step, by and tz.
// All other parameters are labels with the values to select. Without tz, days are in
// the zone local.
func ParseUsage(parameters url.Values, now time.Time, local *time.Location) (q usage.Query, err error) {
	for _, name := range once {
		if len(parameters[name]) > 1 {
			return q, fmt.Errorf("%s: %w", name, errTwice)
		}
	}
	q.By, q.Where = SplitNames(parameters["by"]), maps.Clone(parameters)
	maps.DeleteFunc(q.Where, func(name string, _ []string) bool { return IsUsageParameter(name) })
	if q.Location, err = ParseZone(parameters.Get("tz"), local); err != nil {
		return q, err
	}
	if q.Step, err = usage.ParseStep(cmp.Or(parameters.Get("step"), string(usage.Total))); err != nil {
		return q, fmt.Errorf("step: %w", err)
	}
	q.Since, q.Until, err = parseRange(parameters, now.In(q.Location))
	return q, err
}

// SplitNames returns the names in lists with commas. It drops repetitions.
func SplitNames(lists []string) (names []string) {
	for name := range strings.SplitSeq(strings.Join(lists, ","), ",") {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
