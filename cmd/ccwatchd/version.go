package main

import (
	"runtime/debug"

	"github.com/prometheus/common/version"
)

// nameVersion gives a build that was not told its version by the linker the
// one that Go knows: that of the module, or "devel" in a checkout.
func nameVersion() {
	if version.Version != "" {
		return
	}
	version.Version = "devel"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		version.Version = info.Main.Version
	}
}
