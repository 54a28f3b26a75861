package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func TestLoopback(t *testing.T) {
	for _, test := range []struct {
		address net.Addr
		want    bool
	}{
		{&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, true},
		{&net.TCPAddr{IP: net.IPv4(127, 0, 1, 1)}, true},
		{&net.TCPAddr{IP: net.IPv6loopback}, true},
		{&net.TCPAddr{IP: net.ParseIP("::ffff:127.0.0.1")}, true},
		{&net.TCPAddr{IP: net.IPv4zero}, false},
		{&net.TCPAddr{IP: net.IPv6unspecified}, false},
		{&net.TCPAddr{}, false},
		{&net.TCPAddr{IP: net.IPv4(192, 168, 0, 1)}, false},
		{&net.TCPAddr{IP: net.ParseIP("fe80::1"), Zone: "eth0"}, false},
		{&net.UnixAddr{Name: "/run/ccwatchd"}, false},
	} {
		if got := loopback(test.address); got != test.want {
			t.Errorf("%v: got %v, want %v", test.address, got, test.want)
		}
	}
}

func TestHostCheckAllows(t *testing.T) {
	c := newCommand(func(string) string { return "" })
	if _, err := c.app.Parse([]string{
		"--web.listen-address=Workstation:10229", "--web.listen-address=[::1]:80", "--web.listen-address=:9",
		"--web.allowed-host=usage.example.com", "--web.allowed-host=Proxy", "run",
	}); err != nil {
		t.Fatal(err)
	}
	g := c.hostCheck()
	for host, want := range map[string]bool{
		"localhost": true, "localhost:10229": true, "LOCALHOST:80": true, "localhost.": true, "cc.localhost": true,
		"127.0.0.1": true, "127.0.0.1:10229": true, "[::1]": true, "[::1]:10229": true, "10.1.2.3": true, "[fe80::1%25eth0]:80": true,
		"host.docker.internal:10229": true, "workstation": true, "workstation:10229": true, "WORKSTATION.": true,
		"usage.example.com": true, "proxy:443": true, "": true,
		"example.com": false, "evil.example.com:10229": false, "x.usage.example.com": false, "localhost.example.com": false,
		"127.0.0.1.example.com": false, "notlocalhost": false, "internal": false, "internal.example.com": false,
		"workstation.example.com": false, "other": false, "127.0.0.1@example.com": false, "[localhost]:x:y": false,
	} {
		if got := g.allows(host); got != want {
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
			return // no name has one, and no browser sends it
		}
		g := &hostCheck{names: []string{"proxy"}}
		for _, host := range []string{name + "example.com", name + "EXAMPLE.com.:10229"} {
			if g.allows(host) {
				t.Errorf("%q is known", host)
			}
		}
	})
}

// Hosts are checked on loopback addresses, and with --web.allowed-host.
func TestChecksHosts(t *testing.T) {
	local, all := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, &net.TCPAddr{IP: net.IPv4zero}
	for _, test := range []struct {
		address net.Addr
		allowed []string
		want    bool
	}{
		{local, nil, true},
		{local, []string{"proxy"}, true},
		{all, nil, false},
		{all, []string{"proxy"}, true},
		{&net.UnixAddr{Name: "/run/ccwatchd", Net: "unix"}, []string{"proxy"}, false},
	} {
		c := &command{serverFlags: serverFlags{allowedHosts: test.allowed}}
		if got := c.checksHosts(test.address); got != test.want {
			t.Errorf("%v with %q: got %v, want %v", test.address, test.allowed, got, test.want)
		}
	}
}

