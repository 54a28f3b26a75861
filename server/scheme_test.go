package server

import (
	"path/filepath"
	"testing"

	"github.com/prometheus/exporter-toolkit/web"

	"github.com/ccwatchd/ccwatchd/test/filetest"
)

func TestScheme(t *testing.T) {
	path := filepath.Join(t.TempDir(), "web.yml")
	for text, want := range map[string]string{
		"":                             "http",
		"basic_auth_users: {ann: x}\n": "http",
		"tls_server_config: {cert_file: a, key_file: b, min_version: TLS13, cipher_suites: [TLS_AES_128_GCM_SHA256]}\n": "https",
		"tls_server_config: {}\n": "http",
	} {
		filetest.Write(t, path, text)
		c := Config{FlagConfig: &web.FlagConfig{WebConfigFile: &path}}
		if got := c.Scheme(); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	missing := ""
	if got := (&Config{FlagConfig: &web.FlagConfig{WebConfigFile: &missing}}).Scheme(); got != "http" {
		t.Errorf("without a file: got %s", got)
	}
}
