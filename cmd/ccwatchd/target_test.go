package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/status"
	"github.com/ccwatchd/ccwatchd/test/nettest"
	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// Commands find the daemon that uses the state directory, on any port, and remember
// with it what was deleted. --web.listen-address and --url name another one.
func TestCommandsFindDaemon(t *testing.T) {
	p := newSandbox(t).atNoon()
	s := script{session: uuid(1), cwd: "/home/dev/web", at: time.Now()}
	file := filepath.Join(p.projects(), "p", s.session+".jsonl")
	writeFile(t, file, s.prompt("go")+s.assistant(uuid(2), `"end_turn"`, 7, `{"type":"text","text":"ok"}`))
	d := p.start(t).ready()
	removeFile(t, file)
	for _, command := range []string{"status", "report --json --by=total --since=all", "top --once", "healthcheck", "backfill --dry-run"} {
		stdout, stderr, code := p.run(t, strings.Fields(command+" --state.dir="+p.state)...)
		if code != 0 || strings.Contains(stderr, "no daemon") {
			t.Errorf("%s: code %d, %s%s", command, code, stdout, stderr)
		}
		if want := "taking the history of your daemon (url http://" + d.address + ")\n"; strings.HasPrefix(command, "backfill") && !strings.Contains(stderr, want) {
			t.Errorf("%s: got %s", command, stderr)
		}
		if strings.HasPrefix(command, "report") && !strings.Contains(stdout, `"requests": 1`) {
			t.Errorf("%s: the deleted session is missing in %s", command, stdout)
		}
	}
	for _, flag := range []string{"--url=http://" + nettest.Refused(t), "--web.listen-address=" + nettest.Refused(t)} {
		if _, stderr, code := p.run(t, "status", "--state.dir="+p.state, flag); code != 1 || !strings.Contains(stderr, "connection refused") {
			t.Errorf("status %s: code %d, %s", flag, code, stderr)
		}
	}
	polltest.Eventually(t, "the status line has the cost of today", func() bool {
		return strings.Contains(p.statusline(t, strings.NewReader("{}"), "--state.dir="+p.state), "today $")
	})
}

// Without an own daemon, commands accept a system service, but not the daemon of
// another user or, for the history, of another state.
func TestDaemonOfOtherUser(t *testing.T) {
	for _, test := range []struct {
		user             string
		uses, backfills  bool
		report, backfill string // in stderr
	}{
		{"ccwatchd", true, true, "", "taking the history of a daemon of the user ccwatchd, which reads /home/*"},
		{"mallory", false, false, "is of the user mallory: add --url=", "--url=URL to use the one there, a daemon of the user mallory, which reads /home/*, or --state.dir"},
		{"", true, false, "", "a daemon of an unknown user"},
		{status.CurrentUser(), true, status.IsService(status.CurrentUser()), "", "a daemon of the user " + status.CurrentUser()},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			text := `{"step":"total","rows":[{}]}`
			if r.URL.Path == "/-/status" {
				text = `{"pid":1,"user":"` + test.user + `","directories":[{"path":"/home/*"}]}`
			}
			_, _ = w.Write([]byte(text))
		}))
		c := parsed(t, "report")
		c.stateDir, *c.web.WebListenAddresses = t.TempDir(), []string{server.Listener.Addr().String()}
		var daemon target
		client, err := daemon.find(t.Context(), c)
		if (err == nil) != test.uses || err != nil && !strings.Contains(err.Error(), test.report) {
			t.Errorf("%q: find returned %v", test.user, err)
		}
		owner, err := daemon.owner(t.Context(), c, client)
		text := owner
		if err != nil {
			text = strings.ReplaceAll(err.Error(), server.URL, "URL")
		}
		if (err == nil) != test.backfills || !strings.Contains("taking the history of "+text, test.backfill) {
			t.Errorf("%q: owner returned %q, %v", test.user, owner, err)
		}
		daemon.url = server.URL
		if _, err = daemon.find(t.Context(), c); err != nil {
			t.Errorf("%q, with --url: find returned %v", test.user, err)
		}
		if _, err = daemon.owner(t.Context(), c, client); err != nil {
			t.Errorf("%q, with --url: owner returned %v", test.user, err)
		}
		server.Close()
	}
}

