package main

import (
	"fmt"
	"os"
	"strings"
)

func (s *surroundings) look(env func(string) string) {
	s.booted = exist("/run/systemd/system")
	s.container = exist("/.dockerenv", "/run/.containerenv") || env("container") != ""
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	s.wsl = strings.Contains(strings.ToLower(string(kernel)), "microsoft")
	// Not every way to become a user sets this variable, but for systemctl it is
	// enough that there is such a directory.
	dir := env("XDG_RUNTIME_DIR")
	if dir == "" {
		dir = fmt.Sprintf("/run/user/%d", os.Geteuid())
	}
	if s.session = exist(dir+"/systemd/private", dir+"/bus"); s.session {
		_ = os.Setenv("XDG_RUNTIME_DIR", dir)
	}
}
