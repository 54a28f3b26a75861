package main

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"strings"

	"github.com/ccwatchd/ccwatchd/daemon"
	"github.com/ccwatchd/ccwatchd/internal/statusclient"
	"github.com/ccwatchd/ccwatchd/state/checkpoint"
)

// reportListening logs where the page of the first listener is, records that in the
// state directory, where commands look for it, and calls onListen.
func (c *command) reportListening(address net.Addr, instance string, d *daemon.Daemon, log *slog.Logger) {
	if address.Network() != "tcp" {
		return
	}
	c.listening.Do(func() {
		url := c.web.Scheme() + "://" + c.target(address.String())
		log.Info("Serving", "page", pageOf(url), "metrics", metricsOf(url))
		if c.onListen != nil {
			c.onListen(url)
		}
		if err := d.SetAddress(checkpoint.Address{URL: url, Instance: instance}); err != nil {
			log.Warn("Failed to record the address, commands may not find this daemon", "err", err)
		}
	})
}

// target returns the host and port of a listener at an address. If a flag has the same
// port, its host replaces the host of the address.
func (c *command) target(address string) string {
	if _, port, err := net.SplitHostPort(address); err == nil {
		for _, configured := range *c.web.WebListenAddresses {
			if strings.HasSuffix(configured, ":"+port) {
				address = configured
				break
			}
		}
	}
	return statusclient.Target(address)
}

func pageOf(url string) string    { return url + "/" }
func metricsOf(url string) string { return url + "/metrics" }

// printAddresses prints where the page and the metrics of a daemon are.
func printAddresses(w io.Writer, url string) {
	printField(w, "page", "%s", pageOf(url))
	printField(w, "metrics", "%s", metricsOf(url))
}

// printSetting prints the line of settings.json that adds the status line.
func printSetting(w io.Writer) { printField(w, "settings.json", "%s", statuslineSetting) }

// printWelcome prints what a daemon started in a terminal offers, and the next command,
// at once: the log has the same terminal.
func printWelcome(w io.Writer, url string) {
	var text bytes.Buffer
	printAddresses(&text, url)
	printSetting(&text)
	text.WriteString("next: ccwatchd service install, to keep it running; ccwatchd --help lists all commands\n")
	_, _ = text.WriteTo(w)
}
