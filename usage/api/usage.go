package api

import (
	"cmp"
	"errors"
	"fmt"
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
func (o *Options) usage(w http.ResponseWriter, r *http.Request) {
	parameters, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	q, err := ParseUsage(parameters, o.Now(), cmp.Or(o.Location, time.Local))
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	h, ok := o.recorded(w)
	if !ok {
		return
	}
	u, err := usage.Compute(&h, q)
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = u.WriteJSON(newPartWriter(w)) // an error means that the client has disconnected
}

var (
	errTwice = errors.New("given more than once")
	errZone  = errors.New("expected a time zone such as Europe/Berlin or UTC")
)

// IsUsageParameter reports whether a parameter of usage with this name is no label, so
// that no label with the name can be selected.
func IsUsageParameter(name string) bool {
	return slices.Contains([]string{"since", "until", "step", "by", "tz"}, name)
}

// ParseZone returns the time zone with a name, or local without one.
func ParseZone(name string, local *time.Location) (*time.Location, error) {
	if name == "" {
		return local, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("tz: %q: %w", name, errZone)
	}
	return zone, nil
}

// ParseUsage returns the query that parameters describe: since, until, step, by and tz.
// All others are labels with the values to select. Without tz, days are those of the
// zone local.
func ParseUsage(parameters url.Values, now time.Time, local *time.Location) (q usage.Query, err error) {
	q = usage.Query{Step: usage.Total, Location: local, Where: make(map[string][]string)}
	if zone, err := single(parameters, "tz"); err != nil {
		return q, err
	} else if q.Location, err = ParseZone(zone, local); err != nil {
		return q, err
	}
	now = now.In(q.Location)
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		var text string
		switch name {
		case "tz":
			continue
		case "by":
			q.By = SplitNames(parameters[name])
			continue
		case "since", "until", "step":
			if text, err = single(parameters, name); err != nil {
				return q, err
			}
		default:
			q.Where[name] = parameters[name]
			continue
		}
		switch {
		case name == "step" && text != "":
			q.Step, err = usage.ParseStep(text)
		case name == "since":
			q.Since, _, err = ParseDays(text, now)
		case name == "until":
			_, q.Until, err = ParseDays(text, now)
		}
		if err != nil {
			return q, fmt.Errorf("%s: %w", name, err)
		}
	}
	return q, checkRange(q.Since, q.Until)
}

// single returns the value of a parameter, or "".
func single(parameters url.Values, name string) (string, error) {
	if len(parameters[name]) > 1 {
		return "", fmt.Errorf("%s: %w", name, errTwice)
	}
	return parameters.Get(name), nil
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
