package report

import (
	"slices"
	"strings"

	"github.com/ccwatchd/ccwatchd/usage"
)

// modelLabel is the label of models with their ids.
const modelLabel = "model"

// withModelNames returns a usage by the names of models: rows of several ids of a model
// are added up.
func withModelNames(u *usage.Usage) *usage.Usage {
	column := slices.Index(u.By, modelLabel)
	if column < 0 {
		return u
	}
	merged := *u
	merged.Rows = nil
	known := make(map[string]int) // index in merged.Rows
	for _, r := range u.Rows {
		r.Labels = slices.Clone(r.Labels)
		r.Labels[column] = usage.ModelName(r.Labels[column])
		key := r.Start.String() + "\x00" + strings.Join(r.Labels, "\x00")
		i, ok := known[key]
		if !ok {
			known[key] = len(merged.Rows)
			merged.Rows = append(merged.Rows, r)
			continue
		}
		merged.Rows[i].Values.Add(&r.Values)
	}
	return &merged
}
