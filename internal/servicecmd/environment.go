package main

import (
	"errors"
	"fmt"
)

// surroundings are what decides whether there can be a service here.
type surroundings struct {
	manager   string // of services, as package service calls it
	booted    bool   // systemd is what runs the machine
	root      bool   // or administrator
	sudo      string // whoever became root for this; "" for nobody
	session   bool   // the manager of the user's own services can be reached
	container bool
	wsl       bool
}

// users reports whether users have services of their own here.
func (s *surroundings) users() bool { return s.manager == systemd || s.manager == launchd }

// errNoService says that there can be no service here, and what to do instead.
var errNoService = errors.New("no service can be had")

func noService(why string) error { return fmt.Errorf("%w: %s", errNoService, why) }

// refuse says why there can be no such service here and what to do about it;
// nil if there can be one. To look at one takes fewer rights than to change it.
func (s *surroundings) refuse(user, change bool) error {
	if err := s.refuseManager(); err != nil {
		return err
	}
	switch {
	case user && !s.users():
		return noService("there are only services of the system here; try --system")
	case user && s.root && (s.sudo != "" || !s.session):
		return noService("it would be that of root; leave out sudo for your own, or add --system for that of the machine")
	case user && !s.session && s.manager == launchd:
		return noService("nobody is logged in at the screen of this Mac, where agents run; with sudo and --system it starts with the machine, and reads your sessions all the same")
	case user && !s.session:
		return noService("the manager of your services cannot be reached; log in as this user, not by su or sudo, or have it run always: sudo loginctl enable-linger USER")
	case !user && change && !s.root && s.manager == windows:
		return noService("it takes an administrator; open a terminal as one")
	case !user && change && !s.root:
		return noService("it takes root for the system; put sudo in front, or try --user")
	case !user && change && s.sudo == "" && (s.manager == launchd || s.manager == freeBSD):
		return noService("whose sessions it should read cannot be told; be that user, and put sudo in front")
	}
	return nil
}

// refuseManager says what is wrong with the manager of services.
func (s *surroundings) refuseManager() error {
	switch s.manager {
	case openRC, freeBSD, launchd, windows:
		return nil
	case systemd:
		if s.booted {
			return nil
		}
	}
	switch {
	case s.container:
		return noService("this is a container without a manager of services; have ccwatchd itself be what the container runs")
	case s.wsl:
		return noService("this WSL runs without systemd; write systemd=true below [boot] into /etc/wsl.conf, and then in Windows: wsl --shutdown")
	case s.manager == systemd:
		return noService("systemd is there, but does not run this machine; have ccwatchd started by what does")
	default:
		return noService("neither systemd nor OpenRC run this machine; have ccwatchd started by what does")
	}
}
