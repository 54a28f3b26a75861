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

// Ids of models begin with a provider and "claude-", and end with versions and dates.
// Some gateways write claude-opus-4.6 or claude-4.6-opus.
const (
	modelID  = `(?:.*/)?(?:(?:[a-z-]+[.])?anthropic[.])?(?:claude-)?(.+?)(?:-v1|-v[0-9]+:[0-9]+|[@-][0-9]{8}|-latest|[[]1m[]])*`
	dottedID = `(3|(?:fable|mythos|opus|sonnet|haiku)-[0-9]+)[.](.+)`
	firstID  = `([4-9])[.-]([0-9])-(fable|mythos|opus|sonnet|haiku)`
)

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
	expr = replaceLabel(expr, modelName, "${1}", "model", modelID)
	expr = replaceLabel(expr, modelName, "${1}-${2}", modelName, dottedID)
	return replaceLabel(expr, modelName, "${3}-${1}-${2}", modelName, firstID)
}

func addTokenKind(expr string) string {
	expr = replaceLabel(expr, tokenKind, "output", "type", "output")
	expr = replaceLabel(expr, tokenKind, "fresh input", "type", "input|cache_write_.*")
	return replaceLabel(expr, tokenKind, "cached input", "type", "cache_read")
}

func replaceLabel(expr, label, value, source, pattern string) string {
	return fmt.Sprintf(`label_replace(%s, %q, %q, %q, %q)`, expr, label, value, source, pattern)
}
