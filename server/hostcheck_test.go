package server

import (
	"net"
	"strings"
	"testing"

	"github.com/prometheus/exporter-toolkit/web"
)

// config returns the configuration of a server at addresses.
func config(allowedHosts []string, addresses ...string) *Config {
	return &Config{
		FlagConfig:   &web.FlagConfig{WebListenAddresses: &addresses, WebSystemdSocket: new(bool), WebConfigFile: new("")},
		AllowedHosts: allowedHosts,
	}
}

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
		if got := isLoopback(test.address); got != test.loopback {
			t.Errorf("isLoopback(%v): got %v, want %v", test.address, got, test.loopback)
		}
		c := new(Config)
		if got := c.checksHosts(test.address); got != test.loopback {
			t.Errorf("checksHosts(%v): got %v, want %v", test.address, got, test.loopback)
		}
		c.AllowedHosts = []string{"proxy"}
		if got := c.checksHosts(test.address); got != test.withAllowed {
			t.Errorf("checksHosts(%v) with an allowed host: got %v, want %v", test.address, got, test.withAllowed)
		}
	}
}

func TestHostCheckAllows(t *testing.T) {
	h := config([]string{"usage.example.com", "Proxy"}, "Workstation:10229", "[::1]:80", ":9").hostCheck()
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
