package main

import (
	"cmp"
	"context"
	"io"
	"log/slog"

	"github.com/ccwatchd/ccwatchd/internal/statusclient"
)

// A healthcheck holds the flags of the command of that name.
type healthcheck struct {
	url   string
	ready bool
}

func (c *command) addHealthcheck() {
	var h healthcheck
	clause := c.add("healthcheck", "Check whether a running daemon answers; exit with 0 if it does and with 1 if not. For the health checks of containers.",
		func(io.Writer, *slog.Logger) (int, error) {
			return 0, h.check(context.Background(), (*c.web.WebListenAddresses)[0])
		})
	clause.Flag("url", "URL of the daemon. Default: that of the first --web.listen-address.").PlaceHolder("URL").StringVar(&h.url)
	clause.Flag("ready", "Also check whether it has read everything.").BoolVar(&h.ready)
}

// check checks the daemon, which listens on address unless there is a URL.
func (h *healthcheck) check(ctx context.Context, address string) error {
	client := statusclient.New(cmp.Or(h.url, statusclient.URL(address)))
	if h.ready {
		return client.Ready(ctx)
	}
	return client.Healthy(ctx)
}
