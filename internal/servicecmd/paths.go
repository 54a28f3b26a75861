package servicecmd

import (
	"path/filepath"

	"github.com/ccwatchd/ccwatchd/packaging"
)

// paths say where the files of a service are: of the system service, or of the
// service of one user.
type paths struct {
	manager      string
	name         string // for messages
	user         bool   // user service
	template     string // file in package packaging that the unit is made from; "" without a unit
	unit         string // installed unit; "" without one
	packagedUnit string // pattern of the unit that a package installs; "" if that is the same path
	config       string // configuration of a service without --config.file; "" for none
	state        string // state directory
	stateIsFixed bool   // the sandbox allows no other state directory
	extraArgs    string // file with further arguments; "" for none
	log          string // where to read the log
	account      account
}

// An account is a user account of the machine.
type account struct{ name, home string }

// The service managers, by the names that package service gives them.
const (
	systemd = "linux-systemd"
	openRC  = "linux-openrc"
	freeBSD = "freebsd"
	launchd = "darwin-launchd"
	windows = "windows-service"
)

// pathsOf returns the paths of a service of the account under a manager. It returns
// false if the manager has no such services.
func (o *Options) pathsOf(manager string, user bool, a account) (paths, bool) {
	p := paths{manager: manager, user: user, account: a, name: "service of the system"}
	if user {
		p.name = "service of the user " + a.name
	}
	switch {
	case manager == systemd && user:
		// Package service ignores $XDG_CONFIG_HOME for units.
		p.template, p.unit = packaging.SystemdUser, filepath.Join(a.home, ".config", "systemd", "user", "ccwatchd.service")
		p.packagedUnit = "/usr/lib/systemd/user/ccwatchd.service"
		p.state = o.StateDir
		p.extraArgs = filepath.Join(o.configHome(a), "ccwatchd", "environment")
		p.log = "journalctl --user -u ccwatchd"
	case manager == systemd:
		p.template, p.unit = packaging.SystemdSystem, "/etc/systemd/system/ccwatchd.service"
		p.packagedUnit = "/usr/lib/systemd/system/ccwatchd.service"
		p.config, p.state, p.stateIsFixed = "/etc/ccwatchd/ccwatchd.yml", "/var/lib/ccwatchd", true
		p.extraArgs, p.log = "/etc/default/ccwatchd", "journalctl -u ccwatchd"
	case manager == openRC && !user:
		p.template, p.unit = packaging.OpenRC, "/etc/init.d/ccwatchd"
		p.config, p.state, p.stateIsFixed = "/etc/ccwatchd/ccwatchd.yml", "/var/lib/ccwatchd", true
		p.extraArgs, p.log = "/etc/conf.d/ccwatchd", "the system log"
	case manager == freeBSD && !user:
		p.template, p.unit = packaging.FreeBSD, "/usr/local/etc/rc.d/ccwatchd"
		p.state, p.stateIsFixed = "/var/db/ccwatchd", true
		p.extraArgs, p.log = "/etc/rc.conf", "/var/log/daemon.log"
	case manager == launchd && user:
		p.template, p.unit = packaging.LaunchAgent, filepath.Join(a.home, "Library", "LaunchAgents", "ccwatchd.plist")
		p.state, p.log = o.StateDir, filepath.Join(a.home, "Library", "Logs", "ccwatchd.log")
	case manager == launchd:
		p.template, p.unit = packaging.LaunchDaemon, "/Library/LaunchDaemons/ccwatchd.plist"
		p.state = filepath.Join(a.home, "Library", "Application Support", "ccwatchd")
		p.log = filepath.Join(a.home, "Library", "Logs", "ccwatchd.log")
	case manager == windows && !user:
		p.state, p.log = filepath.Join(o.Env("ProgramData"), "ccwatchd"), "the event log"
	default:
		return p, false
	}
	return p, true
}

// configHome is the directory of the account's configuration files.
func (o *Options) configHome(a account) string {
	if dir := o.Env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(a.home, ".config")
}
