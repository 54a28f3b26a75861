package main

import (
	"os"
	"regexp"
	"testing"
)

// The ids of a model, and its name.
func TestModelNames(t *testing.T) {
	for id, want := range map[string]string{
		"claude-opus-5": "opus-5",
		"us.anthropic.claude-sonnet-4-5-20250929-v1:0":     "sonnet-4-5",
		"us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0": "sonnet-4-5",
		"bedrock/anthropic.claude-haiku-4-5-20251001-v1:0": "haiku-4-5",
		"anthropic/claude-opus-4.6":                        "opus-4-6",
		"claude-3.5-haiku@20241022":                        "3-5-haiku",
		"claude-opus-4-8[1m]":                              "opus-4-8",
		"claude-opus-4-20250514[1m]":                       "opus-4",
		"claude-sonnet-4-latest":                           "sonnet-4",
		"us.anthropic.claude-opus-4-6-v1":                  "opus-4-6",
		"us.anthropic.claude-opus-4-6-v1[1m]":              "opus-4-6",
		"claude-4.6-opus-20260205":                         "opus-4-6",
		"claude-4-6-sonnet":                                "sonnet-4-6",
		"claude-3-5-haiku":                                 "3-5-haiku",
		"deepseek-v3":                                      "deepseek-v3",
		"glm-5.1":                                          "glm-5.1",
		"MiniMax-M2.1":                                     "MiniMax-M2.1",
		"unknown":                                          "unknown",
		"<synthetic>":                                      "<synthetic>",
		"qwen.max":                                         "qwen.max",
	} {
		name := replaced(t, modelID, "${1}", id, "")
		name = replaced(t, dottedID, "${1}-${2}", name, name)
		if name = replaced(t, firstID, "${3}-${1}-${2}", name, name); name != want {
			t.Errorf("%s has the name %s, want %s", id, name, want)
		}
	}
}

// replaced is what label_replace sets: missed, unless the pattern matches.
func replaced(t *testing.T, pattern, value, source, missed string) string {
	t.Helper()
	re := regexp.MustCompile("^(?s:" + pattern + ")$")
	at := re.FindStringSubmatchIndex(source)
	if at == nil {
		return missed
	}
	return string(re.ExpandString(nil, value, source, at))
}

// Every model with a list price has a color.
func TestModelColors(t *testing.T) {
	text, err := os.ReadFile(pricePage)
	if err != nil {
		t.Fatal(err)
	}
	models := regexp.MustCompile(`Model: "([^"]+)"`).FindAllStringSubmatch(string(text), -1)
	if len(models) < 20 {
		t.Fatalf("got %d models from %s", len(models), pricePage)
	}
	for _, m := range models {
		if name := replaced(t, modelID, "${1}", m[1], ""); ofModels[name] == "" {
			t.Errorf("%s, named %s, has no color", m[1], name)
		}
	}
}
