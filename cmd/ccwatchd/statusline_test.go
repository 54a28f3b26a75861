package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/limits"
	"github.com/ccwatchd/ccwatchd/test/nettest"
	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// statusline runs the command with an input and returns the line, without its end.
func (p sandbox) statusline(t *testing.T, stdin io.Reader, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := p.command(t, append([]string{"statusline"}, args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // unread input is an error, too
	line, isLine := strings.CutSuffix(out.String(), "\n")
	if cmd.ProcessState.ExitCode() != 0 || !isLine || line == "" || strings.Contains(line, "\n") || errs.Len() > 0 {
		t.Errorf("code %d, got %q, %s", cmd.ProcessState.ExitCode(), out.String(), errs.String())
	}
	return line
}

// rateLimited is the input of a session that has used a quarter of five hours.
func rateLimited(transcript string, used float64) string {
	return fmt.Sprintf(`{"session_id":"s","transcript_path":%q,"model":{"display_name":"Opus"},"rate_limits":{"five_hour":{"used_percentage":%g,"resets_at":%d}}}`,
		transcript, used, time.Now().Add(3*time.Hour).Unix())
}

// The daemon gets the limits, keeps them when it restarts, and knows the cost of today.
func TestStatusline(t *testing.T) {
	p := newSandbox(t).atNoon().with("NO_COLOR=1")
	p.configure(t, fmt.Sprintf("sources: [{path: %q, labels: {user: ann}}]\nstatusline: {accept_limits: true}\n", p.projects()))
	s := script{session: uuid(1), cwd: "/home/dev/web", at: time.Now()}
	file := filepath.Join(p.projects(), "p", s.session+".jsonl")
	writeFile(t, file, s.prompt("go")+s.assistant(uuid(2), `"end_turn"`, 7, `{"type":"text","text":"ok"}`))
	d := p.start(t).ready()
	const want = `claude_limit_used_ratio{user="ann",window="five_hour"} 0.25`
	polltest.Eventually(t, "the line has the cost of today, and the daemon has the limit", func() bool {
		line := p.statusline(t, strings.NewReader(rateLimited(file, 25)), "--url=http://"+d.address)
		return strings.HasPrefix(line, "Opus · 5h 25% (") && strings.HasSuffix(line, " · today $0.03") && strings.Contains(d.page("/metrics"), want)
	})
	d.stop()
	d = p.start(t, "--web.enable-lifecycle").ready()
	if page := d.page("/metrics"); !strings.Contains(page, want) || !strings.Contains(page, `claude_limit_reset_timestamp_seconds{user="ann",window="five_hour"} 1.`) {
		t.Error("the limit is missing after a restart")
	}
	for config, what := range map[string]string{
		fmt.Sprintf("sources: [{path: %q, labels: {user: ann}}]\nstatusline: {accept_limits: false}\n", p.projects()): "limits were switched off",
		fmt.Sprintf("sources: [{path: %q, labels: {user: bob}}]\nstatusline: {accept_limits: true}\n", p.projects()):  "its source was removed",
	} {
		p.configure(t, config)
		reloadOverHTTP(t, d.address)
		if strings.Contains(d.page("/metrics"), "claude_limit_used_ratio") {
			t.Errorf("the limit is still exposed after %s", what)
		}
	}
}

func reloadOverHTTP(t *testing.T, address string) {
	t.Helper()
	response, err := http.Post("http://"+address+"/-/reload", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("reload: status %d, error %v", response.StatusCode, err)
	}
}

// By default, reports are accepted on loopback addresses, by a daemon that reads its
// own user's files. TestAreOwn of package daemon tests the ownership.
func TestLimitsByDefault(t *testing.T) {
	p := newSandbox(t)
	if status := postLimits(t, p.start(t).ready().address, nil); status != http.StatusNoContent {
		t.Errorf("on loopback: got %d", status)
	}
	p.state = t.TempDir()
	d := p.start(t, "--web.listen-address=0.0.0.0:0").ready()
	d.waitForLog("Listening on a non-loopback address")
	for range 2 {
		if status := postLimits(t, d.address, nil); status != http.StatusForbidden {
			t.Errorf("on all addresses: got %d", status)
		}
	}
	const reason = "it listens on other addresses than loopback"
	if n := strings.Count(d.log.String(), "Refused usage limits"); n != 1 || !strings.Contains(d.log.String(), `reason="`+reason) {
		t.Errorf("logged %d times: %s", n, d.log.String())
	}
	stdout, stderr, code := p.run(t, "status", "--url=http://"+d.address)
	if want := "\nlimits        refused from status lines, because " + reason; code != 0 || !strings.Contains(stdout, want) {
		t.Errorf("code %d, %s, want %s in\n%s", code, stderr, want, stdout)
	}
}

// Reports can be refused, and cannot come from a web page.
func TestStatuslineRefused(t *testing.T) {
	p := newSandbox(t)
	p.configure(t, "statusline: {accept_limits: false}\n")
	d := p.start(t, "--web.enable-lifecycle").ready()
	if status := postLimits(t, d.address, nil); status != http.StatusForbidden {
		t.Errorf("refused by the configuration: got %d", status)
	}
	if strings.Contains(d.log.String(), "Refused usage limits") || strings.Contains(d.page("/-/status"), "limits_refused") {
		t.Errorf("the wanted refusal is reported: %s, %s", d.log.String(), d.page("/-/status"))
	}
	p.configure(t, "statusline: {accept_limits: true}\n")
	reloadOverHTTP(t, d.address)
	for header, want := range map[string]int{
		"":                                   http.StatusNoContent,
		"Origin: https://example.com":        http.StatusForbidden,
		"Sec-Fetch-Site: cross-site":         http.StatusForbidden,
		"Content-Type: text/plain":           http.StatusUnsupportedMediaType,
		"Host: example.com":                  http.StatusForbidden,
		"Access-Control-Request-Method: PUT": http.StatusNoContent,
	} {
		name, value, _ := strings.Cut(header, ": ")
		if status := postLimits(t, d.address, map[string]string{name: value}); status != want {
			t.Errorf("%q: got %d, want %d", header, status, want)
		}
	}
}

func postLimits(t *testing.T, address string, headers map[string]string) (status int) {
	t.Helper()
	body := fmt.Sprintf(`{"session_id":"s","rate_limits":{"five_hour":{"used_percentage":1,"resets_at":%d}}}`, time.Now().Add(time.Hour).Unix())
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+limits.Path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for name, value := range headers {
		switch name {
		case "":
		case "Host":
			r.Host = value
		default:
			r.Header.Set(name, value)
		}
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		t.Error(err)
	}
	return response.StatusCode
}

// The command prints a line without an answer from a daemon, and for any input.
func TestStatuslineAlone(t *testing.T) {
	p := newSandbox(t).with("NO_COLOR=1")
	hanging := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hanging }))
	defer silent.Close()
	defer close(hanging)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }))
	defer other.Close()
	open, writer, err := os.Pipe() // an input that never ends
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(open.Close(), writer.Close()); err != nil {
			t.Error(err)
		}
	}()
	for _, url := range []string{"http://" + nettest.Refused(t), silent.URL, other.URL, "vsock://x"} {
		for name, test := range map[string]struct {
			input io.Reader
			want  string
		}{
			"nothing":    {nil, "Claude Code"},
			"good":       {strings.NewReader(rateLimited("/p/s.jsonl", 25)), "Opus · 5h 25% ("},
			"garbage":    {strings.NewReader("\x1b[2J\r\n\x00\xff{"), "Claude Code"},
			"huge":       {io.LimitReader(repeated("{\"model\":"), 3<<20), "Claude Code"},
			"never ends": {open, "Claude Code"},
		} {
			if name == "never ends" && url != silent.URL {
				continue
			}
			if got := p.statusline(t, test.input, "--url="+url); !strings.HasPrefix(got, test.want) {
				t.Errorf("%s, %s: got %q, want %q", url, name, got, test.want)
			}
		}
	}
}

