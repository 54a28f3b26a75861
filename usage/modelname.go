package usage

import (
	"slices"
	"strings"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/pricing"
)

// The label of models as stated in transcripts, and the label that queries derive from
// it: several ids of a model have one name, see ModelName.
const (
	ModelLabel     = "model"
	ModelNameLabel = "model_name"
)

// ModelName returns the name of the model with an id, model_name in the dashboards.
//
//	us.anthropic.claude-sonnet-4-5-20250929-v1:0   sonnet-4-5
//	claude-opus-4-8[1m]                            opus-4-8
//	openai/gpt-4.1                                 gpt-4.1
//
// Other ids than Claude's lose only the part before the last slash.
func ModelName(id string) string {
	if name, ok := strings.CutPrefix(pricing.Normalize(id), "claude-"); ok && name != "" {
		return versionLast(name)
	}
	if name := id[strings.LastIndexByte(id, '/')+1:]; name != "" {
		return name
	}
	return id
}

// versionLast moves the version behind the name, as in newer ids: 1-next becomes
// next-1. Names of Claude 3 and before are kept.
func versionLast(name string) string {
	end := strings.LastIndexByte(name, '-')
	if end < 0 || strings.Trim(name[:end], "0123456789-") != "" || slices.Contains([]string{"opus", "sonnet", "haiku", "instant"}, name[end+1:]) {
		return name
	}
	return name[end+1:] + "-" + name[:end]
}

// labelsOfFamily returns the names of the labels of a family, with the derived one.
func labelsOfFamily(f *counters.Family) []string {
	if slices.Contains(f.Labels, ModelLabel) {
		return append(slices.Clone(f.Labels), ModelNameLabel)
	}
	return f.Labels
}
