package cost

import (
	"regexp"
	"strings"
)

// decoration matches what may follow a model id.
var decoration = regexp.MustCompile(`(-v1:0|@\d{8}|-\d{8}|-latest|\[1m\])$`)

// normalize returns the id by which a model is in the price list, if it is there.
func normalize(model string) string {
	model = model[strings.LastIndexByte(model, '/')+1:]
	model = strings.ToLower(model)
	model = strings.NewReplacer(" ", "-", ".", "-").Replace(model)
	for _, prefix := range []string{"us-anthropic-", "global-anthropic-", "anthropic-"} {
		if id, found := strings.CutPrefix(model, prefix); found {
			model = id
			break
		}
	}
	for decoration.MatchString(model) {
		model = decoration.ReplaceAllString(model, "")
	}
	return model
}
