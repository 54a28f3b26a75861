// Package loopback gives the name localhost its meaning without a resolver: minimal
// containers have no entry for it in /etc/hosts, and a DNS server does not know it. RFC
// 6761, section 6.3, says that the name is always the loopback address.
package loopback

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"time"
)

const (
	ipv4 = "127.0.0.1"
	ipv6 = "::1"
)

// IsName reports whether a host is localhost, which has no other spelling than its case
// and the final dot of an absolute name.
func IsName(host string) bool { return strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") }

// Listen returns the address to listen on: 127.0.0.1 instead of localhost, or ::1 on a
// machine without IPv4. Other addresses are returned as they are.
func Listen(address string) string {
	if host, port, err := net.SplitHostPort(address); err == nil && IsName(host) {
		return net.JoinHostPort(listenHost(), port)
	}
	return address
}

var listenHost = sync.OnceValue(func() string {
	listener, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.ParseIP(ipv4)})
	if err != nil {
		return ipv6
	}
	_ = listener.Close()
	return ipv4
})

// DialContext connects as [net.Dialer.DialContext] with the timeouts of
// [net/http.DefaultTransport]. It connects to localhost by 127.0.0.1, else by ::1.
func DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	host, port, err := net.SplitHostPort(address)
	if err != nil || !IsName(host) {
		return dialer.DialContext(ctx, network, address)
	}
	connection, err := dialer.DialContext(ctx, network, net.JoinHostPort(ipv4, port))
	if err == nil {
		return connection, nil
	}
	connection, err6 := dialer.DialContext(ctx, network, net.JoinHostPort(ipv6, port))
	if err6 == nil {
		return connection, nil
	}
	return nil, errors.Join(err, err6)
}
