package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/difftest"
	"github.com/ccwatchd/ccwatchd/test/nettest"
	"github.com/ccwatchd/ccwatchd/test/polltest"
	"github.com/ccwatchd/ccwatchd/usage"
)

// reported is a sandbox with sessions on two days, in projects with any names.
func reported(t *testing.T) sandbox {
	t.Helper()
	p := newSandbox(t)
	for i, s := range []script{
		{cwd: "/home/dev/web", at: parseTime(t, "2026-03-01T09:00:00Z")},
		{cwd: "/home/dev/日本語", at: parseTime(t, "2026-03-01T23:30:00Z")},
		{cwd: "/home/dev/\u202ered", at: parseTime(t, "2026-03-02T09:00:00Z")},
	} {
		s.session = uuid(i)
		text := s.prompt("go") + s.call(uuid(i)+"a", "Bash") + s.result(uuid(i)+"a", "done") + s.assistant(uuid(i)+"b", `"end_turn"`, 7, `{"type":"text","text":"ok"}`) + s.prompt("thanks")
		writeFile(t, filepath.Join(p.projects(), "p", s.session+".jsonl"), text)
	}
	return p
}

// report runs the command with the same arguments against a daemon and against the
// files. The output must be the same. Without a daemon, the reason is logged at debug
// level.
func (p sandbox) report(t *testing.T, d *process, args ...string) string {
	t.Helper()
	args = append([]string{"report", "--config.file=" + p.config}, args...)
	asked, stderr, code := p.run(t, append(args, "--url=http://"+d.address)...)
	if code != 0 || stderr != "" {
		t.Fatalf("%v: code %d, %s", args, code, stderr)
	}
	read, stderr, code := p.run(t, append(args, "--web.listen-address="+nettest.Refused(t))...)
	if code != 0 || stderr != "ccwatchd: no daemon is running, reading the session files\n" {
		t.Fatalf("%v: code %d, %s", args, code, stderr)
	}
	if asked != read {
		t.Errorf("%v: got from the daemon\n%s\nand from the files\n%s", args, asked, read)
	}
	return asked
}

func TestReport(t *testing.T) {
	p := reported(t).with("TZ=UTC")
	d := p.start(t).ready()
	anHourAgo := time.Now().Add(-time.Hour).UTC().Format(time.RFC3339) // the same for daemon and files
	for _, test := range []struct{ name, args string }{
		{"days", "--since=2026-03-01 --until=2026-03-31"},
		{"until", "--until=2026-03-01"},
		{"berlin", "--since=2026-03 --until=2026-03 --tz=Europe/Berlin"},
		{"months", "--by=month,project --month-start=2 --since=2026-01 --until=2026-03"},
		{"weeks", "--by=week --week-start=Sunday --since=2026-02 --until=2026-03-07"},
		{"projects", "--by=project --since=all"},
		{"tools", "--by=tool --since=all --project=web"},
		{"csv", "--by=day,project,model --since=all --csv"},
		{"json", "--by=month --since=all --until=2026-03-31 --model=claude-opus-4-6 --where=agent=main --json"},
		{"nothing", "--since=" + anHourAgo},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := p.report(t, d, strings.Fields(test.args)...)
			if test.name == "nothing" { // without the time at midnight
				got = regexp.MustCompile(`(?m)since \d{4}-\d\d-\d\d( \d\d:\d\d)?$`).ReplaceAllString(got, "since <an hour ago>")
			}
			difftest.Golden(t, filepath.Join("testdata", "report", test.name+".txt"), got)
		})
	}
}

