package main

import (
	"context"
	"io"
	"log/slog"
)

func (c *command) addHealthcheck() {
	var (
		daemon target
		ready  bool
	)
	clause := c.add("healthcheck", "Check whether a running daemon responds. Exits with 0 if it does and with 1 if not. For health checks of containers.",
		func(io.Writer, *slog.Logger) (int, error) {
			if ready {
				return 0, daemon.client(c).Ready(context.Background())
			}
			return 0, daemon.client(c).Healthy(context.Background())
		}, targetFlags()...).Hidden()
	daemon.addFlag(clause)
	clause.Flag("ready", "Also check whether it has read everything.").BoolVar(&ready)
}
