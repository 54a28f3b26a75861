package config

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/prometheus/common/model"
)

// Validate returns all problems of the configuration as one error, each with its key.
// Load has validated the Config that it returns.
func (c *Config) Validate() error { return c.problems().join("") }

// problems returns the mistakes in the values of the configuration, with their keys.
func (c *Config) problems() problems {
	found := c.sourceProblems()
	found = append(found, c.Labels.problems()...)
	found = append(found, c.Buckets.problems()...)
	found = append(found, c.Intervals.problems()...)
	checkRange(&found, "limits.line_size", c.Limits.LineSize, 4<<10, 1<<30)
	checkRange(&found, "limits.watches", c.Limits.Watches, 0, 1<<20)
	checkRange(&found, "limits.dedup_keys", c.Limits.DedupKeys, 10_000, 1<<30)
	checkRange(&found, "history.detailed_for", c.History.DetailedFor, Duration(24*time.Hour), maxDuration)
	checkRange(&found, "retention.dedup_keys", c.Retention.DedupKeys, Duration(time.Hour), maxDuration)
	found = append(found, c.Pricing.problems()...)
	return append(found, c.remoteWriteProblems()...)
}

// maxDuration limits durations that have no limit of their own.
const maxDuration = Duration(10 * 365 * 24 * time.Hour)

func checkRange[T ~int | ~int64 | ~float64](found *problems, key string, v, lowest, highest T) {
	if inRange := v >= lowest && v <= highest; !inRange { // NaN is not
		found.addKey(key, "%v is not between %v and %v", v, lowest, highest)
	}
}

func (c *Config) sourceProblems() problems {
	var found problems
	if len(c.Sources) == 0 {
		found.addKey("sources", "none are configured")
	}
	for i, s := range c.Sources {
		found = append(found, s.problems("sources["+strconv.Itoa(i)+"]")...)
	}
	if len(found) > 0 {
		return found
	}
	_, _, found = c.roots()
	return append(found, c.priceProblems()...)
}

func (s Source) problems(key string) problems {
	var found problems
	switch {
	case s.Path == "":
		found.addKey(key+".path", "missing")
	case strings.ContainsFunc(s.Path, unicode.IsControl): // "C:\temp" has a tab
		found.addKey(key+".path", "the path contains a control character: put a Windows path in single quotes")
	case strings.Contains(s.Path, "**"):
		found.addKey(key+".path", "** is not supported: directories are always read recursively")
	case !filepath.IsAbs(s.Path):
		found.addKey(key+".path", "%q is not an absolute path", s.Path)
	}
	stars := strings.Count(s.Path, "*")
	for _, name := range slices.Sorted(maps.Keys(s.Labels)) {
		if reason := labelNameProblem(name); reason != "" {
			found.addKey(key+".labels", "invalid label name %q: %s", name, reason)
		}
		for _, n := range placeholder.FindAllStringSubmatch(s.Labels[name], -1) {
			if i, err := strconv.Atoi(n[1]); err != nil || i < 1 || i > stars {
				found.addKey(key+".labels."+name, "%s has no corresponding * in the path", n[0])
			}
		}
	}
	return found
}

// labelNameProblem returns why a label cannot be configured, "" if it can.
func labelNameProblem(name string) string {
	switch {
	case !model.LegacyValidation.IsValidLabelName(name):
		return "use letters, digits and underscores, and no digit at the beginning"
	case strings.HasPrefix(name, model.ReservedLabelPrefix):
		return "names that begin with __ are reserved for Prometheus"
	case isReserved(name):
		return "the metrics already have this label"
	case name == model.JobLabel, name == model.InstanceLabel:
		return "Prometheus adds this label when it scrapes"
	}
	return ""
}

func (l *Labels) problems() problems {
	var found problems
	if !slices.Contains([]Naming{ByName, ByPath, NoName}, l.Projects.Naming) {
		found.addKey("labels.project.naming", "expected one of %s, %s and %s, got %q",
			ByName, ByPath, NoName, l.Projects.Naming)
	}
	for i, r := range l.Projects.Map {
		found = append(found, r.problems("labels.project.map["+strconv.Itoa(i)+"]")...)
	}
	for i, name := range l.Commands {
		if name == "" || strings.ContainsAny(name, " \t/") {
			found.addKey(fmt.Sprintf("labels.commands[%d]", i), "invalid command name %q", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.MaxValues)) {
		checkRange(&found, "labels.max_values."+name, l.MaxValues[name], 0, 10_000)
	}
	checkRange(&found, "labels.max_series_per_family", l.MaxSeries, 1, 1_000_000)
	return found
}

// groupReference matches a reference to a group in the name of a rule, with the syntax
// of package regexp, and $$, the escaped dollar sign.
var groupReference = regexp.MustCompile(`\$(?:\$|([\p{L}\p{Nd}_]+)|\{([\p{L}\p{Nd}_]+)\})`)

func (r Rule) problems(key string) problems {
	var found problems
	if r.Match.re == nil {
		found.addKey(key+".match", "missing")
	}
	if r.Name == "" {
		found.addKey(key+".name", "missing")
	}
	if len(found) > 0 {
		return found
	}
	for _, m := range groupReference.FindAllStringSubmatch(r.Name, -1) {
		if group := m[1] + m[2]; group != "" && !r.Match.hasGroup(group) {
			found.addKey(key+".name", "%s refers to a group that match does not have; ${1}_x is group 1 followed by _x", m[0])
		}
	}
	return found
}

func (b Buckets) problems() problems {
	var found problems
	for _, name := range slices.Sorted(maps.Keys(b)) {
		key, list := "buckets."+name, b[name]
		if len(list) < 1 || len(list) > 100 {
			found.addKey(key, "expected 1 to 100 bounds, got %d", len(list))
		}
		for i, v := range list {
			switch {
			case math.IsNaN(v) || math.IsInf(v, 0):
				found.addKey(key, "%v is not a finite number", v)
			case i > 0 && v <= list[i-1]:
				found.addKey(key, "%v follows %v: bounds must increase", v, list[i-1])
			}
		}
	}
	return found
}

func (v Intervals) problems() problems {
	var found problems
	checkRange(&found, "intervals.scan", v.Scan, Duration(time.Second), Duration(24*time.Hour))
	checkRange(&found, "intervals.poll", v.Poll, Duration(10*time.Millisecond), Duration(time.Hour))
	checkRange(&found, "intervals.message_timeout", v.MessageTimeout, Duration(time.Second), maxDuration)
	checkRange(&found, "intervals.checkpoint", v.Checkpoint, Duration(time.Second), Duration(24*time.Hour))
	checkRange(&found, "intervals.sync", v.Sync, Duration(10*time.Millisecond), Duration(time.Hour))
	checkRange(&found, "intervals.zero_window", v.ZeroWindow, 0, Duration(time.Hour))
	checkRange(&found, "intervals.session_active", v.SessionActive, Duration(time.Second), maxDuration)
	return found
}
