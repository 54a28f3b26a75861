package ledger

import (
	"strings"

	"github.com/ccwatchd/ccwatchd/pricing"
)

// The usual sizes of context windows, in tokens. Claude has the small one up to version
// 4.6 of every model, as Claude Code 2.1.332 states it on its status line.
const (
	smallWindow = 200_000
	largeWindow = 1_000_000
)

// ContextWindow returns the number of tokens that the context of the session can have:
// the first of these numbers that is not below the present context:
//
//   - the number that its status line has reported;
//   - the number that its transcript states;
//   - the usual number of its model;
//   - the usual numbers, the smaller one first, if the present context is known.
//
// It is 0 if all are below it, or if nothing is known.
func (s *Session) ContextWindow(reported uint64) uint64 {
	if reported < max(1, s.Context) {
		reported = s.Window
	}
	return ContextWindow(reported, s.Context, s.Model)
}

// ContextWindow is Session.ContextWindow for a stated window, context and model.
func ContextWindow(stated, context uint64, model string) uint64 {
	for i, window := range [...]uint64{stated, usualWindow(model), smallWindow, largeWindow} {
		if window >= max(1, context) && (i < 2 || context > 0) {
			return window
		}
	}
	return 0
}

// usualWindow returns the context window of a model, 0 if its id does not show it.
func usualWindow(model string) uint64 {
	if strings.HasSuffix(strings.ToLower(model), "[1m]") {
		return largeWindow
	}
	_, version, ok := pricing.Claude(model)
	major, minor, _ := strings.Cut(version, "-")
	switch {
	case !ok:
		return 0
	case len(major) > 1 || major > "4" || major == "4" && (len(minor) > 1 || minor > "6"):
		return largeWindow
	}
	return smallWindow
}
