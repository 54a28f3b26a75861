package main

import (
	"fmt"
	"strings"
)

// Labels that queries derive from the labels of series.
const (
	// modelName is the name of a model for display. Ids with a prefix or suffix, such as
	// a region or a date, have the name of their model.
	modelName = "model_name"
	// tokenKind is output, fresh input or cached input.
	tokenKind = "kind_of_tokens"
)

// nameRules derive the name of a model from its id, as usage.ModelName does. Claude's
// ids begin with a provider and "claude-", and end with versions and dates. Other ids
// lose only the part before the last slash. Some gateways write claude-opus-4.6,
// claude-4.6-opus or claude-haiku-3-5.
var nameRules = []struct{ source, pattern, name string }{
	{"model", `(?:.*/)?(?:(?:[a-z-]+[.])?anthropic[.])?claude-(.+?)(?:-v1|-v[0-9]+:[0-9]+|[@-][0-9]{8}|-latest|[[]1m[]])*|(?:.*/)?(.+)`, "${1}${2}"},
	{modelName, `(3|(?:fable|mythos|opus|sonnet|haiku)-[0-9]+)[.](.+)`, "${1}-${2}"},
	{modelName, `([4-9])[.-]([0-9])-(fable|mythos|opus|sonnet|haiku)`, "${3}-${1}-${2}"},
	{modelName, `(opus|sonnet|haiku)-([1-3](?:-[0-9])?)`, "${2}-${1}"},
}

// Selectors of the kinds of tokens, which have very different prices and are never
// added up.
const (
	output      = `claude_tokens_total{type="output"}`
	freshInput  = `claude_tokens_total{type=~"input|cache_write_.*"}`
	cachedInput = `claude_tokens_total{type="cache_read"}`
)

// derive returns the function that adds a derived label to an expression, and the
// labels that the expression must have; nil if by contains no derived label.
func derive(by string) (add func(string) string, source string) {
	switch {
	case strings.Contains(by, modelName):
		return addModelName, strings.ReplaceAll(by, modelName, "model")
	case strings.Contains(by, tokenKind):
		return addTokenKind, strings.ReplaceAll(by, tokenKind, "type")
	}
	return nil, by
}

// addModelName keeps the label model: two ids of a model must not become one series
// before they are added up.
func addModelName(expr string) string {
	for _, r := range nameRules {
		expr = replaceLabel(expr, modelName, r.name, r.source, r.pattern)
	}
	return expr
}

func addTokenKind(expr string) string {
	expr = replaceLabel(expr, tokenKind, "output", "type", "output")
	expr = replaceLabel(expr, tokenKind, "fresh input", "type", "input|cache_write_.*")
	return replaceLabel(expr, tokenKind, "cached input", "type", "cache_read")
}

func replaceLabel(expr, label, value, source, pattern string) string {
	return fmt.Sprintf(`label_replace(%s, %q, %q, %q, %q)`, expr, label, value, source, pattern)
}
