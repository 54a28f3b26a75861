package main

import (
	"bufio"
	"errors"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/ccwatchd/ccwatchd/internal/limits"
	"github.com/ccwatchd/ccwatchd/test/difftest"
	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// filled returns a sandbox with the fixtures, except a fixture that takes long with the
// race detector.
func filled(t *testing.T) sandbox {
	t.Helper()
	p := newRaceSandbox(t)
	all := fixtures(t)
	maps.DeleteFunc(all, func(_, content string) bool { return len(content) > 1<<20 })
	all.Write(t, p.projects())
	return p
}

func TestFormats(t *testing.T) {
	d := filled(t).start(t).ready()
	for accept, want := range map[string]struct{ contentType, text string }{
		plainText:    {"text/plain; version=0.0.4; charset=utf-8", "\n# TYPE claude_requests_total counter\n"},
		"text/plain": {"text/plain; version=0.0.4; charset=utf-8", "\n# TYPE claude_requests_total counter\n"},
		openMetrics:  {"application/openmetrics-text; version=1.0.0; charset=utf-8", "\n# TYPE claude_requests counter\n"},
		protobuf:     {"application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited", "\x15claude_requests_total"},
	} {
		a, err := d.request(http.MethodGet, "/metrics", header("Accept", accept))
		if got := a.header.Get("Content-Type"); err != nil || a.status != http.StatusOK || !strings.HasPrefix(got, want.contentType) {
			t.Errorf("%q: status %d, %v, got content type %q, want %q", accept, a.status, err, got, want.contentType)
		}
		if !strings.Contains(a.body, want.text) {
			t.Errorf("%q: %q is missing in\n%s", accept, want.text, difftest.Head(a.body))
		}
		if strings.Contains(a.body, "_created") { // samples that servers would store
			t.Errorf("%q: created timestamps are samples", accept)
		}
		if eof := strings.HasSuffix(a.body, "\n# EOF\n"); eof != (accept == openMetrics) {
			t.Errorf("%q: ends with # EOF: %v", accept, eof)
		}
		if a, err = d.request(http.MethodGet, "/metrics", header("Accept", accept), header("Accept-Encoding", "gzip")); err != nil || a.header.Get("Content-Encoding") != "gzip" {
			t.Errorf("%q: got encoding %q, want gzip, %v", accept, a.header.Get("Content-Encoding"), err)
		}
	}
}

// Created timestamps are the times of the first event, not of the process start.
func TestCreatedTimestamps(t *testing.T) {
	samples, ok := filled(t).start(t).ready().scrape(protobuf)
	if !ok {
		t.Fatal("no scrape")
	}
	read := persistent(samples)
	if len(read) < 100 {
		t.Errorf("got %d counters, want more", len(read))
	}
	for series, r := range read {
		if r.Created.IsZero() {
			t.Errorf("%s has no created timestamp", series)
		}
		written := time.Date(2026, time.February, 28, 0, 0, 0, 0, time.UTC)
		if strings.HasPrefix(series, "claude_prompts_total{") && (r.Created.Before(written) || r.Created.After(written.AddDate(0, 8, 0))) {
			t.Errorf("%s was created at %v", series, r.Created)
		}
	}
}

// ownHelp matches the HELP texts of our own families. Libraries add families that every
// Go program exposes.
var ownHelp = regexp.MustCompile(`(?m)^# HELP ((?:claude|ccwatchd)_\w+) (.*)$`)

// promlint finds no problem in the exposition, and its HELP texts are short.
func TestExpositionLint(t *testing.T) {
	p := filled(t)
	p.configure(t, "sources:\n  - {path: "+strconv.Quote(p.projects())+", labels: {user: dev}}\n")
	d := p.start(t).ready()
	p.newSession(t, "live").prompts(1)
	polltest.Eventually(t, "the new session is exposed", func() bool { return d.has(`claude_sessions_total{project="live",user="dev"} 1`) })
	page := d.page("/metrics")
	for _, help := range ownHelp.FindAllStringSubmatch(page, -1) {
		if help[1] != "ccwatchd_build_info" && len(help[2]) > 120 {
			t.Errorf("help of %s: got %d characters, want at most 120", help[1], len(help[2]))
		}
	}
	problems, err := promlint.New(strings.NewReader(page)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		t.Errorf("%s: %s", problem.Metric, problem.Text)
	}
}

func TestPages(t *testing.T) {
	p := filled(t)
	d := p.start(t).ready()
	for _, test := range []struct {
		method, path string
		status       int
		text         string
	}{
		{http.MethodGet, "/", http.StatusOK, p.projects()},
		{http.MethodGet, "/-/healthy", http.StatusOK, "healthy"},
		{http.MethodGet, "/-/ready", http.StatusOK, "ready"},
		{http.MethodGet, "/-/reload", http.StatusMethodNotAllowed, ""},
		{http.MethodPost, "/-/reload", http.StatusForbidden, "--web.enable-lifecycle, or send it SIGHUP"},
		{http.MethodPut, "/-/reload", http.StatusForbidden, "--web.enable-lifecycle, or send it SIGHUP"},
		{http.MethodDelete, "/metrics", http.StatusMethodNotAllowed, ""},
		{http.MethodGet, "/debug/pprof/", http.StatusNotFound, ""},
	} {
		a, err := d.request(test.method, test.path)
		if err != nil || a.status != test.status || !strings.Contains(a.body, test.text) {
			t.Errorf("%s %s: status %d, want %d with %q, %v\n%s", test.method, test.path, a.status, test.status, test.text, err, difftest.Head(a.body))
		}
	}
}

// Nothing is exposed before everything has been read: partial numbers would look like a
// reset of all counters.
func TestNothingIsExposedBeforeReady(t *testing.T) {
	p := filled(t)
	release := p.addEndlessFile(t)
	d := p.start(t)
	polltest.Eventually(t, "the page shows progress", func() bool { return strings.Contains(d.page("/"), "files") })
	for range 3 {
		for path, want := range map[string]int{
			"/metrics": http.StatusServiceUnavailable, "/-/ready": http.StatusServiceUnavailable,
			"/-/healthy": http.StatusOK, "/": http.StatusOK,
		} {
			a, err := d.request(http.MethodGet, path)
			if err != nil || a.status != want {
				t.Errorf("%s: status %d, want %d, %v", path, a.status, want, err)
			}
			if want == http.StatusServiceUnavailable && (!strings.Contains(a.body, "catching up") || a.header.Get("Retry-After") == "") {
				t.Errorf("%s: got %q with headers %v", path, a.body, a.header)
			}
		}
	}
	release()
	d.ready()
	if d.sample("claude_requests_total") == 0 {
		t.Error("no request is counted")
	}
}

// A daemon that catches up stops on a signal, even after a requested reload.
func TestStopWhileCatchingUp(t *testing.T) {
	skipOnWindows(t)
	p := filled(t)
	release := p.addEndlessFile(t)
	d := p.start(t)
	d.signal(syscall.SIGHUP)
	d.stop()
	release()
	if d = p.start(t).ready(); d.sample("claude_requests_total") == 0 {
		t.Error("no request is counted")
	}
}

func TestReload(t *testing.T) {
	p := filled(t)
	second := filepath.Join(p.home, "second")
	s := script{cwd: "/home/dev/app", session: uuid(3)}
	path := filepath.Join(second, "x", s.session+".jsonl")
	writeFile(t, path, s.prompt("hello"))
	config := func(from string) string {
		return "sources: [{path: " + strconv.Quote(second) + ", labels: {from: " + from + "}}]\nintervals: {scan: 1s}\n"
	}
	d := p.start(t, "--web.enable-lifecycle").ready()
	success := d.sample("ccwatchd_config_last_reload_success_timestamp_seconds")
	for _, step := range []struct {
		name, config string
		signal       bool
		status       int
		text         string // of the response
		from         string // label of the session above
		successful   float64
	}{
		{"mistake", "sources: [{paht: /x}]\n", false, http.StatusInternalServerError, `:1: unknown key "paht" in sources`, "", 0},
		{"correction", config("a"), false, http.StatusOK, "Reloaded", "a", 1},
		{"mistake, by signal", "intervals: {scan: soon}\n", true, 0, "", "a", 0},
		{"correction, by signal", config("b"), true, 0, "", "b", 1},
	} {
		if step.signal && runtime.GOOS == "windows" {
			continue
		}
		p.configure(t, step.config)
		if step.signal {
			d.signal(syscall.SIGHUP)
		} else if a, err := d.request(http.MethodPost, "/-/reload"); err != nil || a.status != step.status || !strings.Contains(a.body, step.text) {
			t.Errorf("%s: status %d, %q, %v", step.name, a.status, a.body, err)
		}
		polltest.Eventually(t, step.name+" is in the metrics", func() bool { return d.sample("ccwatchd_config_last_reload_successful") == step.successful })
		if step.from == "" {
			continue
		}
		if step.successful == 1 {
			s.at = s.at.Add(1)
			appendFile(t, path, s.prompt("and "+step.name))
		}
		series := `claude_prompts_total{from="` + step.from + `",kind="text",project="app"}`
		polltest.Eventually(t, step.name+" applies", func() bool { return strings.Contains(d.page("/metrics"), series) })
	}
	if now := d.sample("ccwatchd_config_last_reload_success_timestamp_seconds"); now <= success {
		t.Errorf("the last success was at %v, and at %v before", now, success)
	}
	if d.sample("claude_requests_total") == 0 {
		t.Error("the counts of the previous configuration are lost")
	}
}

// On the first signal the daemon waits for clients, on the second it ends at once.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	skipOnWindows(t)
	p := filled(t)
	p.configure(t, "statusline: {accept_limits: true}\n")
	d := p.start(t).ready()
	conn := dial(t, d.address, "POST "+limits.Path+" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n")
	if got, err := bufio.NewReader(conn).ReadString('\n'); !strings.Contains(got, "100") { // now it waits for the body
		t.Fatalf("got the response %q: %v", got, err)
	}
	d.signal(syscall.SIGTERM)
	d.waitForLog("a second signal stops at once")
	d.signal(os.Interrupt)
	<-d.ended
	if d.code != 1 {
		t.Errorf("exit code %d, want 1:\n%s", d.code, d.log.String())
	}
	p.start(t).ready().stop()
}

// addEndlessFile adds a sparse transcript with lines that are just short enough to be
// read, which takes very long. The returned function truncates it.
func (p sandbox) addEndlessFile(t *testing.T) (release func()) {
	t.Helper()
	skipOnWindows(t)
	const lines, length = 4000, 8 << 20
	path := filepath.Join(p.projects(), "hole", uuid(99)+".jsonl")
	writeFile(t, path)
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(lines) {
		if _, err = file.WriteAt([]byte("\n"), (i+1)*length); err != nil {
			break
		}
	}
	if err := errors.Join(err, file.Close()); errors.Is(err, syscall.EFBIG) {
		t.Skip("the file system limits the length of files")
	} else if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Truncate(path, 0); err != nil {
			t.Fatal(err)
		}
	}
}
