package naive

import (
	"regexp"
	"strings"
)

var (
	blankOrDot = regexp.MustCompile(`[\s\v.]`)
	// provider matches what may precede a model id, and decoration what may follow it.
	provider   = regexp.MustCompile(`^((us|us-gov|eu|apac|au|ca|jp|global)-)?anthropic-`)
	decoration = regexp.MustCompile(`(-v\d+:\d+|[@-]\d{8}|-latest|-?\[1m\])$`)
	// Only of Claude, a version without a colon is decoration.
	claudeVersion = regexp.MustCompile(`^(claude-.*|claude)-v\d+$`)

	versionFirst = regexp.MustCompile(`^claude-(\d\d?(?:-\d\d?)?)-([a-z]+)$`)
	versionLast  = regexp.MustCompile(`^claude-([a-z]+)-(\d\d?(?:-\d\d?)?)$`)
	// Claude 3 and before have the version first.
	firstVersions = regexp.MustCompile(`^[0-3](-|$)`)
)

// normalize returns the id by which a model is in the price list, if it is there.
func normalize(model string) string {
	id := provider.ReplaceAllString(spelled(model), "")
	for before := ""; id != before; {
		before = id
		id = decoration.ReplaceAllString(id, "")
		id = claudeVersion.ReplaceAllString(id, "$1")
		if version := versionFirst.ReplaceAllString(id, "$1"); version != id && !firstVersions.MatchString(version) {
			id = versionFirst.ReplaceAllString(id, "claude-$2-$1")
		}
		if version := versionLast.ReplaceAllString(id, "$2"); version != id && firstVersions.MatchString(version) {
			id = versionLast.ReplaceAllString(id, "claude-$2-$1")
		}
	}
	return id
}

// isRegional reports whether a model is an inference profile of a region on Bedrock.
func isRegional(model string) bool {
	region := provider.FindString(spelled(model))
	return region != "" && region != "anthropic-" && region != "global-anthropic-"
}

// spelled returns the last element of a model id, in lower case and with hyphens.
func spelled(model string) string {
	parts := strings.Split(model, "/")
	model = strings.Trim(parts[len(parts)-1], " \t\n\v\f\r")
	model = strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, model)
	return blankOrDot.ReplaceAllString(model, "-")
}
