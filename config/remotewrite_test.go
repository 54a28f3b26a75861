package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/config"

	"github.com/ccwatchd/ccwatchd/test/difftest"
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
		t.Errorf("the endpoints differ:\n%s", difftest.Diff(want, c.RemoteWrite))
	}
	for i, want := range []string{"http://localhost:9090", "https://mimir.example.com (mimir)"} {
		if got := c.RemoteWrite[i].String(); got != want {
			t.Errorf("endpoint %d: got %s, want %s", i, got, want)
		}
	}
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
	begin := strings.Index(page, "```yaml\nsources:")
	example, _, ok := strings.Cut(page[begin+len("```yaml\n"):], "```")
	c := Settings()
	if _, found := decode([]byte(example), c); !ok || len(found) > 0 || len(c.RemoteWrite) != 1 {
		t.Errorf("%s\n%v", example, found.join(""))
	}
}
