package main

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/exp/api/remote"
	writev2 "github.com/prometheus/client_golang/exp/api/remote/genproto/v2"
	"google.golang.org/protobuf/proto"
)

// A store is a server that stores what it is sent by protocol 2.
type store struct {
	*httptest.Server
	mu     sync.Mutex
	series map[string][]float64 // by their labels; NaN is the end of one
	users  map[string]bool      // who has sent something
}

func newStore(t *testing.T) *store {
	s := &store{series: make(map[string][]float64), users: make(map[string]bool)}
	s.Server = httptest.NewServer(remote.NewWriteHandler(s, remote.MessageTypes{remote.WriteV2MessageType}))
	t.Cleanup(s.Close)
	return s
}

// Store implements what the handler of the client library stores in.
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
	answer := remote.NewWriteResponse()
	for _, one := range q.GetTimeseries() {
		labels := strings.Join(writev2.DesymbolizeLabels(one.GetLabelsRefs(), q.GetSymbols(), nil), " ")
		s.series[labels] = append(s.series[labels], one.GetSamples()[0].GetValue())
		answer.Samples++
	}
	return answer, nil
}

// of returns the values of the one series that has all of these in its labels.
func (s *store) of(words ...string) []float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	for labels, values := range s.series {
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(labels+" ", w+" ") }) {
			return slices.Clone(values)
		}
	}
	return nil
}

// TestRemoteWrite has the daemon send what it counts: from when the configuration
// says so, over a restart, and to the last line.
func TestRemoteWrite(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("sends signals")
	}
	s := newStore(t)
	p := newPlace(t)
	d := p.start(t, "--log.level=debug").ready()
	password := filepath.Join(filepath.Dir(p.config), "password")
	writeFile(t, password, "hush\n")
	p.configure(t, fmt.Sprintf("intervals: {scan: 1s}\nremote_write:\n  - url: %s/hush?token=hush\n    interval: 1s\n"+
		"    protobuf_message: io.prometheus.write.v2.Request\n    labels: {instance: laptop, who: ann}\n    basic_auth: {username: ann, password_file: password}\n", s.URL))
	d.signal(syscall.SIGHUP)
	eventually(t, "it sends", func() bool {
		return len(s.of("__name__ ccwatchd_ready", "job ccwatchd", "instance laptop", "who ann")) > 0
	})

	prompts := []string{"__name__ claude_prompts_total", "project sent", "job ccwatchd", "instance laptop", "who ann"}
	one := script{cwd: "/src/sent", session: "a", at: time.Now()}
	path := filepath.Join(p.projects(), "-src-sent", "a.jsonl")
	writeFile(t, path, one.prompt("hush"))
	last := func() float64 {
		v := slices.DeleteFunc(s.of(prompts...), math.IsNaN)
		if len(v) == 0 {
			return -1
		}
		return v[len(v)-1]
	}
	eventually(t, "the prompt arrives", func() bool { return last() == 1 })
	if v := s.of(prompts...); v[0] != 0 {
		t.Errorf("a new series begins with %v", v)
	}
	if err := appendTo(path, []byte(one.prompt("hush again"))); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is counted", func() bool { n, _ := d.sum("claude_prompts_total"); return n == 2 })
	d.stop()
	if v := s.of(prompts...); len(v) < 2 || v[len(v)-2] != 2 || !math.IsNaN(v[len(v)-1]) {
		t.Errorf("at the end: %v, want 2 and that it is over", v)
	}
	before := len(s.of(prompts...))
	again := p.start(t, "--log.level=debug").ready()
	eventually(t, "it goes on", func() bool { return len(s.of(prompts...)) > before })
	if v := s.of(prompts...)[before]; v != 2 {
		t.Errorf("after a restart it goes on with %v", v)
	}
	page, err := again.ask(http.MethodGet, "/-/status", "")
	if err != nil {
		t.Fatal(err)
	}
	s.CloseClientConnections()
	s.Close()
	eventually(t, "that the server is away is told", func() bool { return strings.Contains(again.log.String(), "Failed to send to a remote-write endpoint") })
	again.stop()
	if !s.users["ann hush"] || len(s.users) != 1 {
		t.Errorf("sent by %v", s.users)
	}
	for _, text := range []string{d.log.String(), again.log.String(), page.body} {
		if strings.Contains(text, "hush") {
			t.Errorf("it tells a secret:\n%s", text)
		}
	}
}

func TestCheckRemoteWrite(t *testing.T) {
	p := newPlace(t)
	p.configure(t, "remote_write: [{url: 'https://ann:hush@h:1/w?token=hush', name: far, interval: 1m}, {url: 'http://near/w'}]\n")
	out, errs, code := p.run(t, "--config.file="+p.config, "--config.check")
	if want := "Every 1m it sends to https://h:1 (far)\nEvery 15s it sends to http://near\n"; code != 0 || !strings.HasSuffix(out, want) {
		t.Errorf("code %d, %q\n%s", code, out, errs)
	}
	bad := filepath.Join(p.home, "bad.pem")
	writeFile(t, bad, "no certificate")
	p.configure(t, "remote_write: [{url: 'https://h/w', tls_config: {ca_file: "+bad+"}}]\n")
	if _, errs, code = p.run(t, "--config.file="+p.config, "--config.check"); code == 0 || !strings.Contains(errs, "remote_write h: ") {
		t.Errorf("code %d, %q", code, errs)
	}
	if _, err := os.Stat(p.state); err == nil {
		t.Error("the check has made the state")
	}
}
