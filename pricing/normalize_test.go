package pricing

import (
	"strings"
	"testing"
)

func TestNormalize(t *testing.T) {
	for model, want := range map[string]string{
		"":                "",
		"claude-opus-4-6": "claude-opus-4-6",

		// Providers in front.
		"anthropic/claude-opus-4.6":                      "claude-opus-4-6",
		"openrouter/anthropic/claude-opus-4.6":           "claude-opus-4-6",
		"anthropic.claude-opus-4-6":                      "claude-opus-4-6",
		"us.anthropic.claude-opus-4-6":                   "claude-opus-4-6",
		"eu.anthropic.claude-opus-4-6":                   "claude-opus-4-6",
		"apac.anthropic.claude-opus-4-6":                 "claude-opus-4-6",
		"global.anthropic.claude-opus-4-6":               "claude-opus-4-6",
		"us-gov.anthropic.claude-opus-4-6":               "claude-opus-4-6",
		"bedrock/us.anthropic.claude-opus-4-6":           "claude-opus-4-6",
		"Anthropic.Claude-Opus-4-6":                      "claude-opus-4-6",
		"publishers/anthropic/models/claude-opus-4-6":    "claude-opus-4-6",
		"arn:aws:bedrock:us-east-1:1:x/eu.anthropic.a-b": "a-b",
		"in.anthropic.claude-opus-4-6":                   "claude-opus-4-6",
		"mars.anthropic.claude-opus-4-6":                 "claude-opus-4-6",
		"mars-anthropic-claude-opus-4-6":                 "mars-anthropic-claude-opus-4-6",
		"anthropic--claude-4.6-opus":                     "claude-opus-4-6",
		"us.claude-opus-4-6":                             "us-claude-opus-4-6",
		"anthropicclaude":                                "anthropicclaude",
		"anthropic/":                                     "",
		"anthropic.":                                     "",
		"anthropic.anthropic.claude-3-opus":              "anthropic-claude-3-opus",
		"us.anthropic.eu.anthropic.claude-3-opus":        "eu-anthropic-claude-3-opus",
		"not.us.anthropic.claude-3-opus":                 "claude-3-opus",
		".anthropic.claude-3-opus":                       "claude-3-opus",
		"claude-anthropic-4":                             "claude-anthropic-4",

		// Versions behind.
		"claude-sonnet-4-20250514":                         "claude-sonnet-4",
		"claude-sonnet-4@20250514":                         "claude-sonnet-4",
		"claude-sonnet-4-latest":                           "claude-sonnet-4",
		"claude-3-5-sonnet-latest":                         "claude-3-5-sonnet",
		"claude-3-5-sonnet-20241022":                       "claude-3-5-sonnet",
		"claude-sonnet-4-v1:0":                             "claude-sonnet-4",
		"claude-sonnet-4-v12:34":                           "claude-sonnet-4",
		"claude-sonnet-4[1m]":                              "claude-sonnet-4",
		"claude-sonnet-4[1M]":                              "claude-sonnet-4",
		"Claude Sonnet 4 [1m]":                             "claude-sonnet-4",
		"claude-sonnet-4-20250514[1m]":                     "claude-sonnet-4",
		"claude-sonnet-4[1m]-20250514":                     "claude-sonnet-4",
		"claude-sonnet-4@20250514[1m]":                     "claude-sonnet-4",
		"us.anthropic.claude-sonnet-4-5-20250929-v1:0":     "claude-sonnet-4-5",
		"us.anthropic.claude-sonnet-4-5-20250929-v1:0[1m]": "claude-sonnet-4-5",
		"anthropic.claude-3-5-sonnet-20241022-v2:0":        "claude-3-5-sonnet",
		"anthropic.claude-opus-4-6-v1":                     "claude-opus-4-6",
		"us.anthropic.claude-opus-4-6-v1[1m]":              "claude-opus-4-6",
		"claude-sonnet-4-20250514-v1":                      "claude-sonnet-4",
		"claude-sonnet-4-v12":                              "claude-sonnet-4",

		// Not versions.
		"claude-sonnet-4-2025051":   "claude-sonnet-4-2025051",
		"claude-sonnet-4-202505140": "claude-sonnet-4-202505140",
		"claude-sonnet-4.20250514":  "claude-sonnet-4",
		"claude-sonnet-420250514":   "claude-sonnet-420250514",
		"claude-sonnet-4@2025":      "claude-sonnet-4@2025",
		"claude-sonnet-4@default":   "claude-sonnet-4@default",
		"deepseek-v3":               "deepseek-v3",
		"deepseek.v3-v1:0":          "deepseek-v3",
		"claude-sonnet-4-v1:":       "claude-sonnet-4-v1:",
		"claude-sonnet-4-v:0":       "claude-sonnet-4-v:0",
		"claude-sonnet-4v1:0":       "claude-sonnet-4v1:0",
		"claude-sonnet-4-1:0":       "claude-sonnet-4-1:0",
		"claude-sonnet-4[2m]":       "claude-sonnet-4[2m]",
		"claude-sonnet-4[1m]x":      "claude-sonnet-4[1m]x",
		"latest":                    "latest",
		"20250514":                  "20250514",

		// The version before the name.
		"claude-4.6-opus-20260205":        "claude-opus-4-6",
		"claude-4-6-sonnet":               "claude-sonnet-4-6",
		"claude-4-5-haiku":                "claude-haiku-4-5",
		"claude-4-opus@20250514":          "claude-opus-4",
		"claude-5-sonnet[1m]":             "claude-sonnet-5",
		"claude-5-5-haiku-latest":         "claude-haiku-5-5",
		"anthropic/claude-5.1-fable":      "claude-fable-5-1",
		"us.anthropic.claude-4-6-opus-v1": "claude-opus-4-6",
		"Claude 4.6 Opus":                 "claude-opus-4-6",
		"claude-10-2-opus":                "claude-opus-10-2",
		"claude-3-5-haiku":                "claude-3-5-haiku",
		"claude-3-opus-20240229":          "claude-3-opus",
		"claude-sonnet-3.7":               "claude-3-7-sonnet",
		"claude-haiku-3-5-20241022":       "claude-3-5-haiku",
		"claude-opus-3":                   "claude-3-opus",
		"claude-4-6-opus-thinking":        "claude-opus-4-6-thinking",
		"databricks-claude-4-6-opus":      "databricks-claude-opus-4-6",
		"claude-sonnet-3-7:thinking":      "claude-3-7-sonnet:thinking",
		"myclaude-4-6-opus":               "myclaude-4-6-opus",
		"claude-4-opus-6":                 "claude-4-opus-6",
		"claude-4-opusé":                  "claude-4-opusé",
		"claude-4-6-0-opus":               "claude-4-6-0-opus",
		"claude-4--opus":                  "claude-4--opus",
		"claude-4opus":                    "claude-4opus",
		"claude-opus4":                    "claude-opus4",
		"claude-2025-opus":                "claude-2025-opus",
		"claude-4-":                       "claude-4-",
		"claude--4":                       "claude--4",
		"claude-4":                        "claude-4",
		"claude-latest-3":                 "claude-3",
		"gpt-4-mini":                      "gpt-4-mini",

		// Names for people.
		"Claude Haiku 4.5":    "claude-haiku-4-5",
		" Claude Haiku 4.5\t": "claude-haiku-4-5",
		"Claude\tHaiku 4.5":   "claude-haiku-4-5",
		"claude-opus-4.6":     "claude-opus-4-6",
		"CLAUDE-OPUS-4.6":     "claude-opus-4-6",

		"<synthetic>": "<synthetic>",
		"ÄÖ.X":        "ÄÖ-x",
		"\xff/\xff":   "\xff",
	} {
		if got := Normalize(model); got != want {
			t.Errorf("%q: got %q, want %q", model, got, want)
		}
	}
}

