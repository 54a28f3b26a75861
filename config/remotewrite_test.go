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

func TestRemoteWriteProblems(t *testing.T) {
	const begin = "remote_write:\n  - url: http://h/w\n"
	for _, test := range []struct{ name, text, want string }{
		{"no url", "remote_write: [{name: x}]", ":1: remote_write[0].url: missing"},
		{"an odd scheme", "remote_write: [{url: 'ftp://a:hush@h'}]", ":1: remote_write[0].url: must begin with http:// or https://"},
		{"no host", "remote_write: [{url: 'http:///w'}]", ":1: remote_write[0].url: the URL has no host"},
		{"not a url", "remote_write: [{url: 'http://a:hush@h:x'}]", ":1: remote_write[0].url: invalid URL"},
		{"no list", "remote_write: {url: 'http://h'}", `:1: remote_write: expected a list`},
		{"twice", begin + "  - url: https://h/x", `:3: remote_write[1]: duplicate name: give each endpoint a different name`},
		{"an unknown key", begin + "    write_relabel_configs: []", `:3: unknown key "write_relabel_configs" in remote_write[0], expected one of authorization, basic_auth, bearer_token, bearer_token_file, enable_http2, follow_redirects, headers, http_headers, interval, labels, name, no_proxy, oauth2, protobuf_message, proxy_connect_header, proxy_from_environment, proxy_url, remote_timeout, tls_config, url`},
		{"an unknown key of TLS", begin + "    tls_config: {ca: x, cafile: y}", `:3: unknown key "cafile" in remote_write[0].tls_config, expected one of ca, ca_file, ca_ref, cert, cert_file, cert_ref, insecure_skip_verify, key, key_file, key_ref, max_version, min_version, server_name`},
		{"an unknown key of a password", begin + "    basic_auth:\n      pass: hush", `:4: unknown key "pass" in remote_write[0].basic_auth, expected one of password, password_file, password_ref, username, username_file, username_ref`},
		{"a misplaced password", begin + "    basic_auth: hush", `:3: remote_write[0].basic_auth: expected a mapping`},
		{"a list for a password", begin + "    basic_auth: {password: [hush]}", `:3: remote_write[0].basic_auth.password: expected a string`},
		{"an odd message", begin + "    protobuf_message: v3", `:3: remote_write[0].protobuf_message: expected one of prometheus.WriteRequest and io.prometheus.write.v2.Request`},
		{"too often", begin + "    interval: 1ms", ":3: remote_write[0].interval: 1ms is not between 1s and 1h"},
		{"no time at all", begin + "    remote_timeout: 0s", ":3: remote_write[0].remote_timeout: 0s is not between 1s and 1h"},
		{"a label of ours", begin + "    labels: {project: x}", `:3: remote_write[0].labels: invalid label name "project": the metrics already have this label`},
		{"an odd label", begin + "    labels: {a-b: x}", `:3: remote_write[0].labels: invalid label name "a-b": use letters, digits and underscores, and no digit at the beginning`},
		{"a header of others", begin + "    headers: {authorization: hush}", `:3: remote_write[0].headers: setting header "authorization" is not allowed`},
		{"two ways to be somebody", begin + "    basic_auth: {username: a}\n    authorization: {credentials: hush}", ":2: remote_write[0]: at most one of basic_auth, oauth2 & authorization must be configured"},
		{"no such file", begin + "    authorization: {credentials_file: missing}", ":3: remote_write[0].authorization.credentials_file: stat file: no such file or directory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := realTempDir(t)
			_, err := Load(write(t, dir, test.text), environ(dir))
			if err == nil {
				t.Fatal("no error")
			}
			if got, want := message(err, dir), "DIR/ccwatchd.yml"+test.want; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if strings.Contains(err.Error(), "hush") {
				t.Errorf("it tells the secret: %v", err)
			}
		})
	}
}

// TestRemoteWriteIsDocumented makes sure that the page about it names every key,
// and that what it shows of the configuration can be copied.
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
			case strings.HasPrefix(key, "bearer_token"): // has had its day
			case !strings.Contains(page, "`"+key+"`"):
				t.Errorf("%s is not on the page", key)
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
