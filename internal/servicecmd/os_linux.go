package servicecmd

import (
	"fmt"
	"os"
	"strings"
)

func (e *environment) detectPlatform(env func(string) string) {
	e.booted = anyExists("/run/systemd/system")
	e.container = anyExists("/.dockerenv", "/run/.containerenv") || env("container") != ""
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	e.wsl = strings.Contains(strings.ToLower(string(kernel)), "microsoft")
	// su and sudo may leave this variable unset, but systemctl only needs the
	// directory to exist.
	dir := env("XDG_RUNTIME_DIR")
	if dir == "" {
		dir = fmt.Sprintf("/run/user/%d", os.Geteuid())
	}
	if e.session = anyExists(dir+"/systemd/private", dir+"/bus"); e.session {
		_ = os.Setenv("XDG_RUNTIME_DIR", dir)
	}
}
