package main

import (
	"io"
	"log/slog"

	"github.com/ccwatchd/ccwatchd/internal/servicecmd"
)

// runCommand is the name of the default command.
const runCommand = "run"

func (c *command) addRun() {
	c.add(runCommand, "Follow the sessions and serve their metrics. The default.", func(_ io.Writer, log *slog.Logger) (int, error) {
		events, err := servicecmd.EventLog(&c.log)
		if err != nil {
			return 1, err
		}
		if events != nil {
			log = slog.New(errorHandler{events, &c.lastError})
		}
		return 0, c.serve(catchSignals(), log)
	})
}
