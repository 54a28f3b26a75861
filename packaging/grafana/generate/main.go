package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func main() {
	out := flag.String("out", "../dashboards", "output `directory`")
	metrics := flag.String("metrics", "../../../docs/metrics.md", "`file` that documents the metrics")
	flag.Parse()
	if err := write(*out, *metrics); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write writes all dashboards to a directory.
func write(out, metrics string) error {
	files, err := render(metrics)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil { //nolint:gosec // world-readable by design
		return fmt.Errorf("create the dashboard directory: %w", err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(out, name), text, 0o644); err != nil { //nolint:gosec // world-readable by design
			return fmt.Errorf("write a dashboard: %w", err)
		}
	}
	return nil
}

// render returns all dashboard files by name.
func render(metrics string) (map[string][]byte, error) {
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
		text, err := encode(d)
		if err != nil {
			return nil, fmt.Errorf("encode dashboard %s: %w", b.name, err)
		}
		files[b.name+".json"] = text
	}
	return files, nil
}

// encode returns the JSON of a dashboard with sorted keys and without HTML escapes, so
// that diffs are readable.
func encode(d dashboard.Dashboard) ([]byte, error) {
	raw, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	var plain any
	if err := json.Unmarshal(raw, &plain); err != nil {
		return nil, err
	}
	addTitles(plain)
	var text bytes.Buffer
	to := json.NewEncoder(&text)
	to.SetEscapeHTML(false)
	to.SetIndent("", "  ")
	err = to.Encode(plain)
	return text.Bytes(), err
}
