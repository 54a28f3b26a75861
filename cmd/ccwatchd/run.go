package main

import (
	"io"
	"log/slog"

	"github.com/prometheus/common/promslog"

	"github.com/ccwatchd/ccwatchd/internal/servicecmd"
	"github.com/ccwatchd/ccwatchd/server"
)

// runCommand is the name of the default command.
const runCommand = "run"

// daemonFlags are the prefixes of the flags that configure the daemon.
func daemonFlags() []string { return []string{"config.", "state.", "web.", "log."} }

func (c *command) addRun() {
	c.add(runCommand, "Follow the sessions and serve their metrics. The default.", func(stdout io.Writer, _ *slog.Logger) (int, error) {
		events, err := servicecmd.EventLog(&c.log)
		if err != nil {
			return 1, err
		}
		if events == nil {
			events = promslog.New(&c.log).Handler()
		}
		log := c.newLogger(server.NewRareHandler(events))
		if isTerminal(stdout) {
			c.onListen = func(url string) { printWelcome(stdout, url) }
			if isTerminal(c.log.Writer) && !c.levelGiven {
				log = slog.New(startHandler{log.Handler(), &c.ready})
			}
		}
		return 0, c.serve(catchSignals(), log)
	}, daemonFlags()...).Hidden()
}
