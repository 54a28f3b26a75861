package config

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"
	"golang.org/x/text/unicode/norm"
)

// A Duration is a time.Duration in the notation of Prometheus: 30s, 10m, 1h30m, 60d.
type Duration = model.Duration

// A Size is a number of bytes, optionally with a unit: kB, MB and GB are powers of
// 1000, and KiB, MiB and GiB are powers of 1024.
type Size int64

// units are the units of sizes. A unit comes before its suffixes.
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

// UnmarshalYAML decodes a size.
func (s *Size) UnmarshalYAML(n *yaml.Node) error {
	v, ok := parseSize(n.Value)
	if n.Kind != yaml.ScalarNode || !ok {
		return errors.New("expected a size, such as 1048576, 10MB or 64MiB")
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

// Strings are a list of texts. In the file, a single text need not be in a list.
type Strings []string

// UnmarshalYAML decodes a text, or a list of texts.
func (s *Strings) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*s = Strings{n.Value}
		return nil
	}
	return n.Decode((*[]string)(s))
}

// A TimeZone is a time zone of the time zone database.
type TimeZone struct{ *time.Location }

// UnmarshalYAML decodes the name of a time zone.
func (z *TimeZone) UnmarshalYAML(n *yaml.Node) (err error) {
	if n.Kind == yaml.ScalarNode && n.Value != "" {
		z.Location, err = time.LoadLocation(n.Value)
	}
	if z.Location == nil || err != nil {
		return errors.New("expected a time zone, such as Europe/Berlin or UTC")
	}
	return nil
}

// A Pattern is a regular expression (RE2) that must match a text as a whole. The zero
// Pattern matches nothing.
type Pattern struct{ re *regexp.Regexp }

// NewPattern compiles a regular expression. It matches texts in Unicode's composed form
// (NFC).
func NewPattern(expr string) (Pattern, error) {
	expr = norm.NFC.String(expr)
	// Compile it without the anchors first, to reject "a)(b" and to quote the
	// expression as written in an error.
	if _, err := regexp.Compile(expr); err != nil {
		return Pattern{}, fmt.Errorf("compile pattern: %w", err)
	}
	re, err := regexp.Compile(`^(?s:` + expr + `)$`)
	if err != nil {
		return Pattern{}, fmt.Errorf("anchor pattern: %w", err)
	}
	return Pattern{re}, nil
}

// UnmarshalYAML decodes a regular expression.
func (p *Pattern) UnmarshalYAML(n *yaml.Node) (err error) {
	if n.Kind != yaml.ScalarNode {
		return errors.New("expected a regular expression")
	}
	*p, err = NewPattern(n.Value)
	return err
}

// expand returns the template with the groups of the match in text, "" if the pattern
// does not match.
func (p Pattern) expand(template, text string) string {
	if p.re == nil {
		return ""
	}
	if match := p.re.FindStringSubmatchIndex(text); match != nil {
		return string(p.re.ExpandString(nil, template, text, match))
	}
	return ""
}

// hasGroup reports whether the pattern has a group of that number or name.
func (p Pattern) hasGroup(name string) bool {
	if n, err := strconv.Atoi(name); err == nil {
		return n <= p.re.NumSubexp()
	}
	return p.re.SubexpIndex(name) >= 0
}

// decodeOff decodes the word off, which sets a flag, or a mapping.
func decodeOff(n *yaml.Node, off *bool, mapping any) error {
	if n.Kind == yaml.MappingNode {
		return n.Decode(mapping)
	}
	if *off = n.Value == "off"; !*off {
		return errors.New("expected off or a mapping")
	}
	return nil
}
