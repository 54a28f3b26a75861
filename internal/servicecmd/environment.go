package servicecmd

import (
	"errors"
	"fmt"
	"os"
	"slices"
)

// An environment holds the facts that decide whether a service is possible.
type environment struct {
	manager   string // service manager, by the name that package service gives it
	booted    bool   // systemd is the init system
	root      bool   // or an administrator
	sudo      string // user who called sudo; "" without it
	session   bool   // the user's service manager is reachable
	container bool
	wsl       bool
}

// errNoService is returned if the environment cannot run a service. The text after it
// has the reason and the remedy.
var errNoService = errors.New("cannot manage a service")

func noService(reason string) error { return fmt.Errorf("%w: %s", errNoService, reason) }

// check returns an error with a remedy if a service is impossible here. Changing a
// service needs more privileges than reading its status.
func (e *environment) check(user, change bool) error {
	if err := e.checkManager(); err != nil {
		return err
	}
	switch {
	case user && !hasUserServices(e.manager):
		return noService("this system has no user services: add --system")
	case user && e.root && (e.sudo != "" || !e.session):
		return noService("refusing to install a user service for root: run without sudo, or add --system")
	case user && !e.session && e.manager == launchd:
		return noService("agents need a graphical login on this Mac: with sudo and --system the service starts at boot and reads the same sessions")
	case user && !e.session:
		return noService("the user service manager is not reachable: log in as this user instead of using su or sudo, or enable lingering: sudo loginctl enable-linger USER")
	case !user && change && !e.root && e.manager == windows:
		return noService("administrator privileges required: open a terminal as administrator")
	case !user && change && !e.root:
		return noService("root privileges required for the system service: run with sudo, or use --user")
	case !user && change && e.sudo == "" && e.manager == launchd:
		return noService("the user whose sessions to read is unknown: log in as that user and run with sudo")
	}
	return nil
}

// checkManager returns an error if no supported service manager runs.
func (e *environment) checkManager() error {
	switch e.manager {
	case launchd, windows:
		return nil
	case openRC:
		return noService("on OpenRC, install the package, and run: sudo rc-update add ccwatchd && sudo rc-service ccwatchd start")
	case freeBSD:
		return noService("on FreeBSD, install ccwatchd.rc of the release as /usr/local/etc/rc.d/ccwatchd, and run: sudo sysrc ccwatchd_runas=\"$USER\" && sudo service ccwatchd enable && sudo service ccwatchd start")
	case systemd:
		if e.booted {
			return nil
		}
	}
	switch {
	case e.container:
		return noService("this container has no service manager: run ccwatchd as its main process")
	case e.wsl:
		return noService("this WSL runs without systemd: set systemd=true under [boot] in /etc/wsl.conf, then run in Windows: wsl --shutdown")
	case e.manager == systemd:
		return noService("systemd is installed, but is not the init system: start ccwatchd from yours")
	default:
		return noService("the init system is not supported: start ccwatchd from it")
	}
}

// anyExists reports whether one of several files exists.
func anyExists(paths ...string) bool {
	return slices.ContainsFunc(paths, func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	})
}
