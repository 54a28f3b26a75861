package main

import (
	"fmt"
	"net"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ccwatchd/ccwatchd/internal/statusclient"
	"github.com/ccwatchd/ccwatchd/packaging"
)

// reportListening calls onListen with the URL of a listener, once.
func (c *command) reportListening(listener net.Listener) {
	if c.onListen == nil || listener.Addr().Network() != "tcp" {
		return
	}
	c.listening.Do(func() { c.onListen(c.url(listener.Addr().String())) })
}

// url returns the URL of a listener at an address. It has the host of the flag, if
// there is one for the same port.
func (c *command) url(address string) string {
	if _, port, err := net.SplitHostPort(address); err == nil {
		for _, configured := range *c.web.WebListenAddresses {
			if strings.HasSuffix(configured, ":"+port) {
				address = configured
				break
			}
		}
	}
	url := statusclient.URL(address)
	if c.usesTLS() {
		url = strings.Replace(url, "http://", "https://", 1)
	}
	return url
}

// usesTLS reports whether the configuration of the web server enables TLS.
func (c *command) usesTLS() bool {
	b, err := os.ReadFile(*c.web.WebConfigFile)
	if err != nil {
		return false
	}
	var parsed struct {
		TLS map[string]any `yaml:"tls_server_config"`
	}
	return yaml.Unmarshal(b, &parsed) == nil && len(parsed.TLS) > 0
}

// addresses returns text with the URLs of a daemon, and how to have Prometheus scrape
// it.
func addresses(url string) string {
	scheme, target, _ := strings.Cut(url, "://")
	config := packaging.ScrapeConfig(target)
	if scheme == "https" {
		config = strings.Replace(config, "  - job_name", "  - scheme: https\n    job_name", 1)
	}
	return fmt.Sprintf(`  %s/          status page
  %[1]s/metrics   metrics

To scrape them with Prometheus, add to its configuration:

%s
`, url, config)
}

// welcome returns the text that a daemon started in a terminal prints.
func welcome(url string) string {
	status := "ccwatchd status"
	if !strings.HasSuffix(url, "://localhost:10229") {
		status += " --url=" + url
	}
	return "ccwatchd is running.\n\n" + addresses(url) + `
Dashboards for Grafana and rules for Prometheus:  ccwatchd dashboards
Status of the daemon:                             ` + status + `
Run it as a service:                              ccwatchd service install

`
}
