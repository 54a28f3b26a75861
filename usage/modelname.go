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
	modelLabel     = "model"
	ModelNameLabel = "model_name"
)

// ModelName returns the name of the model with an id: what the dashboards call
// model_name.
//
//	us.anthropic.claude-sonnet-4-5-20250929-v1:0   sonnet-4-5
//	claude-opus-4-8[1m]                            opus-4-8
//	openai/gpt-4.1                                 gpt-4.1
//
// Only the names of Claude lose more than what is before the last slash.
func ModelName(id string) string {
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
	if slices.Contains(f.Labels, modelLabel) {
		return append(slices.Clone(f.Labels), ModelNameLabel)
	}
	return f.Labels
}
