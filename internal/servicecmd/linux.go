package servicecmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ccwatchd/ccwatchd/packaging"
)

func (o *Options) setSystemdPaths(p *paths) {
	if !p.user {
		p.template, p.unit = packaging.SystemdSystem, "/etc/systemd/system/ccwatchd.service"
		p.packagedUnit = "/usr/lib/systemd/system/ccwatchd.service"
		p.config, p.state, p.stateIsFixed = "/etc/ccwatchd/ccwatchd.yml", "/var/lib/ccwatchd", true
		p.extraArgs, p.log = "/etc/default/ccwatchd", "journalctl -u ccwatchd"
		return
	}
	home := p.account.home
	configHome := o.Env("XDG_CONFIG_HOME")
	if !filepath.IsAbs(configHome) {
		configHome = filepath.Join(home, ".config")
	}
	// Package service ignores $XDG_CONFIG_HOME for units.
	p.template, p.unit = packaging.SystemdUser, filepath.Join(home, ".config", "systemd", "user", "ccwatchd.service")
	p.packagedUnit = "/usr/lib/systemd/user/ccwatchd.service"
	p.state, p.log = o.StateDir, "journalctl --user -u ccwatchd"
	p.extraArgs = filepath.Join(configHome, "ccwatchd", "environment")
}

func (e *environment) detectLinux(env func(string) string) {
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

// lingers reports whether user services run without a login.
func (s *controller) lingers() bool {
	return anyExists(filepath.Join(s.root, "/var/lib/systemd/linger", s.paths.account.name))
}

// serviceUser is the user of a system service on Linux, which can be given permission
// to read the files of all users.
const serviceUser = "ccwatchd"
