package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

const (
	pictures  = "../../../docs/images"
	pricePage = "../../../pricing/builtin.go"
)

// The committed files are exactly the output of the program.
func TestCommittedFiles(t *testing.T) {
	files, err := render()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(dashboards, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is out of date; run: make dashboards (%v)", name, err)
		}
	}
	present, err := os.ReadDir(dashboards)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range present {
		if files[file.Name()] == nil {
			t.Errorf("%s is not written by the program", file.Name())
		}
	}
}

// The documentation lists every dashboard and has a picture of it.
func TestDocumented(t *testing.T) {
	for _, b := range boards() {
		if _, err := os.Stat(filepath.Join(pictures, b.name+".png")); err != nil {
			t.Errorf("%v; run: make pictures", err)
		}
		for file, want := range map[string]string{
			"../README.md":                "`dashboards/" + b.name + ".json`",
			"../../../docs/dashboards.md": "](images/" + b.name + ".png)",
		} {
			if text, err := os.ReadFile(file); err != nil || !bytes.Contains(text, []byte(want)) {
				t.Errorf("%s does not contain %s (%v)", file, want, err)
			}
		}
	}
}

// All fields are known to Grafana, and no required field is missing.
func TestStrictlyValid(t *testing.T) {
	for name, d := range readAll(t) {
		if err := d.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Strict parsing rejects unknown and missing fields.
func TestStrictlyInvalid(t *testing.T) {
	plugins.RegisterDefaultPlugins()
	for _, text := range []string{`{}`, `{"schemaVersion": 42, "nonsense": 1}`} {
		var d dashboard.Dashboard
		if err := d.UnmarshalJSONStrict([]byte(text)); err == nil {
			t.Errorf("%s was parsed without an error", text)
		}
	}
}

// withoutTitles omits the titles of annotations, a field of the data source.
func withoutTitles(text []byte) []byte {
	return regexp.MustCompile(`,\n *"titleFormat": "[^"]*"`).ReplaceAll(text, nil)
}

// readAll parses the committed dashboards, by file name.
func readAll(t *testing.T) map[string]dashboard.Dashboard {
	t.Helper()
	plugins.RegisterDefaultPlugins()
	names, err := filepath.Glob(dashboards + "/*.json")
	if err != nil || len(names) != 9 {
		t.Fatalf("got %d dashboards, want 9 (%v)", len(names), err)
	}
	all := map[string]dashboard.Dashboard{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var d dashboard.Dashboard
		if err := d.UnmarshalJSONStrict(withoutTitles(text)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[filepath.Base(name)] = d
	}
	return all
}
