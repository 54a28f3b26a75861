package main

import (
	"net"
	"net/http"
	"strings"
	"testing"
)

// Hosts are checked on loopback addresses, and with --web.allowed-host on other TCP
// addresses too.
func TestChecksHosts(t *testing.T) {
	for _, test := range []struct {
		address               net.Addr
		loopback, withAllowed bool
	}{
		{&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, true, true},
		{&net.TCPAddr{IP: net.IPv4(127, 0, 1, 1)}, true, true},
		{&net.TCPAddr{IP: net.IPv6loopback}, true, true},
		{&net.TCPAddr{IP: net.ParseIP("::ffff:127.0.0.1")}, true, true},
		{&net.TCPAddr{IP: net.IPv4zero}, false, true},
		{&net.TCPAddr{IP: net.IPv6unspecified}, false, true},
		{&net.TCPAddr{}, false, true},
		{&net.TCPAddr{IP: net.IPv4(192, 168, 0, 1)}, false, true},
		{&net.TCPAddr{IP: net.ParseIP("fe80::1"), Zone: "eth0"}, false, true},
		{&net.UnixAddr{Name: "/run/ccwatchd", Net: "unix"}, false, false},
	} {
		if got := loopback(test.address); got != test.loopback {
			t.Errorf("loopback(%v): got %v, want %v", test.address, got, test.loopback)
		}
		c := new(command)
		if got := c.checksHosts(test.address); got != test.loopback {
			t.Errorf("checksHosts(%v): got %v, want %v", test.address, got, test.loopback)
		}
		c.serverFlags.allowedHosts = []string{"proxy"}
		if got := c.checksHosts(test.address); got != test.withAllowed {
			t.Errorf("checksHosts(%v) with an allowed host: got %v, want %v", test.address, got, test.withAllowed)
		}
	}
}

func TestHostCheckAllows(t *testing.T) {
	h := parsed(t, "--web.listen-address=Workstation:10229", "--web.listen-address=[::1]:80", "--web.listen-address=:9",
		"--web.allowed-host=usage.example.com", "--web.allowed-host=Proxy", "run").hostCheck()
	for host, want := range map[string]bool{
		"localhost": true, "localhost:10229": true, "LOCALHOST:80": true, "localhost.": true, "cc.localhost": true,
		"127.0.0.1": true, "127.0.0.1:10229": true, "[::1]": true, "[::1]:10229": true, "10.1.2.3": true, "[fe80::1%25eth0]:80": true,
		"host.docker.internal:10229": true, "workstation": true, "workstation:10229": true, "WORKSTATION.": true,
		"usage.example.com": true, "proxy:443": true, "": true,
		"example.com": false, "evil.example.com:10229": false, "x.usage.example.com": false, "localhost.example.com": false,
		"127.0.0.1.example.com": false, "notlocalhost": false, "internal": false, "internal.example.com": false,
		"workstation.example.com": false, "other": false, "127.0.0.1@example.com": false, "[localhost]:x:y": false,
	} {
		if got := h.allows(host); got != want {
			t.Errorf("%q: got %v, want %v", host, got, want)
		}
	}
}

// No prefix makes the host name of a web page allowed.
func FuzzHostCheckAllows(f *testing.F) {
	for _, seed := range []string{"", "localhost.", "127.0.0.1.", "[::1]", "x.internal.", "%00", "\u2488"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if strings.Contains(name, ":") {
			return // not part of a host name
		}
		h := &hostCheck{names: []string{"proxy"}}
		for _, host := range []string{name + "example.com", name + "EXAMPLE.com.:10229"} {
			if h.allows(host) {
				t.Errorf("%q is allowed", host)
			}
		}
	})
}

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

// hostAddress returns a non-loopback address of this machine to listen on; "" if it has
// none.
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
