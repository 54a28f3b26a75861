package servicecmd

import "path/filepath"

// paths are the locations of the files of a service.
type paths struct {
	manager      string
	name         string // for messages
	user         bool   // user service
	template     string // file in package packaging that the unit is made from; "" without a unit
	unit         string // installed unit; "" without one
	packagedUnit string // unit that a package installs; "" if that is the same path
	config       string // configuration of a service without --config.file; "" for none
	state        string // state directory
	stateIsFixed bool   // the sandbox allows no other state directory
	extraArgs    string // file with further arguments; "" for none
	log          string // where to read the log
	account      account
}

// An account is a user account of the machine.
type account struct{ name, home string }

// The service managers, by the names that package service gives them. OpenRC and
// FreeBSD have scripts in packages only.
const (
	systemd = "linux-systemd"
	openRC  = "linux-openrc"
	freeBSD = "freebsd"
	launchd = "darwin-launchd"
	windows = "windows-service"
)

// hasUserServices reports whether a manager runs services of users.
func hasUserServices(manager string) bool { return manager == systemd || manager == launchd }

// pathsOf returns the paths of a service of the account under a manager. It returns
// false if the manager has no such services.
func (o *Options) pathsOf(manager string, user bool, a account) (paths, bool) {
	p := paths{manager: manager, user: user, account: a, name: "system service"}
	if user {
		p.name = "user service of " + a.name
	}
	if user && !hasUserServices(manager) {
		return p, false
	}
	switch manager {
	case systemd:
		o.setSystemdPaths(&p)
	case launchd:
		o.setLaunchdPaths(&p)
	case windows:
		p.state, p.log = filepath.Join(o.Env("ProgramData"), "ccwatchd"), "the event log"
	default:
		return p, false
	}
	return p, true
}
