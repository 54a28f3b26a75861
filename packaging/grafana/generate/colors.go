package main

import (
	"maps"
	"slices"
	"strings"
)

// A colorMap has the colors of series by name.
type colorMap map[string]string

// ofTypes are the colors of token types: input types are warmer the more they cost.
var ofTypes = colorMap{"cache_read": "blue", "input": "yellow", "cache_write_5m": "orange", "cache_write_1h": "red", "output": "green"}

// ofComponents are the colors of the components of cost, like the colors of token
// types.
var ofComponents = colorMap{
	"cache_read": "blue", "input": "yellow", "cache_write_5m": "orange", "cache_write_1h": "red", "output": "green", "web_search": "purple",
}

// ofModels are the colors of models by their names: a hue for each family, and shades
// for its versions. Other models get colors from a palette by name: two models may
// share a color, and a color may be hard to see.
var ofModels = colorMap{
	"fable-5-2": "purple", "fable-5-1": "light-purple", "fable-5": "dark-purple",
	"mythos-5-1": "red", "mythos-5": "dark-red",
	"opus-5-5": "orange", "opus-5": "dark-orange", "opus-4-8": "light-orange", "opus-4-7": "yellow", "opus-4-6": "dark-yellow",
	"opus-4-5": "light-yellow", "opus-4-1": "super-light-orange", "opus-4": "super-light-yellow", "3-opus": "semi-dark-yellow",
	"sonnet-5-5": "blue", "sonnet-5": "dark-blue", "sonnet-4-6": "light-blue", "sonnet-4-5": "super-light-blue",
	"sonnet-4": "semi-dark-blue", "3-7-sonnet": "semi-dark-blue", "3-5-sonnet": "semi-dark-blue",
	"haiku-5-5": "green", "haiku-4-5": "dark-green", "3-5-haiku": "light-green", "3-haiku": "super-light-green",
	"all models": "text",
}

// seriesColors returns the fixed colors of a panel.
func (p panel) seriesColors() colorMap {
	if !p.hasModels() {
		return p.colors
	}
	all := maps.Clone(ofModels)
	maps.Copy(all, p.colors)
	return all
}

// hasModels reports whether the series of a panel are models.
func (p panel) hasModels() bool {
	return slices.ContainsFunc(p.targets, func(q query) bool { return strings.Contains(q.name, modelName) })
}
