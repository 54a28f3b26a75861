package nettest

import (
	"net"
	"testing"
)

func TestRefused(t *testing.T) {
	address := Refused(t)
	if connection, err := new(net.Dialer).DialContext(t.Context(), "tcp4", address); err == nil {
		_ = connection.Close()
		t.Errorf("connected to %s", address)
	}
	if listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", address); err == nil {
		_ = listener.Close()
		t.Errorf("another program can listen on %s", address)
	}
}
