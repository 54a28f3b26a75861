// Package api is a scripted Messages API for running the real Claude Code against known
// answers. It streams as the real API does, answers with errors, breaks connections off
// and imitates gateways, and it records the responses that a reader of the transcripts
// must find.
package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// A Server answers requests by scripts.
type Server struct {
	scripts Scripts
	record  *json.Encoder

	mu      sync.Mutex
	serial  int
	counts  map[string]int // requests by script
	answers int
}

// New returns a server that writes a line for each request to record.
func New(scripts Scripts, record io.Writer) *Server {
	s := &Server{scripts: Scripts{}, record: json.NewEncoder(record), counts: make(map[string]int)}
	for name, replies := range scripts {
		s.scripts[name] = expand(replies)
	}
	return s
}

// Answers returns the number of answers to turns that were sent to their end.
func (s *Server) Answers() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.answers
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	served := Served{Time: time.Now(), Path: r.Method + " " + r.URL.Path, Attempt: r.Header.Get("X-Stainless-Retry-Count")}
	switch {
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/count_tokens"):
		served.Status = http.StatusOK
		sendJSON(w, served.Status, map[string]any{"input_tokens": 10})
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/v1/messages"):
		s.messages(w, r, served)
		return
	default:
		served.Status = http.StatusNotFound
		sendJSON(w, served.Status, map[string]any{})
	}
	s.write(served)
}

func (s *Server) write(served Served) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if served.Complete && served.Kind == Turn {
		s.answers++
	}
	// A record that cannot be written is missed by the reader.
	_ = s.record.Encode(served) //nolint:errchkjson // as said
}

func (s *Server) messages(w http.ResponseWriter, r *http.Request, served Served) {
	var q request
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		served.Status = http.StatusBadRequest
		sendJSON(w, served.Status, errorBody("invalid_request_error", err.Error(), ""))
		s.write(served)
		return
	}
	served.Script = q.script(s.scripts)
	served.Kind = q.kind(served.Script)
	served.Messages, served.ToolSet, served.Stream, served.Model = len(q.Messages), len(q.Tools), q.Stream, q.Model
	reply, n := s.next(&served)
	served.RequestID = fmt.Sprintf("req_011Scripted%010d", n)
	pause(r.Context(), reply.Delay)
	if !reply.NoRequestID {
		w.Header().Set("Request-Id", served.RequestID)
	}
	for name, value := range reply.Headers {
		w.Header().Set(name, value)
	}
	if served.Status = max(reply.Status, http.StatusOK); served.Status != http.StatusOK {
		served.Error = reply.Error
		s.write(served) // before the answer, so that the order is certain
		sendJSON(w, served.Status, errorBody(reply.Error, reply.Message, served.RequestID))
		return
	}
	s.answer(w, r, reply, n, served)
}

// next returns the reply to a request and its number. A request that Claude Code makes
// on its own, without a script of that name, does not use up the replies to prompts.
func (s *Server) next(served *Served) (Reply, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serial++
	name := served.Script
	switch {
	case served.Kind == Compaction || served.Kind == WebSearch:
	case served.Kind != Turn:
		name = strings.ReplaceAll(served.Kind, " ", "_")
	case name == "":
		name = "main"
	}
	served.Script, served.Index = name, s.counts[name]
	s.counts[name]++
	script := s.scripts[name]
	if len(script) == 0 {
		return Reply{Blocks: []Block{{"type": "text", "text": fmt.Sprintf("Answer %d.", s.serial)}}}, s.serial
	}
	return script[min(served.Index, len(script)-1)], s.serial
}

func errorBody(class, message, requestID string) map[string]any {
	if message == "" {
		message = "scripted"
	}
	return map[string]any{"type": "error", "error": map[string]any{"type": class, "message": message}, "request_id": requestID}
}

func sendJSON(w http.ResponseWriter, status int, body any) {
	b, err := json.Marshal(body)
	if err != nil {
		status, b = http.StatusInternalServerError, []byte("{}")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(b)
}

// pause waits, unless the client has gone.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
