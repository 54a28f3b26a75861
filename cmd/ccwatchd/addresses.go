package main

import (
	"fmt"
	"net"
	"strings"

	"github.com/ccwatchd/ccwatchd/internal/statusclient"
)

// reportListening calls onListen with the host and port of a listener, once.
func (c *command) reportListening(address net.Addr) {
	if c.onListen == nil || address.Network() != "tcp" {
		return
	}
	c.listening.Do(func() { c.onListen(c.target(address.String())) })
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

// welcome returns the text that a daemon started in a terminal prints: the address of
// the page, and the next command.
func welcome(target string) string {
	return fmt.Sprintf(`your usage: http://%s/
next: ccwatchd service install, to keep it running; ccwatchd --help lists all commands
`, target)
}
