package main

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/exp/api/remote"
	writev2 "github.com/prometheus/client_golang/exp/api/remote/genproto/v2"
	"google.golang.org/protobuf/proto"

	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// A store is a remote-write server for protocol 2.
type store struct {
	*httptest.Server
	mu     sync.Mutex
	series map[string][]float64 // by labels; NaN marks staleness
	users  map[string]bool      // user name and password of senders
}

func newStore(t *testing.T) *store {
	s := &store{series: make(map[string][]float64), users: make(map[string]bool)}
	s.Server = httptest.NewServer(remote.NewWriteHandler(s, remote.MessageTypes{remote.WriteV2MessageType}))
	t.Cleanup(s.Close)
	return s
}

// Store implements the storage interface of the client library.
func (s *store) Store(r *http.Request, _ remote.WriteMessageType) (*remote.WriteResponse, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var q writev2.Request
	if err := proto.Unmarshal(body, &q); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	user, password, _ := r.BasicAuth()
	s.users[user+" "+password] = true
	response := remote.NewWriteResponse()
	for _, series := range q.GetTimeseries() {
		labels := strings.Join(writev2.DesymbolizeLabels(series.GetLabelsRefs(), q.GetSymbols(), nil), " ")
		s.series[labels] = append(s.series[labels], series.GetSamples()[0].GetValue())
		response.Samples++
	}
	return response, nil
}

// values returns the values of the series with the given labels.
func (s *store) values(words ...string) []float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	for labels, v := range s.series {
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(labels+" ", w+" ") }) {
			return slices.Clone(v)
		}
	}
	return nil
}

// The daemon sends every count from the reload that enables remote write to the last
// line, across a restart.
func TestRemoteWrite(t *testing.T) {
	skipOnWindows(t)
	t.Parallel()
	s := newStore(t)
	p := newRaceSandbox(t)
	d := p.start(t, "--log.level=debug").ready()
	password := filepath.Join(filepath.Dir(p.config), "password")
	writeFile(t, password, "hush\n")
	p.configure(t, fmt.Sprintf("intervals: {scan: 1s}\nremote_write:\n  - url: %s/hush?token=hush\n    interval: 1s\n"+
		"    protobuf_message: io.prometheus.write.v2.Request\n    labels: {instance: laptop, who: ann}\n    basic_auth: {username: ann, password_file: password}\n", s.URL))
	d.signal(syscall.SIGHUP)
	polltest.Eventually(t, "samples arrive", func() bool {
		return len(s.values("__name__ ccwatchd_ready", "job ccwatchd", "instance laptop", "who ann")) > 0
	})

	prompts := []string{"__name__ claude_prompts_total", "project sent", "job ccwatchd", "instance laptop", "who ann"}
	sent := script{cwd: "/src/sent", session: "a", at: time.Now()}
	path := filepath.Join(p.projects(), "-src-sent", "a.jsonl")
	writeFile(t, path, sent.prompt("hush"))
	last := func() float64 {
		v := slices.DeleteFunc(s.values(prompts...), math.IsNaN)
		if len(v) == 0 {
			return -1
		}
		return v[len(v)-1]
	}
	polltest.Eventually(t, "the prompt arrives", func() bool { return last() == 1 })
	if v := s.values(prompts...); v[0] != 0 {
		t.Errorf("a new series begins with %v, want 0", v)
	}
	appendFile(t, path, sent.prompt("hush again"))
	polltest.Eventually(t, "the prompt is counted", func() bool { n, _ := d.sum("claude_prompts_total"); return n == 2 })
	d.stop()
	if v := s.values(prompts...); len(v) < 2 || v[len(v)-2] != 2 || !math.IsNaN(v[len(v)-1]) {
		t.Errorf("at the end: got %v, want 2 and a staleness marker", v)
	}
	before := len(s.values(prompts...))
	again := p.start(t, "--log.level=debug").ready()
	polltest.Eventually(t, "more samples arrive", func() bool { return len(s.values(prompts...)) > before })
	if v := s.values(prompts...)[before]; v != 2 {
		t.Errorf("after a restart: got %v, want 2", v)
	}
	page := again.page("/-/status")
	s.CloseClientConnections()
	s.Close()
	again.waitForLog("Failed to send to a remote-write endpoint")
	again.stop()
	if !s.users["ann hush"] || len(s.users) != 1 {
		t.Errorf("got senders %v", s.users)
	}
	for _, text := range []string{d.log.String(), again.log.String(), page} {
		if strings.Contains(text, "hush") {
			t.Errorf("a secret is shown:\n%s", text)
		}
	}
}

func TestCheckRemoteWrite(t *testing.T) {
	p := newSandbox(t)
	p.configure(t, "remote_write: [{url: 'https://ann:hush@h:1/w?token=hush', name: far, interval: 1m}, {url: 'http://near/w'}]\n")
	out, errs, code := p.run(t, "--config.file="+p.config, "--config.check")
	if want := "Remote write every 1m: https://h:1 (far)\nRemote write every 15s: http://near\n"; code != 0 || !strings.HasSuffix(out, want) {
		t.Errorf("code %d, %q\n%s", code, out, errs)
	}
	bad := filepath.Join(p.home, "bad.pem")
	writeFile(t, bad, "no certificate")
	p.configure(t, "remote_write: [{url: 'https://h/w', tls_config: {ca_file: "+bad+"}}]\n")
	if _, errs, code = p.run(t, "--config.file="+p.config, "--config.check"); code == 0 || !strings.Contains(errs, "remote_write h: ") {
		t.Errorf("code %d, %q", code, errs)
	}
	if _, err := os.Stat(p.state); err == nil {
		t.Error("the check created the state directory")
	}
}
