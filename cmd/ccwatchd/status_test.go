package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/ccwatchd/ccwatchd/internal/status"
	"github.com/ccwatchd/ccwatchd/internal/statusclient"
	"github.com/ccwatchd/ccwatchd/test/nettest"
	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// TestClientCommands runs healthcheck and status against daemons in all states.
func TestClientCommands(t *testing.T) {
	unready := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/-/healthy":
		case "/-/status":
			_, _ = w.Write([]byte(`{"pid":7,"files":3,"files_total":12,"percent":25}`))
		default:
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer unready.Close()
	paused := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"pid":7,"ready":true,"problems":["one","two"],"folded_labels":["project","tool"],"prices_updated":"2026-02-28","directories":[{"path":"/p","skipped_links":2,"compressed_files":3}],"last_error":{"time":"2026-03-01T12:00:00Z","text":"no space"}}`))
	}))
	defer paused.Close()
	p := newSandbox(t)
	d := p.start(t).ready()
	closed := "http://" + nettest.Refused(t)
	for _, test := range []struct {
		args           string
		code           int
		stdout, stderr string
	}{
		{"healthcheck --web.listen-address=" + d.address, 0, "", ""},
		{"healthcheck --ready --url=http://" + d.address, 0, "", ""},
		{"healthcheck --url " + unready.URL, 0, "", ""},
		{"healthcheck --ready --url " + unready.URL, 1, "", "responds with status 503"},
		{"healthcheck --url=" + closed, 1, "", "connection refused"},
		{"healthcheck --url=:", 1, "", "no Host in request URL"},
		{"healthcheck --url=" + d.address, 0, "", ""},
		{"status --web.listen-address=" + d.address, 0, "state         ready\npage          http://" + d.address + "/\nmetrics       http://" + d.address + "/metrics\nversion ", ""},
		{"status --url=http://" + d.address, 0, "\npid           " + strconv.Itoa(d.cmd.Process.Pid) + "\nuser          " + status.CurrentUser() +
			"\ndirectory     " + p.projects() + "\n", ""},
		{"status --url=http://" + d.address, 0, "\nfiles         0\nsessions      0\nbacklog       0 bytes\n", ""},
		{"status --url=" + unready.URL, 0, "state         catching up, 25 %\n", ""},
		{"status --url=" + unready.URL, 0, "\nfiles         3 of 12\n", ""},
		{"status --url=" + paused.URL, 1, "state         ready, with problems\nproblem       one\nproblem       two\n", ""},
		{"status --url=" + paused.URL, 1, "\ndirectory     /p\nlinks         2 in it are not followed; ccwatchd_skipped_links has the reasons\ncompressed    3 files in it are left aside: ccwatchd once, report and backfill read them\n", ""},
		{"status --url=" + paused.URL, 1, "\nprices        of 2026-02-28\nfolded        some values of project, tool are \"other\" in /metrics", ""},
		{"status --url=http://" + d.address, 0, "\nprices        of 20", ""},
		{"status --url=" + paused.URL, 1, "\nlast error    no space, 2026-03-01T12:00:00Z\n", ""},
		{"status --url=" + paused.URL + " --json", 1, "\n  \"problems\": [\n    \"one\",\n", ""},
		{"status --url=" + closed, 1, "", "no daemon answers at " + closed + ": connection refused: start it with \"ccwatchd\", or give its address with --url"},
		{"status --url=" + closed + " --json", 1, "", "connection refused"},
	} {
		stdout, stderr, code := p.run(t, strings.Fields(test.args)...)
		if code != test.code || !strings.Contains(stderr, test.stderr) || !strings.Contains(stdout, test.stdout) ||
			(stdout == "") != (test.stdout == "") || (stderr == "") != (test.stderr == "") {
			t.Errorf("%s: code %d, stdout %q, stderr %q", test.args, code, stdout, stderr)
		}
	}
	stdout, _, _ := p.run(t, "status", "--json", "--url=http://"+d.address)
	var state status.Status
	if err := json.Unmarshal([]byte(stdout), &state); err != nil || !state.Ready || state.PID != d.cmd.Process.Pid {
		t.Errorf("status --json: %v: %s", err, stdout)
	}
}

// The status has the usage of today, the limits, and the labels with too many values.
func TestStatusToday(t *testing.T) {
	p := newSandbox(t).atNoon()
	p.configure(t, "labels: {max_values: {project: 1}}\nstatusline: {accept_limits: true}\n")
	for i, project := range []string{"web", "app"} {
		s := p.newSession(t, project)
		s.session = uuid(i + 1)
		appendFile(t, strings.ReplaceAll(s.path, uuid(1), s.session), s.prompt("go")+s.call(s.session, "Bash"))
	}
	d := p.start(t).ready()
	shown := func() string {
		stdout, stderr, code := p.run(t, "status", "--url=http://"+d.address)
		if code != 0 {
			t.Fatalf("code %d: %s", code, stderr)
		}
		return stdout
	}
	for _, want := range []string{"\ntoday         $0.07  102k tokens  2 requests\nlimit         5h block $0.07 (", "\nfolded        some values of project are "} {
		if got := shown(); !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if got, want := shown(), "\nsettings.json "+statuslineSetting+"\n"; !strings.Contains(got, want) {
		t.Errorf("%q is missing in\n%s", want, got)
	}
	if code := postLimits(t, d.address, nil); code != http.StatusNoContent {
		t.Fatalf("got code %d", code)
	}
	if got, want := shown(), "\nlimit         5h 1% ("; !strings.Contains(got, want) || strings.Contains(got, "block") || strings.Contains(got, "settings.json") {
		t.Errorf("%q is missing in\n%s", want, got)
	}
}

// The status has the last error that was logged.
func TestStatusHasLastError(t *testing.T) {
	skipOnWindows(t)
	p := newSandbox(t)
	d := p.start(t).ready()
	client := statusclient.New("http://" + d.address)
	s, err := client.Status(t.Context())
	if err != nil || !s.Ready || s.PID != d.cmd.Process.Pid || s.LastError != nil {
		t.Errorf("got %+v, %v", s, err)
	}
	p.configure(t, "nonsense: 1\n")
	d.signal(syscall.SIGHUP)
	polltest.Eventually(t, "the status has the error", func() bool {
		s, err := client.Status(t.Context())
		return err == nil && s.LastError != nil && strings.Contains(s.LastError.Text, "nonsense")
	})
}

// Without a terminal a daemon prints nothing to standard output.
func TestWelcomeOnlyInTerminal(t *testing.T) {
	p := newSandbox(t)
	var stdout polltest.Buffer
	d := p.daemon(t)
	d.cmd.Stdout = &stdout
	d.run().listens().ready().kill()
	if got := stdout.String(); got != "" {
		t.Errorf("got stdout %q, want none", got)
	}
	regular, err := os.Create(p.home + "/stdout")
	if err != nil {
		t.Fatal(err)
	}
	if isTerminal(regular) || isTerminal(new(bytes.Buffer)) {
		t.Error("a file or a buffer counts as a terminal")
	}
	if err := regular.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestListenerTarget(t *testing.T) {
	for _, test := range []struct{ flags, listener, want string }{
		{"run", "127.0.0.1:10229", "localhost:10229"},
		{"--web.listen-address=:9999 run", "[::]:9999", "localhost:9999"},
		{"--web.listen-address=laptop:80 --web.listen-address=127.0.0.1:81 run", "127.0.0.1:81", "127.0.0.1:81"},
		{"--web.listen-address=127.0.0.1:0 run", "127.0.0.1:4711", "127.0.0.1:4711"},
	} {
		if got := parsed(t, strings.Fields(test.flags)...).target(test.listener); got != test.want {
			t.Errorf("%s: got %s, want %s", test.flags, got, test.want)
		}
	}
}

func TestWelcome(t *testing.T) {
	const want = `page          https://localhost:9999/
metrics       https://localhost:9999/metrics
settings.json {"statusLine": {"type": "command", "command": "ccwatchd statusline"}}
next: ccwatchd service install, to keep it running; ccwatchd --help lists all commands
`
	var got strings.Builder
	if printWelcome(&got, "https://localhost:9999"); got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
}
