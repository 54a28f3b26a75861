package server

import (
	"context"
	"fmt"
	"net"
	"strings"

	"github.com/prometheus/exporter-toolkit/web"
)

// A Config holds the flags of the listeners.
type Config struct {
	*web.FlagConfig // the flags of exporter-toolkit

	AllowedHosts []string // the names of --web.allowed-host
}

// Validate rejects addresses and host names that are not valid.
func (c *Config) Validate() error {
	for _, address := range *c.WebListenAddresses {
		if strings.HasPrefix(address, "vsock://") {
			continue
		}
		_, port, err := net.SplitHostPort(address)
		if err == nil {
			_, err = net.DefaultResolver.LookupPort(context.Background(), "tcp", port)
		}
		if err != nil {
			return fmt.Errorf("--web.listen-address: %w", err)
		}
	}
	for _, name := range c.AllowedHosts {
		if strings.ContainsAny(name, ":/ ") {
			return fmt.Errorf("--web.allowed-host: %q: expected a host name without a scheme or a port", name) //nolint:err113 // printed only
		}
	}
	return nil
}

// CheckFile checks the configuration file of the web server. The file is read again for
// every connection, so it may still become invalid later.
func (c *Config) CheckFile() error {
	if err := web.Validate(*c.WebConfigFile); err != nil {
		return fmt.Errorf("check %s: %w", *c.WebConfigFile, err)
	}
	return nil
}

// listeners returns the flags of one server per address: exporter-toolkit mutates the
// TLS configuration of a server for each listener without locking. The number of
// sockets from systemd is unknown, so they share a server.
func (c *Config) listeners() []*web.FlagConfig {
	if *c.WebSystemdSocket {
		return []*web.FlagConfig{c.FlagConfig}
	}
	var all []*web.FlagConfig
	for _, address := range *c.WebListenAddresses {
		flags := *c.FlagConfig
		flags.WebListenAddresses = &[]string{address}
		all = append(all, &flags)
	}
	return all
}
