package loopback_test

import (
	"net"
	"testing"

	"github.com/ccwatchd/ccwatchd/internal/loopback"
)

func TestListen(t *testing.T) {
	for address, want := range map[string]string{
		"localhost:10229": "127.0.0.1:10229", "LOCALHOST.:http": "127.0.0.1:http", "localhost:0": "127.0.0.1:0",
		":10229": ":10229", "0.0.0.0:1": "0.0.0.0:1", "[::1]:1": "[::1]:1", "example.com:1": "example.com:1",
		"a.localhost:1": "a.localhost:1", "localhost": "localhost", "vsock://:1": "vsock://:1",
	} {
		if got := loopback.Listen(address); got != want {
			t.Errorf("Listen(%q) = %q, want %q", address, got, want)
		}
	}
}

// The name reaches a server on either address.
func TestDialContext(t *testing.T) {
	for _, host := range []string{"127.0.0.1", "::1"} {
		listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
		if err != nil {
			t.Logf("cannot listen on %s: %v", host, err)
			continue
		}
		t.Cleanup(func() { _ = listener.Close() })
		_, port, _ := net.SplitHostPort(listener.Addr().String())
		connection, err := loopback.DialContext(t.Context(), "tcp", "localhost:"+port)
		if err != nil {
			t.Errorf("server on %s: %v", host, err)
			continue
		}
		if got := connection.RemoteAddr().String(); got != listener.Addr().String() {
			t.Errorf("connected to %s, want %s", got, listener.Addr())
		}
		_ = connection.Close()
	}
}
