package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ccwatchd/ccwatchd/internal/reference"
)

// tokens are what a program says was used, in the four kinds that all of them
// tell apart.
type tokens struct {
	Input, Output, CacheWrite, CacheRead int64
}

func (t *tokens) add(o tokens) {
	t.Input += o.Input
	t.Output += o.Output
	t.CacheWrite += o.CacheWrite
	t.CacheRead += o.CacheRead
}

// kinds are the four kinds, by the names under which totals have them: those of
// messages, and those of requests that were made for some of them, as to advisors.
var kinds = []struct {
	message, advisor string
	of               func(*tokens) *int64
}{
	{"input", "input_tokens", func(t *tokens) *int64 { return &t.Input }},
	{"output", "output_tokens", func(t *tokens) *int64 { return &t.Output }},
	{"cache_creation", "cache_creation_input_tokens", func(t *tokens) *int64 { return &t.CacheWrite }},
	{"cache_read", "cache_read_input_tokens", func(t *tokens) *int64 { return &t.CacheRead }},
}

// messageTokens adds up the tokens of all models, those of advisors and compactions
// on the server too: they were used as well.
func messageTokens(totals reference.Totals) tokens {
	var sum tokens
	for key, n := range totals {
		for _, kind := range kinds {
			// The type is the last label in both, and no kind ends another's name.
			switch {
			case key.Metric == "tokens" && strings.HasSuffix(key.Labels, ",type="+kind.message),
				key.Metric == "iteration_tokens" && strings.HasSuffix(key.Labels, ",type="+kind.advisor):
				*kind.of(&sum) += n
			}
		}
	}
	return sum
}

// expositionTokens reads what ccwatchd shows.
func expositionTokens(r io.Reader) (tokens, error) {
	totals, err := reference.ParseExposition(r)
	if err != nil {
		return tokens{}, err
	}
	return messageTokens(totals), nil
}

// ccusageTokens reads the JSON of ccusage's reports.
func ccusageTokens(r io.Reader) (tokens, error) {
	var report struct {
		Totals *struct {
			Input      int64 `json:"inputTokens"`
			Output     int64 `json:"outputTokens"`
			CacheWrite int64 `json:"cacheCreationTokens"`
			CacheRead  int64 `json:"cacheReadTokens"`
		} `json:"totals"`
	}
	if err := json.NewDecoder(r).Decode(&report); err != nil {
		return tokens{}, fmt.Errorf("parse the report: %w", err)
	}
	if report.Totals == nil {
		return tokens{}, errors.New("the report has no totals")
	}
	return tokens(*report.Totals), nil
}

// jqSum is what one would write who has just seen a session file: it adds up
// the usage of all lines. Lines that are no JSON are passed over, since jq
// would stop at the first one.
const jqSum = `reduce (inputs | fromjson? | objects | .message | objects | .usage | objects) as $u ({};
  .input_tokens += $u.input_tokens
  | .output_tokens += $u.output_tokens
  | .cache_creation_input_tokens += $u.cache_creation_input_tokens
  | .cache_read_input_tokens += $u.cache_read_input_tokens)`

// jqTokens reads what jqSum printed, once for every time that xargs ran it.
func jqTokens(r io.Reader) (tokens, error) {
	var sum tokens
	for decoder := json.NewDecoder(r); ; {
		var part struct {
			Input      int64 `json:"input_tokens"`
			Output     int64 `json:"output_tokens"`
			CacheWrite int64 `json:"cache_creation_input_tokens"`
			CacheRead  int64 `json:"cache_read_input_tokens"`
		}
		err := decoder.Decode(&part)
		if err == io.EOF {
			return sum, nil
		}
		if err != nil {
			return tokens{}, fmt.Errorf("parse the sums: %w", err)
		}
		sum.add(tokens(part))
	}
}