// A daemon and the files give the same list of sessions with their usage since a time.
func TestReportSessions(t *testing.T) {
	p := reported(t).with("TZ=UTC")
	s := script{cwd: "/home/dev/night", at: parseTime(t, "2026-03-02T23:50:00Z"), session: uuid(9)}
	text := s.assistant("m1", `"end_turn"`, 7, `{"type":"text","text":"ok"}`)
	s.at = parseTime(t, "2026-03-03T00:10:00Z")
	text += s.assistant("m2", `"end_turn"`, 9, `{"type":"text","text":"ok"}`)
	writeFile(t, filepath.Join(p.projects(), "p", s.session+".jsonl"), text)
	d := p.start(t).ready()
	got := p.report(t, d, "--by=session", "--since=2026-03-02", "--project=\u202ered", "--csv")
	const head = "session,project,last_line,cost_usd,input_tokens,"
	if lines := strings.Split(got, "\n"); len(lines) != 3 || !strings.HasPrefix(lines[0], head) ||
		!strings.Contains(lines[1], `,\u202ered,2026-03-02 09:00,0.065705,6,127,100000,2000,0,2,2,1,0,0`) {
		t.Errorf("got %q", got)
	}
	table := p.report(t, d, "--by=session", "--since=all", "--project=web")
	if !strings.Contains(table, "  web  ") || strings.Contains(table, "日本語") || strings.Contains(table, "total") {
		t.Errorf("got\n%s", table)
	}
	for since, output := range map[string]string{"2026-03-02": ",16,", "2026-03-03": ",9,", "2026-03-03T00:29:00Z": ",9,"} {
		got := p.report(t, d, "--by=session", "--since="+since, "--project=night", "--csv")
		if !strings.Contains(got, ",night,2026-03-03 00:1") || !strings.Contains(got, output) {
			t.Errorf("since %s: got %s, want %s output tokens", since, got, output)
		}
	}
	for until, want := range map[string]string{"2026-03-02": ",7,", "2026-03-03": ",16,"} {
		got := p.report(t, d, "--by=session", "--since=2026-03-02", "--until="+until, "--project=night", "--csv")
		if !strings.Contains(got, want) || !strings.Contains(got, ",night,2026-03-03 00:1") {
			t.Errorf("until %s: got %s, want %s output tokens", until, got, want)
		}
	}
	if got := p.report(t, d, "--by=session", "--until=2026-03-02"); !strings.Contains(got, "by session, 2026-02-01 to 2026-03-02\n") {
		t.Errorf("got %s", got)
	}
	if got := p.report(t, d, "--by=session", "--since=2026-03-03T00:29:00Z"); !strings.Contains(got, "by session, since 2026-03-03\n") {
		t.Errorf("got %s", got)
	}
	for _, flag := range []string{"--by=day", "--model=a", "--where=a=b"} {
		if stdout, stderr, code := p.run(t, "report", "--by=session", flag); code != 2 || stdout != "" || !strings.Contains(stderr, "--by session: use it without") {
			t.Errorf("%s: code %d, %s%s", flag, code, stdout, stderr)
		}
	}
}

// --model accepts any form of a model's id.
func TestReportModel(t *testing.T) {
	p := reported(t).with("TZ=UTC")
	d := p.start(t).ready()
	want := p.report(t, d, "--since=all", "--by=model", "--model=claude-opus-4-6")
	if !strings.Contains(want, "\nopus-4-6  ") || !strings.Contains(want, "by model, model opus-4-6\n") {
		t.Errorf("got\n%s", want)
	}
	if got := p.report(t, d, "--since=all", "--by=model,model_name", "--model=claude-opus-4-6"); got != want {
		t.Errorf("by model and its name: got\n%s\nwant\n%s", got, want)
	}
	for _, id := range []string{"opus-4-6", "us.anthropic.claude-opus-4-6-v1"} {
		if got := p.report(t, d, "--since=all", "--by=model", "--model="+id); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", id, got, want)
		}
	}
}

