package main

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/prometheus/common/version"
)

// setVersion sets the version of a build without one from the linker to the version of
// the module, or "devel" if that is unknown.
func setVersion() {
	if version.Version != "" {
		return
	}
	version.Version = "devel"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		version.Version = info.Main.Version
	}
}

// A buildField is a known property of the build.
type buildField struct{ name, value string }

// buildFields returns the properties of the build that are known. A build without those
// from the linker has the commit from the version control system, if there is one.
func buildFields() (known []buildField) {
	var committed string
	if info, ok := debug.ReadBuildInfo(); ok && version.BuildDate == "" {
		for _, s := range info.Settings {
			if s.Key == "vcs.time" {
				committed = s.Value
			}
		}
	}
	for _, f := range []buildField{
		{"revision", version.GetRevision()},
		{"branch", version.Branch},
		{"commit date", committed},
		{"build user", version.BuildUser},
		{"build date", version.BuildDate},
		{"go version", version.GoVersion},
		{"platform", version.GoOS + "/" + version.GoArch},
		{"tags", version.GetTags()},
	} {
		if f.value != "" && f.value != "unknown" {
			known = append(known, f)
		}
	}
	return known
}

// versionText returns the output of --version.
func versionText() string {
	var text strings.Builder
	_, _ = fmt.Fprintf(&text, "ccwatchd, version %s", version.Version)
	for _, f := range buildFields() {
		_, _ = fmt.Fprintf(&text, "\n  %-17s %s", f.name+":", f.value)
	}
	return text.String()
}

// versionAttrs returns the version and the properties of the build as log attributes.
func versionAttrs() []any {
	attrs := []any{"version", version.Version}
	for _, f := range buildFields() {
		attrs = append(attrs, strings.ReplaceAll(f.name, " ", "_"), f.value)
	}
	return attrs
}
