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

	"github.com/prometheus/common/model"
)

// Validate returns everything that is wrong with the configuration as one
// error, each problem with its key. Load has done so already.
func (c *Config) Validate() error { return c.problems().join() }

func (c *Config) problems() problems {
	found := c.sourceProblems()
	found = append(found, c.Labels.problems()...)
	found = append(found, c.Buckets.problems()...)
	found = append(found, c.Intervals.problems()...)
	within(&found, "limits.line_size", c.Limits.LineSize, 4<<10, 1<<30)
	within(&found, "limits.watches", c.Limits.Watches, 0, 1<<20)
	within(&found, "retention.dedup_keys", c.Retention.DedupKeys, Duration(time.Hour), longest)
	return append(found, c.remoteWriteProblems()...)
}

// longest bounds durations that may be as long as anybody likes.
const longest = Duration(10 * 365 * 24 * time.Hour)

// within checks that lowest <= v <= highest.
func within[T ~int | ~int64](found *problems, key string, v, lowest, highest T) {
	if v < lowest || v > highest {
		found.with(key, "%v is not between %v and %v", v, lowest, highest)
	}
}

func (c *Config) sourceProblems() problems {
	var found problems
	if len(c.Sources) == 0 {
		found.with("sources", "there are none")
	}
	for i, s := range c.Sources {
		found = append(found, s.problems("sources["+strconv.Itoa(i)+"]")...)
	}
	if len(found) > 0 {
		return found
	}
	_, found = c.roots()
	return found
}

func (s Source) problems(key string) problems {
	var found problems
	switch {
	case s.Path == "":
		found.with(key+".path", "it is missing")
	case strings.Contains(s.Path, "**"):
		found.with(key+".path", "** is not supported; everything below a directory is read anyway")
	case !filepath.IsAbs(s.Path):
		found.with(key+".path", "%q is not an absolute path", s.Path)
	}
	stars := strings.Count(s.Path, "*")
	for _, name := range slices.Sorted(maps.Keys(s.Labels)) {
		if reason := refuse(name); reason != "" {
			found.with(key+".labels", "the name %q %s", name, reason)
		}
		for _, n := range placeholder.FindAllStringSubmatch(s.Labels[name], -1) {
			if i, err := strconv.Atoi(n[1]); err != nil || i < 1 || i > stars {
				found.with(key+".labels."+name, "%s has no * in the path to stand for", n[0])
			}
		}
	}
	return found
}

// refuse says why a source may not have a label of that name, "" if it may.
func refuse(name string) string {
	switch {
	case !model.LegacyValidation.IsValidLabelName(name):
		return "is not made of letters, digits and underscores, with no digit first"
	case strings.HasPrefix(name, model.ReservedLabelPrefix):
		return "begins with __, as only labels of Prometheus itself do"
	case slices.Contains(reserved, name):
		return "is that of a label which the metrics have themselves"
	case name == model.JobLabel, name == model.InstanceLabel:
		return "is that of a label which Prometheus adds when it scrapes"
	}
	return ""
}

func (l *Labels) problems() problems {
	var found problems
	if !slices.Contains([]Naming{ByName, ByPath, NoName}, l.Projects.Naming) {
		found.with("labels.project.naming", "%q is none of %s, %s and %s", l.Projects.Naming, ByName, ByPath, NoName)
	}
	for i, r := range l.Projects.Map {
		found = append(found, r.problems("labels.project.map["+strconv.Itoa(i)+"]")...)
	}
	for i, name := range l.Commands {
		if name == "" || strings.ContainsAny(name, " \t/") {
			found.with(fmt.Sprintf("labels.commands[%d]", i), "%q is not the name of a command", name)
		}
	}
	limits := l.MaxValues.ByLabel()
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		within(&found, "labels.max_values."+name, limits[name], 0, 10_000)
	}
	within(&found, "labels.max_series_per_family", l.MaxSeries, 1, 1_000_000)
	return found
}

// reference finds what stands for a group in the name of a rule, as package
// regexp reads it; and $$, which stands for a dollar sign.
var reference = regexp.MustCompile(`\$(?:\$|([\p{L}\p{Nd}_]+)|\{([\p{L}\p{Nd}_]+)\})`)

func (r Rule) problems(key string) problems {
	var found problems
	if r.Match.re == nil {
		found.with(key+".match", "it is missing")
	}
	if r.Name == "" {
		found.with(key+".name", "it is missing")
	}
	if len(found) > 0 {
		return found
	}
	for _, m := range reference.FindAllStringSubmatch(r.Name, -1) {
		if group := m[1] + m[2]; group != "" && !r.Match.hasGroup(group) {
			found.with(key+".name", "%s stands for a group that the match does not have; ${1}_x is group 1 with _x after it", m[0])
		}
	}
	return found
}

func (b Buckets) problems() problems {
	var found problems
	bounds := b.ByFamily()
	for _, family := range slices.Sorted(maps.Keys(bounds)) {
		key, list := "buckets."+strings.TrimPrefix(family, "claude_"), bounds[family]
		if len(list) < 1 || len(list) > 100 {
			found.with(key, "there must be 1 to 100, not %d", len(list))
		}
		for i, v := range list {
			switch {
			case math.IsNaN(v) || math.IsInf(v, 0):
				found.with(key, "%v is not a finite number", v)
			case i > 0 && v <= list[i-1]:
				found.with(key, "%v after %v: they must increase", v, list[i-1])
			}
		}
	}
	return found
}

func (v Intervals) problems() problems {
	var found problems
	within(&found, "intervals.scan", v.Scan, Duration(time.Second), Duration(24*time.Hour))
	within(&found, "intervals.poll", v.Poll, Duration(10*time.Millisecond), Duration(time.Hour))
	within(&found, "intervals.message_timeout", v.MessageTimeout, Duration(time.Second), longest)
	within(&found, "intervals.checkpoint", v.Checkpoint, Duration(time.Second), Duration(24*time.Hour))
	within(&found, "intervals.sync", v.Sync, Duration(10*time.Millisecond), Duration(time.Hour))
	within(&found, "intervals.zero_window", v.ZeroWindow, 0, Duration(time.Hour))
	within(&found, "intervals.session_active", v.SessionActive, Duration(time.Second), longest)
	return found
}