// The error for a project or model without usage lists the projects or models with
// usage.
func TestReportUnknown(t *testing.T) {
	p := reported(t)
	d := p.start(t).ready()
	for args, want := range map[string]string{
		"--project=nope": "ccwatchd: no usage of the project nope; there is ",
		"--project=web --project=nope --by=project": "ccwatchd: no usage of the project nope; there is ",
		"--project=nope --since=all --json":         `\u202ered`,
		"--model=opus-9":                            "ccwatchd: no usage of the model opus-9; there is opus-4-6\n",
		"--by=session --project=nope":               "ccwatchd: no usage of the project nope; there is ",
	} {
		for _, target := range []string{"--url=http://" + d.address, "--web.listen-address=" + nettest.Refused(t)} {
			stdout, stderr, code := p.run(t, append([]string{"report", target, "--config.file=" + p.config}, strings.Fields(args)...)...)
			if stdout != "" || code != 1 || !strings.Contains(stderr, want) {
				t.Errorf("%s %s: code %d, %s%s", args, target, code, stdout, stderr)
			}
		}
	}
	for _, target := range []string{"--url=http://" + d.address, "--web.listen-address=" + nettest.Refused(t)} {
		for _, by := range []string{"day", "session"} { // the project has no usage in this time
			if _, stderr, code := p.run(t, "report", target, "--config.file="+p.config, "--project=web", "--since=1h", "--by="+by); code != 0 {
				t.Errorf("%s by %s: code %d, %s", target, by, code, stderr)
			}
		}
	}
}

type fixedUsage struct {
	source
	usage.Usage
}

func (u fixedUsage) usage(url.Values) (usage.Usage, error) { return u.Usage, nil }

// The most used values are listed first, and at most twenty.
func TestUnknownError(t *testing.T) {
	u := fixedUsage{}
	for n := range 22 {
		u.Rows = append(u.Rows, usage.Row{Labels: []string{strings.Repeat("p", n)}, Values: usage.Values{usage.OutputTokens: uint64(n)}})
	}
	err := checkKnown("project", "project", []string{"ppp", "x"}, u)
	if err == nil || !strings.Contains(err.Error(), "the project x; there is "+strings.Repeat("p", 21)+", ") || !strings.HasSuffix(err.Error(), "pp and 2 more") {
		t.Errorf("got %v", err)
	}
	if got := (unknownError{"model", "x", []string{""}}).Error(); got != `no usage of the model x; there is ""` {
		t.Errorf("got %s", got)
	}
}

// A word that is the name of a period or label, and no path, is a value of --by.
func TestReportWords(t *testing.T) {
	p := reported(t)
	for word, by := range map[string]string{"daily": "day", "weekly": "week", "monthly": "month", "session": "session", "project": "project"} {
		args := []string{"report", "--csv", "--since=20260301", noDaemon}
		want, _, wantCode := p.run(t, append(args, "--by="+by)...)
		stdout, stderr, code := p.run(t, append(args, word)...)
		if code != 0 || wantCode != 0 || stdout != want || !strings.Contains(stdout, "\n") {
			t.Errorf("%s: code %d, %s%s", word, code, stdout, stderr)
		}
	}
	if _, stderr, code := p.run(t, "report", "blocks"); code != 2 || !strings.Contains(stderr, `"blocks": no report has the blocks of five hours: "ccwatchd top"`) {
		t.Errorf("blocks: code %d, %s", code, stderr)
	}
	writeFile(t, filepath.Join(p.home, "daily", "a.jsonl"), "")
	if _, stderr, code := p.run(t, "report", "daily"); code != 0 {
		t.Errorf("of a directory: code %d, %s", code, stderr)
	}
}

// JSON is the answer of the API.
func TestReportJSON(t *testing.T) {
	p := reported(t).with("TZ=UTC")
	d := p.start(t).ready()
	var got, want usage.Usage
	stdout := p.report(t, d, "--json", "--by=project", "--since=all")
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(d.page("/api/v1/usage?by=project&tz=UTC")), &want); err != nil {
		t.Fatal(err)
	}
	a, err1 := json.Marshal(got)
	b, err2 := json.Marshal(want)
	if err1 != nil || err2 != nil || !bytes.Equal(a, b) || len(got.Rows) != 3 {
		t.Errorf("got %s, want %s", a, b)
	}
}

