// Command sbom writes the software bill of materials of a Go program as CycloneDX JSON,
// from the build information that the linker wrote into the program. The same program
// gives the same bytes.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
)

func main() {
	if len(os.Args) != 4 {
		_, _ = fmt.Fprintln(os.Stderr, "usage: sbom VERSION PROGRAM FILE")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// write writes the bill of materials of a program to a file.
func write(version, program, file string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return fmt.Errorf("read build information: %w", err)
	}
	content, err := os.ReadFile(program) //nolint:gosec // named on the command line
	if err != nil {
		return fmt.Errorf("read program: %w", err)
	}
	sum := sha256.Sum256(content)
	b, err := json.MarshalIndent(billOf(info, version, hex.EncodeToString(sum[:])), "", "  ")
	if err != nil {
		return fmt.Errorf("encode bill of materials: %w", err)
	}
	if err := os.WriteFile(file, append(b, '\n'), 0o644); err != nil { //nolint:gosec // published
		return fmt.Errorf("write bill of materials: %w", err)
	}
	return nil
}

// A bill is the bill of materials of a program in CycloneDX 1.5.
type bill struct {
	Format       string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type    string `json:"type"`
	Ref     string `json:"bom-ref"`
	Name    string `json:"name"`
	Version string `json:"version"`
	URL     string `json:"purl"`
	Hashes  []hash `json:"hashes,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn"`
}

func billOf(info *buildinfo.BuildInfo, version, sum string) bill {
	program := componentOf("application", info.Main.Path, version)
	program.Hashes = []hash{{"SHA-256", sum}}
	parts := []component{componentOf("library", "std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, m := range info.Deps {
		m = replaced(m)
		parts = append(parts, componentOf("library", m.Path, m.Version))
	}
	needs := dependency{Ref: program.Ref}
	for _, c := range parts {
		needs.DependsOn = append(needs.DependsOn, c.Ref)
	}
	return bill{
		Format: "CycloneDX", SpecVersion: "1.5", Version: 1,
		Metadata: metadata{program}, Components: parts, Dependencies: []dependency{needs},
	}
}

func replaced(m *debug.Module) *debug.Module {
	if m.Replace != nil {
		return m.Replace
	}
	return m
}

func componentOf(kind, path, version string) component {
	url := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	return component{Type: kind, Ref: url, Name: path, Version: version, URL: url}
}
