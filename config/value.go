package config

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"
)

// A Duration is a time.Duration that is written as Prometheus writes them: 30s,
// 10m, 1h30m, 60d, 2w.
type Duration time.Duration

// String returns the duration as it is written in the file.
func (d Duration) String() string { return model.Duration(d).String() }

// UnmarshalYAML reads a duration.
func (d *Duration) UnmarshalYAML(n *yaml.Node) error {
	v, err := model.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil {
		return reject(n, "expected a duration, such as 30s, 10m or 60d")
	}
	*d = Duration(v)
	return nil
}

// A Count is a whole number.
type Count int

// UnmarshalYAML reads a whole number. The decoder by itself would take 1.5 for 1.
func (c *Count) UnmarshalYAML(n *yaml.Node) error {
	var v int
	if n.ShortTag() != "!!int" || n.Decode(&v) != nil {
		return reject(n, "expected a whole number")
	}
	*c = Count(v)
	return nil
}

// A Size is a number of bytes. It is written as a whole number, or with a unit:
// kB, MB and GB are powers of 1000, KiB, MiB and GiB powers of 1024.
type Size int64

// units are those of sizes. The order is that in which they are tried.
var units = []struct {
	name  string
	bytes int64
}{
	{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10},
	{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1},
}

// String returns the size in the largest power of 1024 that divides it.
func (s Size) String() string {
	for _, u := range units[:3] {
		if s != 0 && int64(s)%u.bytes == 0 {
			return strconv.FormatInt(int64(s)/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10) + "B"
}

// UnmarshalYAML reads a size.
func (s *Size) UnmarshalYAML(n *yaml.Node) error {
	v, ok := parseSize(n.Value)
	if n.Kind != yaml.ScalarNode || !ok {
		return reject(n, "expected a size, such as 1048576, 10MB or 64MiB")
	}
	*s = v
	return nil
}

func parseSize(text string) (Size, bool) {
	scale := int64(1)
	for _, u := range units {
		if at := len(text) - len(u.name); at > 0 && strings.EqualFold(text[at:], u.name) {
			text, scale = strings.TrimRight(text[:at], " "), u.bytes
			break
		}
	}
	n, err := strconv.ParseUint(text, 10, 63)
	v := int64(n)
	if err != nil || v > math.MaxInt64/scale {
		return 0, false
	}
	return Size(v * scale), true
}

// A Pattern is a regular expression (RE2) that has to match a whole text. The
// zero Pattern matches nothing.
type Pattern struct{ re *regexp.Regexp }

// NewPattern compiles a regular expression.
func NewPattern(expr string) (Pattern, error) {
	// First without the anchors: an expression like "a)(b" is none on its own,
	// and the error should show what was written.
	if _, err := regexp.Compile(expr); err != nil {
		return Pattern{}, fmt.Errorf("compile pattern: %w", err)
	}
	re, err := regexp.Compile(`^(?s:` + expr + `)$`)
	if err != nil {
		return Pattern{}, fmt.Errorf("anchor pattern: %w", err)
	}
	return Pattern{re}, nil
}

// UnmarshalYAML reads a regular expression.
func (p *Pattern) UnmarshalYAML(n *yaml.Node) error {
	v, err := NewPattern(n.Value)
	switch {
	case n.Kind != yaml.ScalarNode:
		return reject(n, "expected a regular expression")
	case err != nil:
		return reject(n, "%v", err)
	}
	*p = v
	return nil
}

// expand returns the template with the groups that the pattern matches in
// text, or "" if it does not match.
func (p Pattern) expand(template, text string) string {
	if p.re == nil {
		return ""
	}
	match := p.re.FindStringSubmatchIndex(text)
	if match == nil {
		return ""
	}
	return string(p.re.ExpandString(nil, template, text, match))
}

// hasGroup reports whether the pattern has a group with the given number or
// name.
func (p Pattern) hasGroup(name string) bool {
	if n, err := strconv.Atoi(name); err == nil {
		return n <= p.re.NumSubexp()
	}
	return p.re.SubexpIndex(name) >= 0
}
