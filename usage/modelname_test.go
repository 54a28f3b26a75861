package usage

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The names are those of the dashboards, whose test has the same ids.
func TestModelName(t *testing.T) {
	for id, want := range map[string]string{
		"claude-opus-5": "opus-5",
		"us.anthropic.claude-sonnet-4-5-20250929-v1:0":     "sonnet-4-5",
		"bedrock/anthropic.claude-haiku-4-5-20251001-v1:0": "haiku-4-5",
		"anthropic/claude-opus-4.6":                        "opus-4-6",
		"claude-3.5-haiku@20241022":                        "3-5-haiku",
		"claude-opus-4-8[1m]":                              "opus-4-8",
		"claude-sonnet-4-latest":                           "sonnet-4",
		"us.anthropic.claude-opus-4-6-v1[1m]":              "opus-4-6",
		"claude-4.6-opus-20260205":                         "opus-4-6",
		"claude-next-1-20270101":                           "next-1",
		"claude-haiku-3-5":                                 "3-5-haiku",
		"opus-4-6":                                         "opus-4-6",
		"openai/gpt-4.1":                                   "gpt-4.1",
		"MiniMax-M2.1":                                     "MiniMax-M2.1",
		"<synthetic>":                                      "<synthetic>",
		"claude-":                                          "claude-",
		"a/":                                               "a/",
		"":                                                 "",
	} {
		if got := ModelName(id); got != want {
			t.Errorf("%s has the name %s, want %s", id, got, want)
		}
	}
}

// inputs describes the rows of a usage: labels and input tokens.
func inputs(u *Usage) string {
	var all []string
	for _, r := range u.Rows {
		all = append(all, fmt.Sprint(r.Labels, " ", r.Values[InputTokens]))
	}
	return strings.Join(all, ", ")
}

// Queries select and group by the names of models. Rows by ids have both in JSON.
func TestByModelName(t *testing.T) {
	h := recordOf(t,
		request{at: "2026-11-17T09:00:00Z", project: "web", model: "claude-opus-4-8", user: "ann", input: 1},
		request{at: "2026-11-17T09:00:00Z", project: "web", model: "claude-opus-4-8[1m]", user: "ann", input: 2},
		request{at: "2026-11-17T09:00:00Z", project: "web", model: "us.anthropic.claude-opus-4-8-v1", input: 4},
		request{at: "2026-11-17T09:00:00Z", project: "web", model: "claude-sonnet-5", user: "ann", input: 8},
	)
	if got, want := LabelValues(h, ModelNameLabel), []string{"sonnet-5", "opus-4-8"}; !slices.Equal(got, want) {
		t.Errorf("got names %v, want %v", got, want)
	}
	for want, q := range map[string]Query{
		"[opus-4-8] 3, [sonnet-5] 8": {By: []string{ModelNameLabel}, Where: map[string][]string{"user": {"ann"}}},
		"[] 7":                       {Where: map[string][]string{ModelNameLabel: {"opus-4-8"}}},
	} {
		u, err := Compute(h, q)
		if err != nil {
			t.Fatal(err)
		}
		if got := inputs(&u); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	u, err := Compute(h, Query{By: []string{"model"}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(u)
	if want := `"labels":{"model":"claude-opus-4-8[1m]","model_name":"opus-4-8"}`; err != nil || !strings.Contains(string(b), want) {
		t.Errorf("%s is missing in %s, %v", want, b, err)
	}
}
