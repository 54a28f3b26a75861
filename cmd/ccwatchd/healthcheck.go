package main

import (
	"context"

	"github.com/alecthomas/kingpin/v2"
)

// A healthcheck is the command of that name.
type healthcheck struct {
	cmd   *kingpin.CmdClause
	url   string
	ready bool
}

func addHealthcheck(app *kingpin.Application) *healthcheck {
	h := &healthcheck{cmd: app.Command("healthcheck", "Ask a running daemon whether it serves; exit with 0 if it does and with 1 if not. For the health checks of containers.")}
	h.cmd.Flag("url", "Where the daemon is. Default: the first --web.listen-address.").PlaceHolder("URL").StringVar(&h.url)
	h.cmd.Flag("ready", "Ask whether it has read everything, too.").BoolVar(&h.ready)
	return h
}

// check asks the daemon, which listens on address unless there is a URL.
func (h *healthcheck) check(ctx context.Context, address string) error {
	url := h.url
	if url == "" {
		url = urlOf(address)
	}
	a := newAsker(url)
	if h.ready {
		return a.ready(ctx)
	}
	return a.healthy(ctx)
}
