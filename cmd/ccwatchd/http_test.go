package main

import (
	"errors"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/ccwatchd/ccwatchd/internal/exposition"
)

// filled is a place with a few sessions in it, all but the one that takes long
// with the race detector.
func filled(t *testing.T) place {
	t.Helper()
	p := newPlace(t)
	all := fixtures(t)
	maps.DeleteFunc(all, func(_ string, content []byte) bool { return len(content) > 1<<20 })
	copyTree(t, p.projects(), all)
	return p
}

func TestFormats(t *testing.T) {
	d := filled(t).start(t).ready()
	for _, test := range []struct {
		name, accept, contentType, has string
	}{
		{"for people", plainText, "text/plain; version=0.0.4", "\n# TYPE claude_requests_total counter\n"},
		{"OpenMetrics", openMetrics, "application/openmetrics-text; version=1.0.0", "\n# TYPE claude_requests counter\n"},
		{"protobuf", protobuf, "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited", "\x15claude_requests_total"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, err := d.ask(http.MethodGet, "/metrics", test.accept)
			if err != nil {
				t.Fatal(err)
			}
			if got := a.header.Get("Content-Type"); a.status != http.StatusOK || !strings.HasPrefix(got, test.contentType) {
				t.Errorf("status %d, content type %q, want %q", a.status, got, test.contentType)
			}
			if !strings.Contains(a.body, test.has) {
				t.Errorf("lacks %q:\n%s", test.has, a.body)
			}
			if strings.Contains(a.body, "_created") {
				t.Error("has samples of created timestamps, which servers would store")
			}
			if test.accept == openMetrics && !strings.HasSuffix(a.body, "\n# EOF\n") {
				t.Error("does not end as it must")
			}
		})
	}
}

// Created timestamps are those of the first event and not of the process.
func TestCreatedTimestamps(t *testing.T) {
	p := filled(t)
	d := p.start(t).ready()
	samples, ok := d.scrape(protobuf)
	if !ok {
		t.Fatal("no scrape")
	}
	read := counters(samples)
	if len(read) < 100 {
		t.Errorf("only %d numbers", len(read))
	}
	for series, r := range read {
		if r.Created.IsZero() {
			t.Errorf("%s has no created timestamp", series)
		}
		written := time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)
		if strings.HasPrefix(series, "claude_prompts_total{") && (r.Created.Before(written) || r.Created.After(written.AddDate(0, 0, 20))) {
			t.Errorf("%s was created at %v", series, r.Created)
		}
	}
}

func TestExpositionIsClean(t *testing.T) {
	p := filled(t)
	p.configure(t, "sources:\n  - {path: "+strconv.Quote(p.projects())+", labels: {user: dev}}\n")
	d := p.start(t).ready()
	s := script{cwd: "/home/dev/live", session: uuid(7)}
	writeFile(t, filepath.Join(p.projects(), "live", s.session+".jsonl"), s.prompt("hello"))
	eventually(t, "the new session is shown", func() bool { return d.has(`claude_sessions_total{project="live",user="dev"} 1`) })
	_, body, err := d.get("/metrics", plainText)
	if err != nil {
		t.Fatal(err)
	}
	problems, err := promlint.New(strings.NewReader(body)).Lint()
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
		has          string
	}{
		{http.MethodGet, "/", http.StatusOK, p.projects()},
		{http.MethodGet, "/-/healthy", http.StatusOK, "healthy"},
		{http.MethodGet, "/-/ready", http.StatusOK, "ready"},
		{http.MethodGet, "/-/reload", http.StatusMethodNotAllowed, ""},
		{http.MethodPost, "/-/reload", http.StatusForbidden, "--web.enable-lifecycle"},
		{http.MethodDelete, "/metrics", http.StatusMethodNotAllowed, ""},
		{http.MethodGet, "/debug/pprof/", http.StatusNotFound, ""},
	} {
		t.Run(test.method+" "+test.path, func(t *testing.T) {
			a, err := d.ask(test.method, test.path, "")
			if err != nil {
				t.Fatal(err)
			}
			if a.status != test.status || !strings.Contains(a.body, test.has) {
				t.Errorf("status %d, want %d, and %q in\n%s", a.status, test.status, test.has, a.body)
			}
		})
	}
}

// Nothing is shown before everything has been read: half of the numbers would
// look like a fall of all of them.
func TestNothingIsShownBeforeAllIsRead(t *testing.T) {
	p := filled(t)
	release := p.holdUp(t)
	d := p.start(t)
	eventually(t, "the page tells how far it is", func() bool { // once it knows how far it has to go
		a, err := d.ask(http.MethodGet, "/", "")
		return err == nil && strings.Contains(a.body, "files")
	})
	for range 3 {
		for path, want := range map[string]int{
			"/metrics": http.StatusServiceUnavailable, "/-/ready": http.StatusServiceUnavailable,
			"/-/healthy": http.StatusOK, "/": http.StatusOK,
		} {
			a, err := d.ask(http.MethodGet, path, "")
			if err != nil {
				t.Fatal(err)
			}
			if a.status != want {
				t.Errorf("%s: status %d, want %d", path, a.status, want)
			}
			if want == http.StatusServiceUnavailable && (!strings.Contains(a.body, "catching up") || a.header.Get("Retry-After") == "") {
				t.Errorf("%s says %q, headers %v", path, a.body, a.header)
			}
		}
	}
	release()
	d.ready()
	if d.sample("claude_requests_total") == 0 {
		t.Error("nothing was read")
	}
}

