package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	"github.com/ccwatchd/ccwatchd/internal/statusclient"
)

func TestHealthcheck(t *testing.T) {
	unready := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/-/healthy" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer unready.Close()
	p := newPlace(t)
	d := p.start(t).ready()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		args   []string
		code   int
		stderr string
	}{
		{"by its address", []string{"--web.listen-address=" + d.address, "healthcheck"}, 0, ""},
		{"by its URL", []string{"healthcheck", "--ready", "--url=http://" + d.address}, 0, ""},
		{"not ready, but healthy", []string{"healthcheck", "--url", unready.URL}, 0, ""},
		{"not ready", []string{"healthcheck", "--url", unready.URL, "--ready"}, 1, "answers 503"},
		{"nobody", []string{"healthcheck", "--url=http://" + closed}, 1, "connection refused"},
		{"no URL", []string{"healthcheck", "--url=:"}, 1, "missing protocol scheme"},
	} {
		stdout, stderr, code := p.run(t, test.args...)
		if code != test.code || !strings.Contains(stderr, test.stderr) || stdout != "" || test.code == 0 && stderr != "" {
			t.Errorf("%s: code %d, %q, %q", test.name, code, stdout, stderr)
		}
	}
}

// The status of the daemon holds the last error.
func TestStatusShowsLastError(t *testing.T) {
	p := newPlace(t)
	d := p.start(t).ready()
	client := statusclient.New("http://" + d.address)
	s, err := client.Status(t.Context())
	if err != nil || !s.Ready || s.PID != d.cmd.Process.Pid || s.LastError != nil {
		t.Errorf("it says %+v, %v", s, err)
	}
	p.configure(t, "nonsense: 1\n")
	d.signal(syscall.SIGHUP)
	eventually(t, "the error is told", func() bool {
		s, err := client.Status(t.Context())
		return err == nil && s.LastError != nil && strings.Contains(s.LastError.Text, "nonsense")
	})
}