// A killed daemon leaves its address. Commands ignore it, even if another program has
// taken the port, and read the session files.
func TestAddressOfKilledDaemon(t *testing.T) {
	p := newSandbox(t)
	p.writeSession(t)
	p.start(t).ready().kill()
	file := filepath.Join(p.state, "address.json")
	left, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c := newCommand(p.getenv)
	if _, err := c.app.Parse([]string{"report", "--state.dir=" + p.state}); err != nil {
		t.Fatal(err)
	}
	*c.web.WebListenAddresses = []string{nettest.Refused(t)}
	for name, answer := range map[string]string{"no program": "", "not HTTP": "220 ready\r\n", "a password": "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"} {
		if answer != "" {
			var own map[string]string
			if err := json.Unmarshal(left, &own); err != nil {
				t.Fatal(err)
			}
			writeFile(t, file, `{"url":"http://`+otherProgram(t, answer)+`","instance":"`+own["instance"]+`"}`)
		}
		var out, stderr bytes.Buffer
		r := reportCommand{by: []string{"total"}, since: "all", asJSON: true}
		code, err := r.run(c, &out, c.logger(&stderr), time.Now())
		if code != 0 || err != nil || !strings.Contains(out.String(), `"requests": 1`) || !strings.Contains(stderr.String(), "no daemon is running, reading the session files") {
			t.Errorf("%s: code %d, %v, %s%s", name, code, err, &out, &stderr)
		}
	}
	d := p.start(t).ready()
	if s, err := (&target{}).client(c).Status(t.Context()); err != nil || s.PID != d.cmd.Process.Pid {
		t.Errorf("got %+v, %v", s, err)
	}
	d.stop()
	if client := (&target{}).client(c); client.HasInstance() {
		t.Error("the stopped daemon left its address")
	}
}

// otherProgram returns the address of a server with the same answer to all requests.
func otherProgram(t *testing.T, answer string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		connection, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_, _ = io.WriteString(connection, answer)
			_ = connection.Close()
		}
	}))
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// The history has the label instance of the daemon that answers, not of an address
// without this daemon.
func TestBackfillInstance(t *testing.T) {
	serve := func(instance string) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(status.InstanceHeader, instance)
			_, _ = io.WriteString(w, `{"pid":1}`)
		}))
		t.Cleanup(server.Close)
		return server.Listener.Addr().String()
	}
	own, other, closed := serve("own"), serve("other"), nettest.Refused(t)
	for _, test := range []struct{ recorded, listens, want string }{
		{own, other, own},
		{other, own, own},
		{closed, other, other},
		{closed, closed, closed},
	} {
		c := parsed(t, "backfill")
		c.stateDir, *c.web.WebListenAddresses = t.TempDir(), []string{test.listens}
		writeFile(t, filepath.Join(c.stateDir, "address.json"), `{"url":"http://`+test.recorded+`","instance":"own"}`)
		b := backfillCommand{client: (&target{}).client(c)}
		e, err := c.backfillEndpoint(t.Context(), &b)
		if err != nil || e.Labels["instance"] != test.want {
			t.Errorf("%v: got %v, %v", test, e.Labels, err)
		}
	}
}

// A report without any session states where the daemon looks.
func TestReportWithoutSessions(t *testing.T) {
	p := newSandbox(t)
	d := p.start(t).ready()
	want := "he daemon at http://" + d.address + " has found no sessions in " + p.projects() + ", "
	for _, command := range []string{"report", "report --by=session", "top --once"} {
		stdout, stderr, code := p.run(t, append(strings.Fields(command), "--state.dir="+p.state)...)
		if code != 0 || !strings.Contains(stdout+stderr, want) {
			t.Errorf("%s: code %d, %s%s", command, code, stdout, stderr)
		}
	}
}
