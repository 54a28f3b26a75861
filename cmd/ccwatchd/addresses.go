package main

import (
	"fmt"
	"net"
	"strings"

	"github.com/ccwatchd/ccwatchd/internal/statusclient"
	"github.com/ccwatchd/ccwatchd/packaging"
)

// reportListening calls onListen with the host and port of a listener, once.
func (c *command) reportListening(listener net.Listener) {
	if c.onListen == nil || listener.Addr().Network() != "tcp" {
		return
	}
	c.listening.Do(func() { c.onListen(c.target(listener.Addr().String())) })
}

// target returns the host and port of a listener at an address. The host is that of the
// flag, if there is one for the same port.
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

// welcome returns the text that a daemon started in a terminal prints: its URLs, and
// how to have Prometheus scrape it.
func welcome(target string) string {
	status := "ccwatchd status"
	if target != defaultAddress {
		status += " --url=http://" + target
	}
	return fmt.Sprintf(`ccwatchd is running.

  http://%s/          status page
  http://%[1]s/metrics   metrics

To scrape them with Prometheus, add to its configuration:

%s

Dashboards for Grafana and rules for Prometheus:  ccwatchd dashboards
Status of the daemon:                             %s
Run it as a service:                              ccwatchd service install

`, target, packaging.ScrapeConfig(target), status)
}