// Invalid arguments have the exit code 2, with and without a daemon.
func TestReportRefuses(t *testing.T) {
	p := reported(t)
	d := p.start(t).ready()
	for args, want := range map[string]string{
		"--since=sometime":             `--since: "sometime": expected a time such as 2026-01-31T15:04:05Z, a date`,
		"--since=today --until=2d":     `--since must be before until`,
		"--tz=Mars":                    `--tz: "Mars": expected a time zone such as Europe/Berlin, UTC or +05:30`,
		"--by=day,week":                `--by: more than one period`,
		"--by=week --week-start=noon":  `--week-start: weeks cannot begin on "noon"`,
		"--by=month --month-start=31":  `--month-start: months cannot begin on "31": use one of 1 to 28`,
		"--by=week --month-start=7":    `--week-start is for --by week, and --month-start for --by month`,
		"--week-start=sunday":          `--week-start is for --by week`,
		"--by=color":                   `unknown label "color": use one of agent, `,
		"--where=color=red --by=tool":  `unknown label "color": use one of agent, `,
		"--where=red":                  `--where: "red": expected LABEL=VALUE`,
		"--where=tz=Asia/Tokyo":        `--where: "tz=Asia/Tokyo": a label with the name of a parameter`,
		"--by=model,tool":              `no metric has the labels model_name and tool`,
		"--by=user,session":            `--by session: use it without other names`,
		"--by=session --month-start=2": `--by session: use it without other names`,
		"--by=session --since=no":      `--since: "no": expected a time`,
		"--by=session --tz=Mars":       `--tz: "Mars": expected a time zone such as Europe/Berlin, UTC or +05:30`,
		"--csv --json":                 `--json and --csv are mutually exclusive`,
	} {
		for _, target := range []string{"--url=http://" + d.address, "--web.listen-address=" + nettest.Refused(t)} {
			stdout, stderr, code := p.run(t, append([]string{"report", target, "--config.file=" + p.config}, strings.Fields(args)...)...)
			if stdout != "" || code != 2 || !strings.Contains(stderr, "\nccwatchd: "+want) && !strings.HasPrefix(stderr, "ccwatchd: "+want) {
				t.Errorf("%s %s: code %d, %s%s", args, target, code, stdout, stderr)
			}
		}
	}
}

// Without an answer, the files are read, unless an address is given or a daemon
// requires a password.
func TestReportWithoutAnswer(t *testing.T) {
	p := reported(t)
	locked := p.with("HOME=" + t.TempDir())
	writeFile(t, filepath.Join(p.home, "web.yml"), users)
	password := locked.start(t, "--web.config.file="+filepath.Join(p.home, "web.yml"))
	off := p
	off.config, off.state = filepath.Join(t.TempDir(), "c.yml"), t.TempDir()
	off.configure(t, "history: off\n")
	recordsNothing := off.start(t).ready()
	catchingUp := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "ccwatchd is catching up: 3 of 12 files, 25 % of 1 MB read.", http.StatusServiceUnavailable)
	}))
	defer catchingUp.Close()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }))
	defer other.Close()
	empty := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer empty.Close()
	list := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("[1]")) }))
	defer list.Close()
	older := httptest.NewServer(http.NotFoundHandler())
	defer older.Close()
	for address, reason := range map[string]string{
		nettest.Refused(t):                  "connection refused",
		recordsNothing.address:              "no history is recorded",
		catchingUp.Listener.Addr().String(): "ccwatchd is catching up: 3 of 12 files",
		other.Listener.Addr().String():      "does not answer as ccwatchd",
		empty.Listener.Addr().String():      "does not answer as ccwatchd",
		list.Listener.Addr().String():       "does not answer as ccwatchd",
		older.Listener.Addr().String():      "responds with status 404",
	} {
		stdout, stderr, code := p.run(t, "report", "--log.level=debug", "--config.file="+p.config, "--web.listen-address="+address, "--by=project", "--since=all")
		if code != 0 || !strings.Contains(stdout, "\ntotal ") || !strings.Contains(stderr, "reading the session files") || !strings.Contains(stderr, reason) {
			t.Errorf("%s: code %d, %s%s", reason, code, stdout, stderr)
		}
		stdout, stderr, code = p.run(t, "report", "--url=http://"+address)
		if code != 1 || stdout != "" || !strings.Contains(stderr, reason) {
			t.Errorf("%s, with --url: code %d, %s%s", reason, code, stdout, stderr)
		}
	}
	stdout, stderr, code := p.run(t, "report", "--config.file="+p.config, "--web.listen-address="+password.address)
	if code != 1 || stdout != "" || !strings.Contains(stderr, "requires a password") {
		t.Errorf("with a password: code %d, %s%s", code, stdout, stderr)
	}
}

