package main

import (
	"io"
	"log/slog"

	"github.com/ccwatchd/ccwatchd/internal/servicecmd"
	"github.com/ccwatchd/ccwatchd/internal/terminal"
)

func (c *command) addService() {
	service := servicecmd.Add(c.app, servicecmd.Options{
		Env:             c.env,
		RunCommand:      runCommand,
		ListenAddresses: c.web.WebListenAddresses,
		DefaultAddress:  defaultAddress,
		StateDir:        defaultStateDir(c.env),
		PrintStatus:     printStatus,
		PrintAddresses: func(w io.Writer, url string) {
			printAddresses(w, url)
			printSetting(w)
		},
	})
	// All of daemonFlags except state.read-again, which is for a single start.
	c.uses("service install", "config.", "state.dir", "web.", "log.")
	c.onSelect(service.Clause, func(stdout io.Writer, _ *slog.Logger) (int, error) {
		return service.Run(c.parsed, terminal.TextWriter{To: stdout})
	})
}
