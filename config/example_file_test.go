package config

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/config"
	"go.yaml.in/yaml/v3"

	"github.com/ccwatchd/ccwatchd/test/difftest"
)

const exampleFile = "ccwatchd.example.yml"

func exampleLines(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(exampleFile)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
}

// The settings of the example file, uncommented, are the defaults.
func TestExampleDefaults(t *testing.T) {
	var set []string
	for _, line := range exampleLines(t) {
		switch {
		case strings.HasPrefix(line, "# "):
			set = append(set, strings.TrimPrefix(line, "# "))
		case line != "" && line != "##" && !strings.HasPrefix(line, "## "):
			t.Errorf("neither a setting nor a comment: %q", line)
		}
	}
	env := environ(t.TempDir())
	got, err := Load(write(t, t.TempDir(), set...), env)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Default(env)
	if err != nil {
		t.Fatal(err)
	}
	want.Labels.Projects.Map, want.Labels.Commands, want.RemoteWrite = []Rule{}, []string{}, []RemoteWrite{} // not nil
	want.Pricing.Models, want.Pricing.Aliases = []ModelPrice{}, map[string]string{}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the configuration of the example differs:\n%s", difftest.Diff(want, got))
	}
}

// The example file contains every key.
func TestExampleIsComplete(t *testing.T) {
	text := strings.Join(exampleLines(t), "\n")
	client, _ := keysOf(reflect.ValueOf(config.HTTPClientConfig{}))
	var walk func(reflect.Value)
	walk = func(v reflect.Value) {
		for v.Kind() == reflect.Slice || v.Kind() == reflect.Pointer {
			v = reflect.Zero(v.Type().Elem())
		}
		keys, _ := keysOf(v)
		for key, value := range keys {
			if _, ok := client[key]; ok {
				continue // Prometheus documents it
			}
			if !regexp.MustCompile(`(?m)^##? [ -]*` + key + `:`).MatchString(text) {
				t.Errorf("%s is missing", key)
			}
			walk(value)
		}
	}
	walk(reflect.ValueOf(*Settings()))
}

// The documentation has every key, except keys in pricing.md, remote-write.md and the
// list of histograms.
func TestDocumentIsComplete(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := []string{"buckets", "pricing.models", "remote_write"}
	var walk func(string, reflect.Value)
	walk = func(prefix string, v reflect.Value) {
		for v.Kind() == reflect.Slice || v.Kind() == reflect.Pointer {
			v = reflect.Zero(v.Type().Elem())
		}
		keys, _ := keysOf(v)
		for key, value := range keys {
			if !regexp.MustCompile("(?m)^\\| .*[`.]" + key + "[`:.]|^ .*\\b" + key + ": ").Match(text) {
				t.Errorf("%s%s is missing", prefix, key)
			}
			if !slices.Contains(elsewhere, prefix+key) {
				walk(prefix+key+".", value)
			}
		}
	}
	walk("", reflect.ValueOf(*Settings()))
}

// The examples in the comments, which are indented by five spaces, can be copied.
func TestExamplesInExample(t *testing.T) {
	var examples [][]string
	inExample := false
	for _, line := range exampleLines(t) {
		text, ok := strings.CutPrefix(strings.Replace(line, "##   ", "##", 1), "##  ")
		if !ok {
			inExample = false
			continue
		}
		if !inExample {
			examples, inExample = append(examples, nil), true
		}
		examples[len(examples)-1] = append(examples[len(examples)-1], text)
	}
	var read int
	for _, lines := range examples {
		text := strings.Join(lines, "\n")
		var keys map[string]any
		if yaml.Unmarshal([]byte(text), &keys) != nil || len(keys) == 0 {
			continue // prose
		}
		read++
		c := Settings()
		if _, found := decode([]byte(text), c); len(found) > 0 {
			t.Errorf("%s\n%v", text, found.join(""))
		}
		if found := c.Labels.problems(); len(found) > 0 {
			t.Errorf("%s\n%v", text, found.join(""))
		}
		if found := c.Pricing.problems(); len(found) > 0 {
			t.Errorf("%s\n%v", text, found.join(""))
		}
		for _, r := range c.RemoteWrite {
			if found := r.problems("remote_write"); len(found) != 1 || found[0].key != "remote_write.basic_auth.password_file" {
				t.Errorf("%s\n%v", text, found.join(""))
			}
		}
		if found := c.priceProblems(); len(found) > 0 {
			t.Errorf("%s\n%v", text, found.join(""))
		}
		for _, s := range c.Sources {
			s.Path = filepath.Join(t.TempDir(), s.Path)
			if found := s.problems("source"); len(found) > 0 {
				t.Errorf("%s\n%v", text, found.join(""))
			}
		}
	}
	if read != 9 {
		t.Errorf("got %d examples, want 9", read)
	}
}