// With paths, the files are read and no daemon is asked.
func TestReportReadsPaths(t *testing.T) {
	p := reported(t)
	empty := newSandbox(t)
	stdout, stderr, code := empty.run(t, "report", "--since=all", "--by=total", p.projects())
	if code != 0 || !strings.Contains(stdout, "\ntotal ") || stderr != "" {
		t.Errorf("code %d, %s%s", code, stdout, stderr)
	}
	stdout, stderr, code = empty.run(t, "report", empty.projects())
	if code != 0 || !strings.Contains(stdout, "\nNo usage in this time.\n") || stderr != "ccwatchd: no sessions found in "+empty.projects()+"\n" {
		t.Errorf("code %d, %s%s", code, stdout, stderr)
	}
	stdout, stderr, code = empty.run(t, "report", empty.projects()+"/none")
	if code != 1 || stdout != "" || !strings.Contains(stderr, "none: ") {
		t.Errorf("code %d, %s%s", code, stdout, stderr)
	}
}

// A running daemon includes newly written lines.
func TestReportIsCurrent(t *testing.T) {
	p := newSandbox(t).atNoon()
	d := p.start(t).ready()
	s := p.newSession(t, "app")
	s.prompts(3)
	polltest.Eventually(t, "the report has the prompts", func() bool {
		stdout, _, code := p.run(t, "report", "--url=http://"+d.address, "--json", "--since=today")
		return code == 0 && strings.Contains(stdout, `"prompts": 3`)
	})
}

func parseTime(t *testing.T, text string) time.Time {
	t.Helper()
	when, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return when
}

// A report that ends in the future covers the time until now.
func TestLast(t *testing.T) {
	now := parseTime(t, "2026-03-02T12:00:00Z")
	for _, test := range []struct{ until, want time.Time }{
		{time.Time{}, now}, {now.Add(time.Hour), now}, {now.Add(-time.Hour), now.Add(-time.Hour - time.Nanosecond)},
	} {
		if got := last(usage.Query{Until: test.until}, now); !got.Equal(test.want) {
			t.Errorf("until %v: got %v, want %v", test.until, got, test.want)
		}
	}
}

// Lines without a usable time are of the day of the lines before them, or of the day
// when their file was modified: not of today.
func TestReportUnusableTimes(t *testing.T) {
	p := newSandbox(t).with("TZ=UTC")
	modified := parseTime(t, "2026-03-09T12:00:00Z")
	for name, stamps := range map[string][]string{
		"a": {`"2026-03-01T10:00:00.000Z"`, `"1970-01-01T00:00:00.000Z"`, `"2099-01-01T00:00:00.000Z"`, `null`},
		"b": {`null`, `"yesterday"`},
	} {
		var text strings.Builder
		for i, stamp := range stamps {
			id := strconv.Itoa(i)
			text.WriteString(`{"type":"assistant","sessionId":"` + name + `","cwd":"/home/dev/web","uuid":"` + name + id + `","timestamp":` + stamp +
				`,"message":{"id":"msg_` + strings.Repeat(name, 20) + id + `","model":"claude-opus-5","stop_reason":"end_turn","usage":{"output_tokens":1000}}}` + "\n")
		}
		path := filepath.Join(p.projects(), "p", name+".jsonl")
		writeFile(t, path, text.String())
		if err := os.Chtimes(path, modified, modified); err != nil {
			t.Fatal(err)
		}
	}
	d := p.start(t).ready()
	got := p.report(t, d, "--since=all", "--by=day", "--csv")
	if !strings.Contains(got, "\n2026-03-01T00:00:00Z,0.1,0,4000,") || !strings.Contains(got, "\n2026-03-09T00:00:00Z,0.05,0,2000,") || strings.Count(got, "\n") != 3 {
		t.Errorf("got\n%s", got)
	}
}
