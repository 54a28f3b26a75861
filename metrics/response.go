package metrics

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
)

// A response answers all scrapes of one moment that want the same format. It keeps the
// body compressed, so that clients that do not read need little memory. It is the
// http.ResponseWriter of the client library.
type response struct {
	status int
	header http.Header
	body   bytes.Buffer // compressed by compress
}

func newResponse() *response { return &response{header: make(http.Header)} }

// Header implements http.ResponseWriter.
func (r *response) Header() http.Header { return r.header }

// WriteHeader implements http.ResponseWriter.
func (r *response) WriteHeader(status int) { r.status = cmp.Or(r.status, status) }

// Write implements http.ResponseWriter.
func (r *response) Write(b []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(b)
}

// compress completes the body. The pool has unused compressors, which are large.
func (r *response) compress(pool *sync.Pool) {
	zipped, ok := pool.Get().(*gzip.Writer)
	if !ok {
		zipped = gzip.NewWriter(nil)
	}
	defer pool.Put(zipped)
	var body bytes.Buffer
	zipped.Reset(&body) // writing to memory does not fail
	if r.status == http.StatusOK && strings.HasPrefix(r.header.Get("Content-Type"), "text/plain") {
		_ = writeSameBounds(zipped, r.body.Bytes())
	} else {
		_, _ = zipped.Write(r.body.Bytes())
	}
	_ = zipped.Close()
	zipped.Reset(nil)
	r.body = *bytes.NewBuffer(bytes.Clone(body.Bytes())) // without spare room
}

// send sends the response to a client. Errors are not compressed. A write error means
// that the client has disconnected.
func (r *response) send(w http.ResponseWriter, compressed bool) {
	maps.Copy(w.Header(), r.header)
	compressed = compressed && r.status == http.StatusOK
	if compressed {
		w.Header().Set("Content-Encoding", "gzip")
	}
	w.WriteHeader(r.status)
	if compressed {
		_, _ = w.Write(r.body.Bytes())
		return
	}
	if plain, err := gzip.NewReader(bytes.NewReader(r.body.Bytes())); err == nil {
		_, _ = io.Copy(w, plain) //nolint:gosec // compressed here
	}
}

// sharedResponses makes one response at a time. All requests that wait for the same
// response before its making begins share it, so no response is older than its request.
type sharedResponses struct {
	making sync.Mutex

	mu      sync.Mutex
	waiting map[string]*sharedResponse // not yet being made, by key
}

type sharedResponse struct {
	made     chan struct{} // closed with the response
	requests int           // that still wait for it; guarded by sharedResponses.mu
	response *response     // nil if its making failed or was not needed
}

// get returns the response of a key, or nil once ctx ends.
func (s *sharedResponses) get(ctx context.Context, key string, respond func() *response) *response {
	if ctx.Err() != nil {
		return nil
	}
	s.mu.Lock()
	shared := s.waiting[key]
	if shared == nil {
		shared = &sharedResponse{made: make(chan struct{})}
		if s.waiting == nil {
			s.waiting = make(map[string]*sharedResponse)
		}
		s.waiting[key] = shared
		go s.make(key, shared, respond)
	}
	shared.requests++
	s.mu.Unlock()
	select {
	case <-shared.made:
		return shared.response
	case <-ctx.Done():
		s.mu.Lock()
		defer s.mu.Unlock()
		shared.requests--
		return nil
	}
}

// make makes a response, unless all of its requests have ended.
func (s *sharedResponses) make(key string, shared *sharedResponse, respond func() *response) {
	defer close(shared.made)
	s.making.Lock()
	defer s.making.Unlock()
	s.mu.Lock()
	delete(s.waiting, key)
	needed := shared.requests > 0
	s.mu.Unlock()
	if needed {
		shared.response = respond()
	}
}
