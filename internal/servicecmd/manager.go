package main

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

// verbatim is a template in the syntax of package service. It stands for the one
// argument that the service is said to have, which is the text of the unit: so
// that text needs no quoting that the package does not do well, and can be
// tested on every system.
const verbatim = "{{range Arguments}}{{.}}{{end}}"

// newManager returns the manager of the service that runs p.
func newManager(at servicePlace, p packaging.Program) (manager, error) {
	c := &service.Config{
		Name: "ccwatchd", DisplayName: "ccwatchd", Description: "Prometheus exporter for Claude Code",
		Executable: p.Path, Arguments: p.Args,
		Option: service.KeyValue{
			"UserService": at.user,
			// On Windows.
			"OnFailure": "restart", "OnFailureDelayDuration": "3s", "DelayedAutoStart": true,
		},
	}
	if at.file == "" {
		c.EnvVars = p.Env
	} else {
		unit, err := packaging.Unit(at.file, p)
		if err != nil {
			return nil, err
		}
		c.Arguments = []string{unit}
		for _, option := range []string{"SystemdScript", "LaunchdConfig", "OpenRCScript", "SysvScript"} {
			c.Option[option] = verbatim
		}
	}
	m, err := service.New(nobody{}, c)
	if err != nil {
		return nil, fmt.Errorf("find the manager of services: %w", err)
	}
	return m, nil
}

// nobody is what runs where a service is only managed.
type nobody struct{}

// Start implements service.Interface.
func (nobody) Start(service.Service) error { return nil }

// Stop implements service.Interface.
func (nobody) Stop(service.Service) error { return nil }
