package main

import (
	"runtime/debug"

	"github.com/prometheus/common/version"
)

// setVersion sets the version of a build without one from the linker: that of the
// module, or "devel" in a checkout.
func setVersion() {
	if version.Version != "" {
		return
	}
	version.Version = "devel"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		version.Version = info.Main.Version
	}
}