// A daemon that catches up ends when it is told to, whatever it was told before.
func TestStopWhileCatchingUp(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("sends signals")
	}
	p := filled(t)
	release := p.holdUp(t)
	d := p.start(t)
	d.signal(syscall.SIGHUP)
	d.stop()
	release()
	if d = p.start(t).ready(); d.sample("claude_requests_total") == 0 {
		t.Error("nothing was read")
	}
}

func TestReload(t *testing.T) {
	p := filled(t)
	second := filepath.Join(p.home, "second")
	s := script{cwd: "/home/dev/app", session: uuid(3)}
	writeFile(t, filepath.Join(second, "x", s.session+".jsonl"), s.prompt("hello"))
	d := p.start(t, "--web.enable-lifecycle").ready()
	success := d.sample("ccwatchd_config_last_reload_success_timestamp_seconds")
	for _, step := range []struct {
		name, config string
		hangup       bool
		status       int
		says         string
		source       string // of the session above, as its label has it
		successful   float64
	}{
		{"mistake", "sources: [{paht: /x}]\n", false, http.StatusInternalServerError, `:1: unknown key "paht" in sources`, "", 0},
		{"correction", source(second, "a"), false, http.StatusOK, "Reloaded", "a", 1},
		{"mistake and hangup", "intervals: {scan: soon}\n", true, 0, "", "a", 0},
		{"correction and hangup", source(second, "b"), true, 0, "", "b", 1},
	} {
		if step.hangup && runtime.GOOS == "windows" {
			continue
		}
		p.configure(t, step.config)
		if step.hangup {
			d.signal(syscall.SIGHUP)
		} else if status, body, err := d.request(http.MethodPost, "/-/reload", ""); err != nil || status != step.status || !strings.Contains(body, step.says) {
			t.Errorf("%s: status %d, %q, %v", step.name, status, body, err)
		}
		eventually(t, step.name+" is told", func() bool { return d.sample("ccwatchd_config_last_reload_successful") == step.successful })
		if step.source == "" {
			continue
		}
		if step.successful == 1 {
			s.at = s.at.Add(1)
			line := s.prompt("and " + step.name)
			if err := appendTo(filepath.Join(second, "x", s.session+".jsonl"), []byte(line)); err != nil {
				t.Fatal(err)
			}
		}
		eventually(t, step.name+" holds", func() bool {
			_, body, err := d.get("/metrics", "")
			return err == nil && strings.Contains(body, `claude_prompts_total{from="`+step.source+`",kind="text",project="app"}`)
		})
	}
	if now := d.sample("ccwatchd_config_last_reload_success_timestamp_seconds"); now <= success {
		t.Errorf("the last success was at %v, and before that at %v", now, success)
	}
	if d.sample("claude_requests_total") == 0 {
		t.Error("what was counted under another configuration is lost")
	}
}

func source(path, from string) string {
	return "sources: [{path: " + strconv.Quote(path) + ", labels: {from: " + from + "}}]\nintervals: {scan: 1s}\n"
}

// After an orderly end the next daemon shows the same numbers.
func TestRestartShowsTheSame(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("sends signals")
	}
	p := filled(t)
	d := p.start(t).ready()
	var before, after exposition.Samples
	eventually(t, "a scrape", func() (ok bool) { before, ok = d.scrape(protobuf); return ok })
	d.stop()
	d = p.start(t).ready()
	eventually(t, "a scrape", func() (ok bool) { after, ok = d.scrape(protobuf); return ok })
	want, got := counters(before), counters(after)
	for series, r := range want {
		if now := got[series]; now.Value != r.Value || !now.Created.Equal(r.Created) {
			t.Errorf("%s was %v and is %v", series, r, now)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d numbers before, %d after", len(want), len(got))
	}
}

// The first signal waits for who is being answered, the second for nobody.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("sends signals")
	}
	p := filled(t)
	d := p.start(t).ready()
	asking, err := net.Dial("tcp", d.address)
	if err != nil {
		t.Fatal(err)
	}
	defer asking.Close() //nolint:errcheck // it is at the other end's mercy
	if _, err := asking.Write([]byte("GET /metrics HTTP/1.1\r\nHost: ")); err != nil {
		t.Fatal(err)
	}
	d.signal(syscall.SIGTERM)
	eventually(t, "it stops", func() bool { return strings.Contains(d.log.String(), "a second signal stops at once") })
	d.signal(os.Interrupt)
	<-d.ended
	if d.code != 1 {
		t.Errorf("exit code %d, want 1:\n%s", d.code, d.log.String())
	}
	p.start(t).ready().stop()
}

// holdUp puts a file among the transcripts that takes as long to read as is
// wished: it is a hole, with the end of a line that may just be read here and there.
// It returns what ends that.
func (p place) holdUp(t *testing.T) (release func()) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("its files have no holes")
	}
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
		t.Skip("no file can be that long here")
	} else if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Truncate(path, 0); err != nil {
			t.Fatal(err)
		}
	}
}

// The status page lists the unknown names of the transcripts.
func TestStatusNamesWhatIsUnknown(t *testing.T) {
	p := newPlace(t)
	writeFile(t, filepath.Join(p.projects(), "p", "1.jsonl"), `{"type":"brand-new","message":{}}`+"\n")
	a, err := p.start(t).ready().ask(http.MethodGet, "/-/status", "")
	if want := `"unknown_format":[{"kind":"type","name":"brand-new"}]`; err != nil || !strings.Contains(a.body, want) {
		t.Errorf("it lacks %s: %s, %v", want, a.body, err)
	}
}
