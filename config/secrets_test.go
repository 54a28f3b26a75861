package config

import (
	"strings"
	"testing"
)

// Errors about remote_write have the line, the key and what is expected, and never
// what the file has there.
func TestRemoteWriteSecrets(t *testing.T) {
	const (
		begin  = "remote_write:\n  - url: http://h/w\n"
		oauth  = begin + "    oauth2:\n      client_id: ann\n      token_url: http://h/token\n"
		aProxy = "expected a URL, such as http://proxy.example.com:3128"
		behind = "the URL has an @ after its host: write / as %2F, ? as %3F and # as %23 in a password, and @ as %40 elsewhere"
		scheme = "must begin with http:// or https:// or socks5:// or socks5h://"
	)
	for _, test := range []struct{ name, text, want string }{
		{"a text for headers", begin + "    headers: hush", ":3: remote_write[0].headers: expected a mapping"},
		{"a text for a header", begin + "    http_headers: {X-Key: hush}", ":3: remote_write[0].http_headers.X-Key: expected a mapping"},
		{"a text for a list in a header", begin + "    http_headers:\n      X-Key:\n        secrets: hush", ":5: remote_write[0].http_headers.X-Key.secrets: expected a list"},
		{"a text for HTTP headers", begin + "    http_headers: hush", ":3: remote_write[0].http_headers: expected a mapping"},
		{"a text for proxy headers", begin + "    proxy_connect_header: hush", ":3: remote_write[0].proxy_connect_header: expected a mapping"},
		{"a text for a proxy header", begin + "    proxy_connect_header: {X-Key: hush}", ":3: remote_write[0].proxy_connect_header.X-Key: expected a list"},
		{"a text for parameters", oauth + "      endpoint_params: hush", ":6: remote_write[0].oauth2.endpoint_params: expected a mapping"},
		{"a proxy with a bad port", begin + "    proxy_url: http://ann:hush@h:port", ":3: remote_write[0].proxy_url: " + aProxy},
		{"a proxy of the token server with a bad port", oauth + "      proxy_url: http://ann:hush@h:port", ":6: remote_write[0].oauth2.proxy_url: " + aProxy},
		{"a proxy without a scheme", begin + "    proxy_url: hush:3128", ":3: remote_write[0].proxy_url: " + scheme},
		{"a proxy of the token server without a scheme", oauth + "      proxy_url: hush", ":6: remote_write[0].oauth2.proxy_url: " + scheme},
		{"a list for a proxy", begin + "    proxy_url: [hush]", ":3: remote_write[0].proxy_url: " + aProxy},
		{"a token server without a scheme", begin + "    oauth2: {client_id: ann, token_url: hush}", ":3: remote_write[0].oauth2.token_url: must begin with http:// or https://"},
		{"a slash in a password", "remote_write:\n  - url: http://ann:1/hush@h", ":2: remote_write[0].url: " + behind},
		{"a URL for a name", begin + "    name: http://ann:hush@h", ":3: remote_write[0].name: expected a name, not a URL: it appears in metrics and logs"},
		{"redirects", begin + "    follow_redirects: true", ":3: remote_write[0].follow_redirects: redirects are never followed: configure the final URL"},
		{"a TLS version", begin + "    tls_config: {min_version: hush}", ":3: remote_write[0].tls_config.min_version: expected one of TLS10, TLS11, TLS12 and TLS13"},
		{"half a certificate", begin + "    tls_config: {cert: hush}", ":3: remote_write[0].tls_config: exactly one of key or key_file must be configured when a client certificate is configured"},
		{"a password as a key", begin + "    basic_auth: {hush}", ":3: unknown key (not shown) in remote_write[0].basic_auth, expected one of password, password_file, password_ref, username, username_file, username_ref"},
		{"a password as a file", begin + "    basic_auth: {password_file: hush}", ":3: remote_write[0].basic_auth.password_file: stat file: no such file or directory"},
		{"a header from a file", begin + "    http_headers: {X-Key: {files: [hush]}}", ":3: remote_write[0].http_headers.X-Key.files[0]: stat file: no such file or directory"},
		{"a header that others set", begin + "    http_headers: {authorization: {secrets: [hush]}}", `:3: remote_write[0].http_headers: setting header "authorization" is not allowed`},
		{"a password that begins with a star", begin + "    basic_auth:\n      password: *hush", ":4: an alias refers to an unknown anchor: put a text that begins with * in quotes"},
		{"a password with a tag", begin + "    basic_auth: {password: !!int hush}", ":3: remote_write[0].basic_auth.password: a value has the wrong type"},
		{"an interval", begin + "    interval: hush", ":3: remote_write[0].interval: expected a duration, such as 30s, 10m or 60d"},
		{"an anchor in itself", begin + "    headers: &hush {<<: *hush}", ":3: an anchor contains itself"},
		{"a text to merge", begin + "    headers: {<<: hush}", ":3: remote_write[0].headers: expected a mapping to merge"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := realTempDir(t)
			_, err := Load(write(t, dir, test.text), environ(dir))
			if got, want := message(err, dir), "DIR/ccwatchd.yml"+test.want; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if err != nil && strings.Contains(err.Error(), "hush") {
				t.Errorf("it shows the secret: %v", err)
			}
		})
	}
}