// While the daemon is busy, the line has the last known cost of today.
func TestStatuslineBusy(t *testing.T) {
	p := newSandbox(t).with("NO_COLOR=1", "XDG_CACHE_HOME="+filepath.Join(t.TempDir(), "new"))
	var respond atomic.Pointer[http.HandlerFunc]
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*respond.Load())(w, r) })
	server := httptest.NewServer(handler)
	defer server.Close()
	other := httptest.NewServer(handler)
	defer other.Close()
	hanging := make(chan struct{})
	defer close(hanging)
	cost := func(at time.Time, usd float64) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprintf(w, `{"time":%q,"cost_usd":%g}`, at.Format(time.RFC3339), usd)
		}
	}
	silent := func(http.ResponseWriter, *http.Request) { <-hanging }
	unavailable := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }
	later := time.Now().Add(time.Minute) // today or, around midnight, tomorrow
	for _, test := range []struct {
		name, url string
		respond   http.HandlerFunc
		want      string
	}{
		{"nothing is known", server.URL, silent, "Claude Code"},
		{"known", server.URL, cost(later, 12.35), "today $12.35"},
		{"busy", server.URL, silent, "today $12.35"},
		{"catching up", server.URL, unavailable, "today $12.35"},
		{"another daemon", other.URL, silent, "Claude Code"},
		{"gone", "http://" + nettest.Refused(t), nil, "Claude Code"},
		{"busy again", server.URL, silent, "today $12.35"},
		{"more", server.URL, cost(later, 13), "today $13.00"},
		{"busy with more", server.URL, silent, "today $13.00"},
		{"a clock of yesterday", server.URL, cost(later.Add(-25*time.Hour), 14), "today $14.00"},
		{"the next day", server.URL, silent, "Claude Code"},
	} {
		respond.Store(&test.respond)
		got := ""
		polltest.Poll(time.Millisecond, func() bool { // an answer may be late, too
			got = p.statusline(t, strings.NewReader("{}"), "--url="+test.url)
			return got == test.want
		})
		if got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// Another program on the port of the daemon cannot make the line long.
func TestStatuslineHugeCost(t *testing.T) {
	p := newSandbox(t).with("NO_COLOR=1")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"time":"2026-03-02T00:00:00Z","cost_usd":1e308}`))
	}))
	defer server.Close()
	got := ""
	if !polltest.Poll(time.Millisecond, func() bool { // the answer may be late
		got = p.statusline(t, strings.NewReader("{}"), "--url="+server.URL)
		return got == "today $1e+308"
	}) {
		t.Errorf("got %.100q", got)
	}
}

// repeated is an endless repetition of a text.
type repeated string

func (r repeated) Read(b []byte) (n int, err error) {
	for n < len(b) {
		n += copy(b[n:], r)
	}
	return n, nil
}

// The line has the width and the colors of the terminal.
func TestStatuslineTerminal(t *testing.T) {
	p := newSandbox(t)
	input := func() io.Reader { return strings.NewReader(rateLimited("/p/s.jsonl", 95)) }
	url := "--url=http://" + nettest.Refused(t)
	if got := p.statusline(t, input(), url); !strings.Contains(got, "\x1b[31m5h 95%") {
		t.Errorf("got %q, want it in red", got)
	}
	for _, env := range []string{"NO_COLOR=1", "TERM=dumb"} {
		if got := p.with(env).statusline(t, input(), url); strings.Contains(got, "\x1b") {
			t.Errorf("%s: got %q", env, got)
		}
	}
	for columns, want := range map[string]string{"10": "Opus", "x": "Opus · "} {
		if got := p.with("COLUMNS="+columns, "NO_COLOR=1").statusline(t, input(), url); !strings.HasPrefix(got, want) || columns == "10" && got != want {
			t.Errorf("%s columns: got %q", columns, got)
		}
	}
}
