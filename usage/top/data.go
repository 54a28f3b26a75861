package top

import (
	"context"

	"github.com/ccwatchd/ccwatchd/usage"
	"github.com/ccwatchd/ccwatchd/usage/api"
)

// Data is the data of a view.
type Data struct {
	api.Sessions
	// Today is the usage of today, and Limits are the usage limits; nil if they are not
	// known.
	Today  *usage.Usage
	Limits *api.Limits
	// Empty states why there are no sessions at all; "" if unknown.
	Empty string
}

// A Source returns present data. It is called from one goroutine at a time.
type Source func(context.Context) (Data, error)

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
