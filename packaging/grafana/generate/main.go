package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func main() {
	if err := write(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Paths from the directory of the program.
const (
	dashboards = "../dashboards"
	metrics    = "../../../docs/metrics.md"
)

func write() error {
	files, err := render()
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dashboards, name), text, 0o644); err != nil { //nolint:gosec // world-readable by design
			return fmt.Errorf("write a dashboard: %w", err)
		}
	}
	return nil
}

// render returns all dashboard files by name.
func render() (map[string][]byte, error) {
	s, err := readScope(metrics)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, b := range boards() {
		d, err := b.build(s)
		if err != nil {
			return nil, err
		}
		text, err := encode(d, b.withoutEvents())
		if err != nil {
			return nil, fmt.Errorf("encode dashboard %s: %w", b.name, err)
		}
		files[b.name+".json"] = text
	}
	return files, nil
}

// encode returns the JSON of a dashboard with sorted keys and without HTML escapes, so
// that diffs are readable. Some panels have no annotations.
func encode(d dashboard.Dashboard, withoutEvents []int) ([]byte, error) {
	raw, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	var plain any
	if err := json.Unmarshal(raw, &plain); err != nil {
		return nil, err
	}
	completeAnnotations(plain, withoutEvents)
	var text bytes.Buffer
	to := json.NewEncoder(&text)
	to.SetEscapeHTML(false)
	to.SetIndent("", " ") // the program contains these files
	err = to.Encode(plain)
	return text.Bytes(), err
}
