package server

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/ccwatchd/ccwatchd/internal/loopback"
)

// A hostCheck rejects requests with an unknown Host header, as protection against
// DNS rebinding.
//
// A web page in the user's own browser can connect to a loopback address. The
// same-origin policy hides the answer, unless the host name of the page is made to
// resolve to 127.0.0.1 in the meantime. The request then still has that name in its
// Host header, and is rejected.
//
// On other addresses every name may be legitimate, and only TLS and passwords protect.
// There names are checked only if --web.allowed-host is given, for example in a
// container whose port is published on a loopback address of its host.
type hostCheck struct {
	names []string // allowed in addition to local names, in lower case
}

// hostCheck returns the check for the names in the flags.
func (c *Config) hostCheck() *hostCheck {
	var h hostCheck
	for _, address := range *c.WebListenAddresses {
		if host, _, err := net.SplitHostPort(address); err == nil {
			h.names = append(h.names, strings.ToLower(host))
		}
	}
	for _, name := range c.AllowedHosts {
		h.names = append(h.names, strings.ToLower(name))
	}
	return &h
}

// checksHosts reports whether requests to a listener are checked.
func (c *Config) checksHosts(a net.Addr) bool {
	return isLoopback(a) || a.Network() == "tcp" && len(c.AllowedHosts) > 0
}

// checkedKey marks the context of requests to a listener that checks hosts.
type checkedKey struct{}

func withHostCheck(ctx context.Context) context.Context {
	return context.WithValue(ctx, checkedKey{}, true)
}

// isLoopback reports whether an address accepts connections from this machine only.
func isLoopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// middleware answers rejected requests with status 403.
func (h *hostCheck) middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Context().Value(checkedKey{}) != nil && !h.allows(r.Host) {
			http.Error(w, fmt.Sprintf("Unknown host %q. To allow it, start ccwatchd with --web.allowed-host.", r.Host), http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// allows reports whether a host is configured, or cannot be the host name of a web
// page: an IP address, or a name outside public DNS. These names are localhost, its
// subdomains, and the subdomains of internal, which containers use for their host. A
// missing host is allowed too: browsers always send a host.
func (h *hostCheck) allows(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = hostport // without a port
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil || host == "" {
		return true
	}
	return loopback.IsName(host) || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".internal") ||
		slices.Contains(h.names, host)
}
