package naive

import (
	"regexp"
	"strings"
)

var (
	blankOrDot = regexp.MustCompile(`[\s\v.]`)
	// provider matches a prefix of a model id, and decoration a suffix.
	provider   = regexp.MustCompile(`^((us|us-gov|eu|apac|au|ca|jp|global)-)?anthropic-`)
	dotted     = regexp.MustCompile(`([^.]*)[.]$`)
	decoration = regexp.MustCompile(`(-v\d+:\d+|[@-]\d{8}|-latest|-?\[1m\])$`)
	// Only of Claude, a version without a colon is decoration.
	claudeVersion = regexp.MustCompile(`^(claude-.*|claude)-v\d+$`)

	versionFirst = regexp.MustCompile(`^(\d\d?(?:-\d\d?)?)-([a-z]+)((?:[^\pL\p{Nd}].*)?)$`)
	versionLast  = regexp.MustCompile(`^([a-z]+)-(\d\d?(?:-\d\d?)?)((?:[^\pL\p{Nd}].*)?)$`)
	word         = regexp.MustCompile(`[\pL\p{Nd}]$`)
	// continued matches a text that turns the version before it into another version or
	// word.
	continued = regexp.MustCompile(`^([\pL\p{Nd}]|-\d\d?([^\pL\p{Nd}]|$))`)
	// Claude 3 and before have the version first.
	firstVersions = regexp.MustCompile(`^[0-3](-|$)`)
)

// normalize returns the id that a model has in the price list, if it is listed.
func normalize(model string) string {
	id, _ := withoutProvider(model)
	for before := ""; id != before; {
		before = id
		id = decoration.ReplaceAllString(id, "")
		id = claudeVersion.ReplaceAllString(id, "$1")
		if head, rest, ok := strings.Cut(id, "claude-"); ok && !word.MatchString(head) {
			id = head + "claude-" + ordered(rest)
		}
	}
	return id
}

// ordered returns the text after "claude-" with the version in Anthropic's order.
func ordered(rest string) string {
	if m := versionFirst.FindStringSubmatch(rest); len(m) > 0 && !continued.MatchString(m[3]) && !firstVersions.MatchString(m[1]) {
		return m[2] + "-" + m[1] + m[3]
	}
	if m := versionLast.FindStringSubmatch(rest); len(m) > 0 && !continued.MatchString(m[3]) && firstVersions.MatchString(m[2]) {
		return m[2] + "-" + m[1] + m[3]
	}
	return rest
}

// contains reports whether an id contains a name as a whole.
func contains(id, name string) bool {
	for at := range id {
		if rest, ok := strings.CutPrefix(id[at:], name); ok && !word.MatchString(id[:at]) && !continued.MatchString(rest) {
			return true
		}
	}
	return false
}

// isRegional reports whether a model is an inference profile of a region on Bedrock.
func isRegional(model string) bool {
	_, region := withoutProvider(model)
	return region != "" && strings.TrimSuffix(region, ".") != "global"
}

// withoutProvider returns an id as spelled, without the prefix of a provider, and its
// region, if it has one.
func withoutProvider(model string) (id, region string) {
	id = blankOrDot.ReplaceAllString(lower(model), "-")
	var rest string
	if prefix := provider.FindString(id); prefix != "" {
		region = strings.TrimSuffix(strings.TrimSuffix(prefix, "anthropic-"), "-")
		if rest = id[len(prefix):]; region == "" || region == "global" {
			rest = strings.TrimLeft(rest, "-")
		}
		return rest, region
	}
	if before, after, ok := strings.Cut(id, "anthropic-"); ok {
		if m := dotted.FindStringSubmatch(lower(model)[:len(before)]); m != nil {
			return after, m[1] + "."
		}
	}
	return id, ""
}

// lower returns the last element of a model id in lower case.
func lower(model string) string {
	parts := strings.Split(model, "/")
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, strings.Trim(parts[len(parts)-1], " \t\n\v\f\r"))
}
