//go:build endtoend && fleet

package endtoend

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"
	"time"
)

// A countingProxy forwards requests to a server and counts them.
type countingProxy struct {
	address  string
	requests atomic.Int64
	bytes    atomic.Int64 // of the compressed bodies
}

func newCountingProxy(t *testing.T, to *Server) *countingProxy {
	t.Helper()
	target, err := url.Parse(to.URL())
	if err != nil {
		t.Fatal(err)
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", FreeAddress(t))
	if err != nil {
		t.Fatal(err)
	}
	p, next := &countingProxy{address: l.Addr().String()}, httputil.NewSingleHostReverseProxy(target)
	// A daemon that is killed cancels its request.
	next.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		p.bytes.Add(q.ContentLength)
		p.requests.Add(1)
		next.ServeHTTP(w, q)
	})}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	return p
}

// await waits for more requests, several of each machine, and returns the time that
// they took and their bytes.
func (p *countingProxy) await(t *testing.T, requests int) (took time.Duration, bytes int64) {
	t.Helper()
	start, before, bytesBefore := time.Now(), p.requests.Load(), p.bytes.Load()
	Eventually(t, fmt.Sprintf("%d more requests are sent", requests), func() error {
		if n := p.requests.Load() - before; n < int64(requests) {
			return fmt.Errorf("only %d were sent", n)
		}
		return nil
	})
	return time.Since(start), p.bytes.Load() - bytesBefore
}
