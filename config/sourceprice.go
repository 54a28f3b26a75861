package config

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// PriceMultiplier returns the function that returns the factor of all prices of the
// source with some labels, and 0 for a source without a factor. It returns nil if no
// source has a factor. Prices depend on the labels alone, since a saved state has no
// paths.
func (c *Config) PriceMultiplier() func(counters.SourceLabels) pricing.Multiplier {
	hasMultiplier := func(s Source) bool { return s.PriceMultiplier != nil }
	if !slices.ContainsFunc(c.Sources, hasMultiplier) {
		return nil
	}
	return func(source counters.SourceLabels) pricing.Multiplier {
		labels := source.Labels()
		for _, s := range c.Sources {
			if hasMultiplier(s) && s.canHave(labels) {
				return pricing.Multiplier(*s.PriceMultiplier)
			}
		}
		return 0
	}
}

// canHave reports whether some directory of the source can have these labels.
// Placeholders in their values stand for any text, too.
func (s Source) canHave(labels map[string]string) bool {
	if len(labels) != len(s.Labels) {
		return false
	}
	for name, value := range s.Labels {
		other, ok := labels[name]
		if !ok || !canBe(value, other) && !canBe(other, value) {
			return false
		}
	}
	return true
}

// canBe reports whether a label can have a value if each placeholder is some text.
func canBe(template, value string) bool {
	literals := placeholder.Split(transcript.Clean(template), -1)
	for i, text := range literals {
		literals[i] = regexp.QuoteMeta(text)
	}
	return regexp.MustCompile(`^(?s:` + strings.Join(literals, `.*`) + `)$`).MatchString(value)
}

// priceProblems returns a problem for each source whose labels do not tell it from a
// source with another factor.
func (c *Config) priceProblems() problems {
	var found problems
	for i, s := range c.Sources {
		for j, other := range c.Sources[:i] {
			if s.factor() != other.factor() && s.canHave(other.Labels) {
				found.addKey("sources["+strconv.Itoa(i)+"]", "price_multiplier is not that of sources[%d], whose labels can be the same: add a label", j)
			}
		}
	}
	return found
}

func (s Source) factor() Multiplier {
	if s.PriceMultiplier == nil {
		return 0
	}
	return *s.PriceMultiplier
}
