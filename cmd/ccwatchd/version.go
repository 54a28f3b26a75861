package main

import (
	"runtime/debug"

	"github.com/prometheus/common/version"
)

// setVersion sets the version, unless the linker has set it, to the version of the
// module, or to "devel" if that is unknown.
func setVersion() {
	if version.Version != "" {
		return
	}
	version.Version = "devel"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		version.Version = info.Main.Version
	}
}