func hasPrefix(id string) bool {
	rest, _ := trimPrefix([]byte(id), id)
	return len(rest) < len(id)
}

// A normalized id without another prefix remains the same. An id finds its row whether
// or not it fits into the buffer of Table.row.
func FuzzNormalize(f *testing.F) {
	for _, model := range []string{
		"us.anthropic.claude-sonnet-4-5-20250929-v1:0[1m]", "Claude Haiku 4.5", "anthropic.anthropic.-latest-latest",
		"a-v1:0@20250101[1m]-latest", "-20250101", "anthropic-us-anthropic-", "a/ b", "claude-latest-3", "claude-4-6-opus-v1", "\xff.\x00", strings.Repeat("x", 100),
	} {
		f.Add(model)
	}
	f.Fuzz(func(t *testing.T, model string) {
		id := Normalize(model)
		if again := Normalize(id); again != id && !hasPrefix(id) {
			t.Errorf("%q: got %q and then %q", model, id, again)
		}
		if strings.ContainsAny(id, "/. ABCXYZ") {
			t.Errorf("%q: got %q", model, id)
		}
		table := Table{Rows: []Row{{Model: id}}}
		if row, _ := table.row(model, 0); row == nil || row.Model != id {
			t.Errorf("%q: no row", model)
		}
	})
}
