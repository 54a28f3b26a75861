package servicecmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ccwatchd/ccwatchd/packaging"
)

var errPackaged = errors.New("a package has installed this service")

// alreadyRuns reports whether there is nothing to install, and prints where the daemon
// runs: a package has installed and started this service, or the system service that
// makes a user service unnecessary. The error is errPackaged if the service of a
// package does not run, or has to be changed.
func (s *controller) alreadyRuns(before serviceInfo, address string) (bool, error) {
	if s.paths.user && (!before.installed || !before.running) {
		if system, info, ok := s.systemService(); ok && system.listensOn(info, address) {
			system.printRunning(info)
			return true, nil
		}
	}
	switch {
	case !before.packaged:
		return false, nil
	case !before.running:
		return false, fmt.Errorf("%w: %s, to start it: %s", errPackaged, before.unit, s.startCommand())
	case s.changes(before, address):
		return false, fmt.Errorf("%w: %s, to change its flags: set ARGS in %s, and restart it", errPackaged, before.unit, s.paths.extraArgs)
	}
	s.printRunning(before)
	return true, nil
}

// systemService returns the controller and the state of the system service, or false if
// it is not installed.
func (s *controller) systemService() (*controller, serviceInfo, bool) {
	system := *s
	var ok bool
	if system.paths, ok = s.pathsOf(s.paths.manager, false, s.paths.account); !ok {
		return nil, serviceInfo{}, false
	}
	m, err := s.newManager(system.paths, packaging.Program{Path: s.executable})
	if err != nil {
		return nil, serviceInfo{}, false
	}
	info := system.inspect(m)
	return &system, info, info.installed
}

// changes reports whether the command line has flags that the service lacks.
func (s *controller) changes(before serviceInfo, address string) bool {
	args, err := s.daemonArgs()
	return err != nil || slices.ContainsFunc(args[1:], func(arg string) bool {
		isListen := strings.HasPrefix(arg, "--"+listenFlag+"=") && s.listensOn(before, address)
		return !isListen && !slices.Contains(before.args, arg)
	})
}

// startCommand returns the command that starts the service of a package now and at
// every start of the system.
func (s *controller) startCommand() string {
	if s.paths.user {
		return "systemctl --user enable --now ccwatchd"
	}
	return "sudo systemctl enable --now ccwatchd"
}

// printRunning prints that a service runs, and where.
func (s *controller) printRunning(info serviceInfo) {
	s.printf("The %s runs already: there is nothing to install.\n", s.paths.name)
	s.PrintAddresses(s.out, s.client(info).URL())
	s.printField("unit", info.unit)
	s.printField("log", s.paths.log)
}
