package server

import (
	"os"

	"github.com/prometheus/exporter-toolkit/web"
	"go.yaml.in/yaml/v3"
)

// Scheme returns the scheme of the URLs of the web server: https if its configuration
// file, which is valid, sets TLS.
func (c *Config) Scheme() string {
	var file struct {
		TLS web.TLSConfig `yaml:"tls_server_config"`
	}
	b, err := os.ReadFile(*c.WebConfigFile)
	if err == nil && yaml.Unmarshal(b, &file) == nil && file.TLS.IsEnabled() {
		return "https"
	}
	return "http"
}
