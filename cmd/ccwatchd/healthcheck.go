package main

import (
	"cmp"
	"context"
	"io"
	"log/slog"

	"github.com/alecthomas/kingpin/v2"

	"github.com/ccwatchd/ccwatchd/internal/statusclient"
)

// A target is the daemon that a command talks to.
type target struct{ url string }

func (t *target) addFlag(clause *kingpin.CmdClause) {
	clause.Flag("url", "URL of the daemon. Default: the first --web.listen-address.").PlaceHolder("URL").StringVar(&t.url)
}

func (t *target) client(c *command) *statusclient.Client {
	return statusclient.New(cmp.Or(t.url, statusclient.URL((*c.web.WebListenAddresses)[0])))
}

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
		}, "web.listen-address").Hidden()
	daemon.addFlag(clause)
	clause.Flag("ready", "Also check whether it has read everything.").BoolVar(&ready)
}
