package servicecmd

import (
	"fmt"

	"github.com/kardianos/service"

	"github.com/ccwatchd/ccwatchd/packaging"
)

// A manager manages one service. It is a part of service.Service.
type manager interface {
	Install() error
	Uninstall() error
	Start() error
	Stop() error
	Restart() error
	Status() (service.Status, error)
}

// verbatim is a template in the syntax of package service. It renders the only
// argument of the service, which is the text of the unit. The text then needs none
// of the quoting that the package does badly, and is testable on every system.
const verbatim = "{{range Arguments}}{{.}}{{end}}"

// newManager returns the manager of the service that runs p.
func newManager(paths paths, p packaging.Program) (manager, error) {
	c := &service.Config{
		Name: "ccwatchd", DisplayName: "ccwatchd", Description: "Prometheus exporter for Claude Code",
		Executable: p.Path, Arguments: p.Args,
		Option: service.KeyValue{
			"UserService": paths.user,
			// On Windows.
			"OnFailure": "restart", "OnFailureDelayDuration": "3s", "DelayedAutoStart": true,
		},
	}
	if paths.template == "" {
		c.EnvVars = p.Env
	} else {
		unit, err := packaging.Unit(paths.template, p)
		if err != nil {
			return nil, err
		}
		c.Arguments = []string{unit}
		for _, option := range []string{"SystemdScript", "LaunchdConfig", "OpenRCScript", "SysvScript"} {
			c.Option[option] = verbatim
		}
	}
	m, err := service.New(noProgram{}, c)
	if err != nil {
		return nil, fmt.Errorf("connect to the service manager: %w", err)
	}
	return m, nil
}

// noProgram is the program of a process that manages a service and is none.
type noProgram struct{}

// Start implements service.Interface.
func (noProgram) Start(service.Service) error { return nil }

// Stop implements service.Interface.
func (noProgram) Stop(service.Service) error { return nil }
