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

// nameRules derive the name of a model from its id, as usage.ModelName does: the name
// and version that follow "claude-", in either order. Up to Claude 3 the version is
// first. Other ids lose only the part before the last slash, and "claude-". Some
// gateways write claude-opus-4.6.
var nameRules = []struct{ source, pattern, name string }{
	{"model", `(?:.*/)?(?:(?:[a-z-]+[.])?anthropic[.])?claude-(.+?)(?:-v1|-v[0-9]+:[0-9]+|[@-][0-9]{8}|-latest|[[]1m[]])*|(?:.*/)?(.+)`, "${1}${2}"},
	{"model", claudeID(
		group(oldName)+`[.-]`+group(version(`[1-3]`)),
		group(version(`[1-3]`))+`[.-]`+group(oldName),
		`([a-z]+)[.-]`+group(version(numeral)),
		group(version(numeral))+`[.-]([a-z]+)`,
	), "${2}${3}${5}${8}-${1}${4}${6}${7}"},
	{modelName, `([1-3]|(?:fable|mythos|` + oldName + `)-[0-9]+)[.]([0-9]+(?:-(?:` + oldName + `))?)`, "${1}-${2}"},
}

// numeral is a number of a version, and oldName the name of a model up to Claude 3.
const (
	numeral = `[0-9]{1,2}`
	oldName = `opus|sonnet|haiku|instant`
)

// version matches a version of one or two numbers.
func version(major string) string { return major + `(?:[.-]` + numeral + `)?` }

func group(pattern string) string { return "(" + pattern + ")" }

// claudeID matches ids with a name and version of Claude as a whole: no letter, digit
// or further number of the version is beside them.
func claudeID(alternatives ...string) string {
	return `(?:.*[^0-9A-Za-z])?claude-(?:` + strings.Join(alternatives, "|") +
		`)(?:[^0-9A-Za-z.-].*|[.-](?:[^0-9].*|[0-9]{3}.*|` + numeral + `[A-Za-z].*)?)?`
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
