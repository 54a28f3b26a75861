package main

import (
	"bufio"
	"errors"
	"net"
	"net/http"
)

// A connection is an http.RoundTripper that sends all requests in sequence over a
// single connection. An http.Transport would soon reconnect: it closes its connection
// when a busy machine takes over 50 ms to write a request, and whenever a parallel test
// closes an httptest.Server.
type connection struct {
	net.Conn
	buffer *bufio.Reader
}

// connect sends all further requests of the process over one connection.
func (d *process) connect() {
	d.t.Helper()
	conn, err := (&net.Dialer{Timeout: timeout}).DialContext(d.t.Context(), "tcp", d.address)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			d.t.Error(err)
		}
	})
	d.client = &http.Client{Transport: &connection{conn, bufio.NewReader(conn)}}
}

// RoundTrip implements http.RoundTripper. The body of the response must be read to its
// end before the next request.
func (c *connection) RoundTrip(r *http.Request) (*http.Response, error) {
	deadline, _ := r.Context().Deadline() // zero means none
	if err := errors.Join(c.SetDeadline(deadline), r.Write(c)); err != nil {
		return nil, err
	}
	return http.ReadResponse(c.buffer, r)
}
