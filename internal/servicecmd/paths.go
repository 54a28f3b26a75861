package main

import (
	"path/filepath"

	"github.com/ccwatchd/ccwatchd/packaging"
)

// A servicePlace says where the things are that belong to a service: of the
// system, or of one user.
type servicePlace struct {
	by     string // its manager
	name   string // what it is, for people
	user   bool   // it is one user's
	file   string // the file in package packaging that its unit is made of; "" where there are no units
	unit   string // where its unit is installed; "" where there are none
	others string // pattern for the same unit as a package installs it; "" if that would be at the same place
	config string // the configuration that it reads unless told otherwise; "" for none
	state  string // its state directory
	fixed  bool   // which it cannot leave
	args   string // a file that may hold further arguments; "" for none
	log    string // how to see its log
	whose  account
}

// An account is a user of the machine.
type account struct{ name, home string }

// The managers of services, as package service calls them.
const (
	systemd = "linux-systemd"
	openRC  = "linux-openrc"
	freeBSD = "freebsd"
	launchd = "darwin-launchd"
	windows = "windows-service"
)

// placeOf returns the place of a service under a manager. Its user is that who
// asks for it. It is false if the manager has no such services.
func placeOf(manager string, user bool, whose account, env func(string) string) (servicePlace, bool) {
	p := servicePlace{by: manager, user: user, whose: whose, name: "service of the system"}
	if user {
		p.name = "service of the user " + whose.name
	}
	switch {
	case manager == systemd && user:
		// Package service does not look for another place of the configuration.
		p.file, p.unit = packaging.SystemdUser, filepath.Join(whose.home, ".config", "systemd", "user", "ccwatchd.service")
		p.others = "/usr/lib/systemd/user/ccwatchd.service"
		p.state = defaultStateDir(env)
		p.args = filepath.Join(configHome(whose, env), "ccwatchd", "environment")
		p.log = "journalctl --user -u ccwatchd"
	case manager == systemd:
		p.file, p.unit = packaging.SystemdSystem, "/etc/systemd/system/ccwatchd.service"
		p.others = "/usr/lib/systemd/system/ccwatchd.service"
		p.config, p.state, p.fixed = "/etc/ccwatchd/ccwatchd.yml", "/var/lib/ccwatchd", true
		p.args, p.log = "/etc/default/ccwatchd", "journalctl -u ccwatchd"
	case manager == openRC && !user:
		p.file, p.unit = packaging.OpenRC, "/etc/init.d/ccwatchd"
		p.config, p.state, p.fixed = "/etc/ccwatchd/ccwatchd.yml", "/var/lib/ccwatchd", true
		p.args, p.log = "/etc/conf.d/ccwatchd", "the system log"
	case manager == freeBSD && !user:
		p.file, p.unit = packaging.FreeBSD, "/usr/local/etc/rc.d/ccwatchd"
		p.state, p.fixed = "/var/db/ccwatchd", true
		p.args, p.log = "/etc/rc.conf", "/var/log/daemon.log"
	case manager == launchd && user:
		p.file, p.unit = packaging.LaunchAgent, filepath.Join(whose.home, "Library", "LaunchAgents", "ccwatchd.plist")
		p.state, p.log = defaultStateDir(env), filepath.Join(whose.home, "Library", "Logs", "ccwatchd.log")
	case manager == launchd:
		p.file, p.unit = packaging.LaunchDaemon, "/Library/LaunchDaemons/ccwatchd.plist"
		p.state = filepath.Join(whose.home, "Library", "Application Support", "ccwatchd")
		p.log = filepath.Join(whose.home, "Library", "Logs", "ccwatchd.log")
	case manager == windows && !user:
		p.state, p.log = filepath.Join(env("ProgramData"), "ccwatchd"), "the event log"
	default:
		return p, false
	}
	return p, true
}

// configHome is where the configuration of programs is.
func configHome(whose account, env func(string) string) string {
	if dir := env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(whose.home, ".config")
}