// Only requests to a listener that checks hosts are rejected.
func TestHostCheckMiddleware(t *testing.T) {
	h := (&hostCheck{names: []string{"proxy"}}).middleware(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	}))
	for _, test := range []struct {
		host    string
		checked bool
		status  int
	}{
		{"example.com", false, http.StatusNoContent},
		{"example.com", true, http.StatusForbidden},
		{"proxy", true, http.StatusNoContent},
		{"<b>&\r\n", true, http.StatusForbidden},
	} {
		r := httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody)
		r.Host = test.host
		if test.checked {
			r = r.WithContext(withHostCheck(r.Context()))
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != test.status {
			t.Errorf("%q, checked: %v: got %d, want %d", test.host, test.checked, w.Code, test.status)
		}
		if w.Code == http.StatusForbidden && (!strings.Contains(w.Body.String(), "--web.allowed-host") || w.Header().Get("X-Content-Type-Options") != "nosniff") {
			t.Errorf("%q: got %v and %q", test.host, w.Header(), w.Body)
		}
	}
}

// A page whose name was made to stand for this machine gets nothing, and an
// owner is told when others can connect, once for each address.
func TestWhoCanAsk(t *testing.T) {
	for _, test := range []struct {
		name, listen string
		config       bool
		warns        int
		evil         int // what a request by a foreign name gets
	}{
		{name: "address", listen: "127.0.0.1:0", evil: http.StatusForbidden},
		{name: "localhost", listen: "localhost:0", evil: http.StatusForbidden},
		{name: "all", listen: ":0", warns: 1, evil: http.StatusOK},
		{name: "all of IPv4", listen: "0.0.0.0:0", warns: 1, evil: http.StatusOK},
		{name: "all of IPv6", listen: "[::]:0", warns: 1, evil: http.StatusOK},
		{name: "all, with a configuration", listen: ":0", config: true, evil: http.StatusOK},
		{name: "localhost, with a configuration", listen: "localhost:0", config: true, evil: http.StatusForbidden},
		{name: "another", listen: hostAddress(t), warns: 1, evil: http.StatusOK},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.listen == "" {
				t.Skip("this machine has no other address")
			}
			p := newPlace(t)
			args := []string{"--config.file=" + p.config, "--state.dir=" + p.state, "--web.listen-address=" + test.listen}
			if test.config {
				web := p.home + "/web.yml"
				writeFile(t, web, "http_server_config: {headers: {X-Frame-Options: sameorigin}}\n")
				args = append(args, "--web.config.file="+web)
			}
			d := p.begin(t, args...).listens()
			if _, port, err := net.SplitHostPort(d.address); err != nil {
				t.Fatal(err)
			} else if strings.HasPrefix(d.address, "[::]") {
				d.address = "127.0.0.1:" + port
			}
			d.ready()
			ours, err := d.askAs("localhost", http.MethodGet, "/metrics")
			if err != nil || ours.status != http.StatusOK {
				t.Errorf("by localhost: status %d, %v", ours.status, err)
			}
			for _, path := range []string{"/metrics", "/", "/-/healthy"} {
				if a, err := d.askAs("rebound.example.com", http.MethodGet, path); err != nil || a.status != test.evil {
					t.Errorf("%s by a foreign name: status %d, want %d, %v", path, a.status, test.evil, err)
				}
			}
			if got := len(regexp.MustCompile(`level=WARN .*Listening on a non-loopback address`).FindAllString(d.log.String(), -1)); got != test.warns {
				t.Errorf("%d warnings, want %d:\n%s", got, test.warns, d.log.String())
			}
		})
	}
}

// A proxy in front may ask by its own name if that is allowed, and so may a server
// in the network of a container; then others may not.
func TestAllowedHost(t *testing.T) {
	for _, listen := range []string{"127.0.0.1:0", "0.0.0.0:0"} {
		p := newPlace(t)
		d := p.begin(t, "--state.dir="+p.state, "--web.allowed-host=usage.example.com", "--web.listen-address="+listen).listens().ready()
		for host, want := range map[string]int{"usage.example.com": http.StatusOK, "localhost": http.StatusOK, "example.com": http.StatusForbidden} {
			if a, err := d.askAs(host, http.MethodGet, "/metrics"); err != nil || a.status != want {
				t.Errorf("at %s by %s: status %d, want %d, %v", listen, host, a.status, want, err)
			}
		}
	}
}

// hostAddress returns where to listen on an address of the machine that is not
// loopback, or "" if it has none.
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
