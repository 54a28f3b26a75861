package main

import (
	"net"
	"net/http"
	"strings"
	"testing"
)

// Requests with the host name of a web page (DNS rebinding) are rejected on loopback
// addresses and once --web.allowed-host is given. Non-loopback addresses without
// protection are logged, each once.
func TestHostCheckOfDaemon(t *testing.T) {
	const config, allowed = "--web.config.file=web.yml", "--web.allowed-host=usage.example.com"
	for _, test := range []struct {
		listen, arg string
		warnings    int
		rejects     bool
	}{
		{"127.0.0.1:0", "", 0, true},
		{"localhost:0", "", 0, true},
		{":0", "", 1, false},
		{"0.0.0.0:0", "", 1, false},
		{"[::]:0", "", 1, false},
		{":0", config, 0, false},
		{"localhost:0", config, 0, true},
		{hostAddress(t), "", 1, false},
		{"127.0.0.1:0", allowed, 0, true},
		{"0.0.0.0:0", allowed, 1, true},
	} {
		t.Run(test.listen+" "+test.arg, func(t *testing.T) {
			if test.listen == "" {
				t.Skip("this machine has no non-loopback address")
			}
			p := newSandbox(t)
			writeFile(t, p.home+"/web.yml", "http_server_config: {headers: {X-Frame-Options: sameorigin}}\n")
			args := []string{"--config.file=" + p.config, "--state.dir=" + p.state, "--web.listen-address=" + test.listen}
			if test.arg != "" {
				args = append(args, test.arg)
			}
			d := p.newProcess(t, args...).run().listens()
			if port, ok := strings.CutPrefix(d.address, "[::]:"); ok {
				d.address = "127.0.0.1:" + port
			}
			d.ready()
			statuses := map[string]int{"localhost": http.StatusOK, "rebound.example.com": http.StatusOK}
			if test.rejects {
				statuses["rebound.example.com"] = http.StatusForbidden
			}
			if test.arg == allowed {
				statuses["usage.example.com"] = http.StatusOK
			}
			for _, path := range []string{"/metrics", "/", "/-/healthy"} {
				for name, want := range statuses {
					a, err := d.request(http.MethodGet, path, host(name))
					if err != nil || a.status != want {
						t.Errorf("%s with host %s: status %d, want %d, %v", path, name, a.status, want, err)
					}
					if want == http.StatusForbidden && (!strings.Contains(a.body, "--web.allowed-host") || a.header.Get("X-Content-Type-Options") != "nosniff") {
						t.Errorf("%s with host %s: got %v and %q", path, name, a.header, a.body)
					}
				}
			}
			if got := strings.Count(d.log.String(), `msg="Listening on a non-loopback address without TLS or authentication"`); got != test.warnings {
				t.Errorf("got %d warnings, want %d:\n%s", got, test.warnings, d.log.String())
			}
		})
	}
}

// hostAddress returns a non-loopback address of this machine to listen on, or "".
func hostAddress(t *testing.T) string {
	t.Helper()
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() && n.IP.To4() != nil {
			return net.JoinHostPort(n.IP.String(), "0")
		}
	}
	return ""
}
