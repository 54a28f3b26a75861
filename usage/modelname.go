package usage

import (
	"slices"
	"strings"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/pricing"
)

// The label of projects, the label of models as stated in transcripts, and the label
// that queries derive from it: several ids of a model have one name, see ModelName.
const (
	ProjectLabel   = "project"
	ModelLabel     = "model"
	ModelNameLabel = "model_name"
)

// ModelName returns the name of the model with an id, model_name in the dashboards: the
// name and version of the Claude model that the id contains.
//
//	us.anthropic.claude-sonnet-4-5-20250929-v1:0   sonnet-4-5
//	gemini-claude-opus-4.6-thinking                opus-4-6
//	claude-3-5-haiku                               3-5-haiku
//	openai/gpt-4.1                                 gpt-4.1
//
// Other ids lose only the part before the last slash.
func ModelName(id string) string {
	if name, version, ok := pricing.Claude(id); ok {
		major, _, _ := strings.Cut(version, "-")
		if len(major) == 1 && major <= "3" && slices.Contains([]string{"opus", "sonnet", "haiku", "instant"}, name) {
			return version + "-" + name
		}
		return name + "-" + version
	}
	if name, ok := strings.CutPrefix(pricing.Normalize(id), "claude-"); ok && name != "" {
		return name
	}
	if name := id[strings.LastIndexByte(id, '/')+1:]; name != "" {
		return name
	}
	return id
}

// labelsOfFamily returns the names of the labels of a family, with the derived one.
func labelsOfFamily(f *counters.Family) []string {
	if slices.Contains(f.Labels, ModelLabel) {
		return append(slices.Clone(f.Labels), ModelNameLabel)
	}
	return f.Labels
}
