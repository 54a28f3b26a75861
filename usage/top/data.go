package top

import (
	"context"
	"strings"

	"github.com/ccwatchd/ccwatchd/usage"
	"github.com/ccwatchd/ccwatchd/usage/api"
)

// Data are what a view shows.
type Data struct {
	api.Sessions
	// Today is the usage of today; nil if it is not known.
	Today *usage.Usage
}

// A Source returns present data. It is called from one goroutine at a time.
type Source func(context.Context) (Data, error)

// millionTokens is the context window of models whose id says so.
const millionTokens = 1_000_000

// windowOf returns the size of the context window of a model in tokens, or otherwise if
// the model's id does not state it.
func windowOf(model string, otherwise uint64) uint64 {
	if strings.HasSuffix(model, "[1m]") {
		return millionTokens
	}
	return otherwise
}

// tokensOf returns the number of all tokens of a session.
func tokensOf(s *api.Session) uint64 {
	v := s.Values()
	return v.Tokens()
}

// costOf returns the cost of a session; 0 if it is not counted.
func costOf(s *api.Session) float64 {
	if s.CostUSD == nil {
		return 0
	}
	return *s.CostUSD
}
