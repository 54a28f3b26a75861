package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// A guard keeps web pages away from what is served to this machine alone.
//
// A page in the user's own browser can connect to a loopback address. It sees
// nothing of another origin, unless the name that it came from is made to stand for
// 127.0.0.1 in the meantime. Then the request still has that name in its header,
// and is refused for it. Other exporters do not check this; they do not tell what
// a person did all day, either. Where others can connect anyway, any name may be
// right, and only TLS and passwords help; unless it is said which are right, as for
// a container whose port is published to its host alone, which it cannot know.
type guard struct {
	names []string // by which to answer too, in lower case
}

// guard knows the names that the flags have.
func (c *command) guard() *guard {
	var g guard
	for _, address := range *c.web.WebListenAddresses {
		if host, _, err := net.SplitHostPort(address); err == nil {
			g.names = append(g.names, strings.ToLower(host))
		}
	}
	for _, name := range c.endpoint.allowedHosts {
		g.names = append(g.names, strings.ToLower(name))
	}
	return &g
}

// guards reports whether the names of requests to a listener have to be known.
func (c *command) guards(a net.Addr) bool {
	return loopback(a) || a.Network() == "tcp" && len(c.endpoint.allowedHosts) > 0
}

// guardedKey marks the context of requests to a listener that is guarded.
type guardedKey struct{}

func guarded(ctx context.Context) context.Context {
	return context.WithValue(ctx, guardedKey{}, true)
}

// loopback reports whether only this machine can connect to an address.
func loopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

func (g *guard) protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Context().Value(guardedKey{}) != nil && !g.knows(r.Host) {
			http.Error(w, fmt.Sprintf("This is not known as %q. If it should be, start ccwatchd with --web.allowed-host.", r.Host), http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// knows reports whether the host of a request is one that no web page can have
// come from. These are addresses, and names that nobody can own: localhost, what
// is below it, and what is below internal, by which a container calls its host.
// A browser always tells the host.
func (g *guard) knows(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = hostport // it has no port
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil || host == "" {
		return true
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".internal") ||
		slices.Contains(g.names, host)
}
