package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Models have the names that the product gives them.
func TestModelNames(t *testing.T) {
	text, err := os.ReadFile("../../../usage/testdata/modelnames.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		id, want, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name := nameOf(t, id); name != want {
			t.Errorf("%s has the name %s, want %s", id, name, want)
		}
	}
}

// nameOf is the name that the rules derive from an id.
func nameOf(t *testing.T, id string) (name string) {
	t.Helper()
	for _, r := range nameRules {
		source := name
		if r.source != modelName {
			source = id
		}
		name = replaced(t, r.pattern, r.name, source, name)
	}
	return name
}

// replaced is the result of label_replace: missed, unless the pattern matches.
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
		if name := nameOf(t, m[1]); ofModels[name] == "" {
			t.Errorf("%s, named %s, has no color", m[1], name)
		}
	}
}
