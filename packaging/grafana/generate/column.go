package main

import (
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// columns are the transformations of a table: results with the same labels become one
// row, and the columns are ordered and named.
func (p panel) columns() []dashboard.DataTransformerConfig {
	index, rename := map[string]int{}, map[string]string{}
	for i, label := range p.labels {
		index[label], rename[label] = i, column(label)
	}
	for i, q := range p.targets {
		value := "Value #" + refID(i)
		if len(p.targets) == 1 {
			value = "Value" // Grafana numbers the values of several queries only.
		}
		index[value], rename[value] = len(p.labels)+i, q.name
	}
	return []dashboard.DataTransformerConfig{
		{Id: "merge", Options: map[string]any{}},
		{Id: "organize", Options: map[string]any{
			"excludeByName": map[string]bool{"Time": true},
			"indexByName":   index,
			"renameByName":  rename,
		}},
	}
}

// widths are the widths of columns with long values, in pixels; other columns share the
// rest.
var widths = map[string]int{
	"session": 325, "project": 170, modelName: 150, "tool": 370, "mcp_server": 190, "type": 160, "event": 160, "skill": 170,
}

// column returns the column heading of a label.
func column(label string) string {
	switch label {
	case "mcp_server":
		return "MCP server"
	case modelName:
		return "Model"
	case tokenKind:
		return "Tokens"
	}
	words := strings.ReplaceAll(label, "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}
