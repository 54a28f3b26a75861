package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

const (
	committed = "../dashboards"
	metrics   = "../../../docs/metrics.md"
	labelPage = "../../../docs/labels.md"
)

// What is committed is what the program writes, and nothing else is there.
func TestNotStale(t *testing.T) {
	files, err := render(metrics)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(committed, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the program writes; run: make dashboards (%v)", name, err)
		}
	}
	there, err := os.ReadDir(committed)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range there {
		if files[file.Name()] == nil {
			t.Errorf("%s is written by nothing", file.Name())
		}
	}
}

// Every field is one that Grafana knows, and all that it needs is there.
func TestStrictlyValid(t *testing.T) {
	for name, d := range readAll(t) {
		if err := d.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The strict reading of a dashboard does find what does not belong there.
func TestStrictlyInvalid(t *testing.T) {
	plugins.RegisterDefaultPlugins()
	for _, text := range []string{`{}`, `{"schemaVersion": 42, "nonsense": 1}`} {
		var d dashboard.Dashboard
		if err := d.UnmarshalJSONStrict([]byte(text)); err == nil {
			t.Errorf("%s was taken for a dashboard", text)
		}
	}
}

// readAll reads the dashboards that are committed, by the names of their files.
func readAll(t *testing.T) map[string]dashboard.Dashboard {
	t.Helper()
	plugins.RegisterDefaultPlugins()
	names, err := filepath.Glob(committed + "/*.json")
	if err != nil || len(names) != 5 {
		t.Fatalf("there are %d dashboards, not 5 (%v)", len(names), err)
	}
	all := map[string]dashboard.Dashboard{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var d dashboard.Dashboard
		if err := d.UnmarshalJSONStrict(text); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[filepath.Base(name)] = d
	}
	return all
}
