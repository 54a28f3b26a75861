// Package nettest has addresses for tests.
package nettest

import (
	"net"
	"testing"
)

// Refused returns an address that refuses connections until the end of the test. The
// port of a closed server would not do: another program may listen on it at any time.
func Refused(t testing.TB) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	connection, err := new(net.Dialer).DialContext(t.Context(), "tcp4", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	return connection.LocalAddr().String() // in use, but nothing listens there
}
