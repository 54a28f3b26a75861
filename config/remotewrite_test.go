package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/config"
)

func TestRemoteWrite(t *testing.T) {
	dir := realTempDir(t)
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"password", "ca.pem"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := Load(write(t, dir,
		"remote_write:",
		"  - url: http://localhost:9090/api/v1/write",
		"  - url: https://ann@mimir.example.com/api/v1/push",
		"    name: mimir",
		"    protobuf_message: io.prometheus.write.v2.Request",
		"    interval: 1m",
		"    remote_timeout: 10s",
		"    labels: {instance: '', user: ann}",
		"    headers: {X-Scope-OrgID: team}",
		"    basic_auth: {username: ann, password_file: password}",
		"    tls_config: {ca_file: ca.pem, server_name: mimir}",
		"    follow_redirects: false",
	), environ(dir))
	if err != nil {
		t.Fatal(err)
	}
	want := []RemoteWrite{
		{
			URL: "http://localhost:9090/api/v1/write", Name: "localhost:9090", ProtobufMessage: WriteV1,
			Interval: Duration(15 * time.Second), Timeout: Duration(30 * time.Second),
			Labels: map[string]string{"job": "ccwatchd", "instance": host},
		},
		{
			URL: "https://ann@mimir.example.com/api/v1/push", Name: "mimir", ProtobufMessage: WriteV2,
			Interval: Duration(time.Minute), Timeout: Duration(10 * time.Second),
			Labels:  map[string]string{"job": "ccwatchd", "instance": "", "user": "ann"},
			Headers: map[string]string{"X-Scope-OrgID": "team"},
			HTTP: config.HTTPClientConfig{
				BasicAuth: &config.BasicAuth{Username: "ann", PasswordFile: filepath.Join(dir, "password")},
				TLSConfig: config.TLSConfig{CAFile: filepath.Join(dir, "ca.pem"), ServerName: "mimir"},
			},
		},
	}
	if !reflect.DeepEqual(c.RemoteWrite, want) {
		t.Errorf("got  %+v\nwant %+v", c.RemoteWrite, want)
	}
	for i, want := range []string{"http://localhost:9090", "https://mimir.example.com (mimir)"} {
		if got := c.RemoteWrite[i].String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// Errors about remote_write contain the line, the key and what is expected, and never
// the value in the file.
func TestRemoteWriteSecrets(t *testing.T) {
	const (
		begin  = "remote_write:\n  - url: http://h/w\n"
		oauth  = begin + "    oauth2:\n      client_id: ann\n      token_url: http://h/token\n"
		aProxy = "expected a URL, such as http://proxy.example.com:3128"
		behind = "the URL has an @ after its host: write / as %2F, ? as %3F and # as %23 in a password, and @ as %40 elsewhere"
		scheme = "must begin with http:// or https:// or socks5:// or socks5h://"
	)
	testLoadErrors(t, []loadError{
		{"no url", "remote_write: [{name: x}]", ":1: remote_write[0].url: missing"},
		{"an unknown scheme", "remote_write: [{url: 'ftp://a:hush@h'}]", ":1: remote_write[0].url: must begin with http:// or https://"},
		{"no host", "remote_write: [{url: 'http:///w'}]", ":1: remote_write[0].url: the URL has no host"},
		{"not a url", "remote_write: [{url: 'http://a:hush@h:x'}]", ":1: remote_write[0].url: invalid URL"},
		{"not a list", "remote_write: {url: 'http://h'}", `:1: remote_write: expected a list`},
		{"a duplicate", begin + "  - url: https://h/x", `:3: remote_write[1]: duplicate name: give each endpoint a different name`},
		{"an unknown key", begin + "    write_relabel_configs: []", `:3: unknown key "write_relabel_configs" in remote_write[0], expected one of authorization, basic_auth, bearer_token, bearer_token_file, enable_http2, follow_redirects, headers, http_headers, interval, labels, name, no_proxy, oauth2, protobuf_message, proxy_connect_header, proxy_from_environment, proxy_url, remote_timeout, tls_config, url`},
		{"an unknown key of TLS", begin + "    tls_config: {ca: x, cafile: y}", `:3: unknown key "cafile" in remote_write[0].tls_config, expected one of ca, ca_file, ca_ref, cert, cert_file, cert_ref, insecure_skip_verify, key, key_file, key_ref, max_version, min_version, server_name`},
		{"an unknown key of a password", begin + "    basic_auth:\n      pass: hush", `:4: unknown key "pass" in remote_write[0].basic_auth, expected one of password, password_file, password_ref, username, username_file, username_ref`},
		{"a misplaced password", begin + "    basic_auth: hush", `:3: remote_write[0].basic_auth: expected a mapping`},
		{"a list for a password", begin + "    basic_auth: {password: [hush]}", `:3: remote_write[0].basic_auth.password: expected a string`},
		{"an unknown message", begin + "    protobuf_message: v3", `:3: remote_write[0].protobuf_message: expected one of prometheus.WriteRequest and io.prometheus.write.v2.Request`},
		{"too often", begin + "    interval: 1ms", ":3: remote_write[0].interval: 1ms is not between 1s and 1h"},
		{"no timeout", begin + "    remote_timeout: 0s", ":3: remote_write[0].remote_timeout: 0s is not between 1s and 1h"},
		{"a label of a metric", begin + "    labels: {project: x}", `:3: remote_write[0].labels: invalid label name "project": the metrics already have this label`},
		{"an invalid label", begin + "    labels: {a-b: x}", `:3: remote_write[0].labels: invalid label name "a-b": use letters, digits and underscores, and no digit at the beginning`},
		{"a reserved header", begin + "    headers: {authorization: hush}", `:3: remote_write[0].headers: setting header "authorization" is not allowed`},
		{"two kinds of authentication", begin + "    basic_auth: {username: a}\n    authorization: {credentials: hush}", ":2: remote_write[0]: keys of authentication, TLS or the proxy conflict or are missing"},
		{"no such file", begin + "    authorization: {credentials_file: missing}", ":3: remote_write[0].authorization.credentials_file: stat file: no such file or directory"},
		{"a string for headers", begin + "    headers: hush", ":3: remote_write[0].headers: expected a mapping"},
		{"a string for a header", begin + "    http_headers: {X-Key: hush}", ":3: remote_write[0].http_headers.X-Key: expected a mapping"},
		{"a string for a list in a header", begin + "    http_headers:\n      X-Key:\n        secrets: hush", ":5: remote_write[0].http_headers.X-Key.secrets: expected a list"},
		{"a string for HTTP headers", begin + "    http_headers: hush", ":3: remote_write[0].http_headers: expected a mapping"},
		{"a string for proxy headers", begin + "    proxy_connect_header: hush", ":3: remote_write[0].proxy_connect_header: expected a mapping"},
		{"a string for a proxy header", begin + "    proxy_connect_header: {X-Key: hush}", ":3: remote_write[0].proxy_connect_header.X-Key: expected a list"},
		{"a string for parameters", oauth + "      endpoint_params: hush", ":6: remote_write[0].oauth2.endpoint_params: expected a mapping"},
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
		{"a certificate without a key", begin + "    tls_config: {cert: hush}", ":3: remote_write[0].tls_config: the cause is not shown since it may quote a secret"},
		{"a password as a key", begin + "    basic_auth: {hush}", ":3: unknown key (not shown) in remote_write[0].basic_auth, expected one of password, password_file, password_ref, username, username_file, username_ref"},
		{"a password as a file", begin + "    basic_auth: {password_file: hush}", ":3: remote_write[0].basic_auth.password_file: stat file: no such file or directory"},
		{"a header from a file", begin + "    http_headers: {X-Key: {files: [hush]}}", ":3: remote_write[0].http_headers.X-Key.files[0]: stat file: no such file or directory"},
		{"a reserved HTTP header", begin + "    http_headers: {authorization: {secrets: [hush]}}", `:3: remote_write[0].http_headers: setting header "authorization" is not allowed`},
		{"a password that begins with a star", begin + "    basic_auth:\n      password: *hush", ":4: an alias refers to an unknown anchor: put a text that begins with * in quotes"},
		{"a password with a tag", begin + "    basic_auth: {password: !!int hush}", ":3: remote_write[0].basic_auth.password: expected a string"},
		{"an interval", begin + "    interval: hush", ":3: remote_write[0].interval: expected a duration, such as 30s, 10m or 60d"},
		{"an anchor in itself", begin + "    headers: &hush {<<: *hush}", ":3: an anchor contains itself"},
		{"a string to merge", begin + "    headers: {<<: hush}", ":3: remote_write[0].headers: expected a mapping to merge"},
	})
}

// docs/remote-write.md contains every key, and its example can be copied.
func TestRemoteWriteIsDocumented(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "docs", "remote-write.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := strings.ReplaceAll(string(b), "\r\n", "\n")
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		for field := range typ.Fields() {
			key, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
			switch {
			case key == "" && field.IsExported():
				walk(field.Type)
			case strings.HasPrefix(key, "bearer_token"): // deprecated
			case !strings.Contains(page, "`"+key+"`"):
				t.Errorf("%s is missing", key)
			}
		}
	}
	walk(reflect.TypeFor[RemoteWrite]())
	example, _, ok := strings.Cut(page[strings.Index(page, "```yaml\n")+len("```yaml\n"):], "```")
	c := Settings()
	if _, found := decode([]byte(example), c); !ok || len(found) > 0 || len(c.RemoteWrite) != 1 {
		t.Errorf("%s\n%v", example, found.join(""))
	}
}
