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
)

// normalize returns the id by which a model is in the price list, if it is there.
func normalize(model string) string {
	parts := strings.Split(model, "/")
	model = strings.Trim(parts[len(parts)-1], " \t\n\v\f\r")
	model = strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, model)
	model = blankOrDot.ReplaceAllString(model, "-")
	model = provider.ReplaceAllString(model, "")
	for decoration.MatchString(model) {
		model = decoration.ReplaceAllString(model, "")
	}
	return model
}
