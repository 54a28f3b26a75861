package main

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/usage/api"
	"github.com/ccwatchd/ccwatchd/usage/backfill"
)

// writeSession writes a session from three hours ago.
func (p sandbox) writeSession(t *testing.T) {
	t.Helper()
	s := transcripttest.Session{ID: "s", CWD: "/src/web", Start: time.Now().Add(-3 * time.Hour)}
	s.Prompt("go").Reply(transcripttest.Reply{ID: "m", In: 7, Stop: "end_turn"})
	transcripttest.Tree{"web/s.jsonl": s.String()}.Write(t, p.projects())
}

// inputTokens returns the labels and the last value of the input tokens in a history.
func inputTokens(history string) (found string) {
	sample := regexp.MustCompile(`(?m)^claude_tokens_total(\{.*type="input".*\} \S+) \S+$`)
	for _, match := range sample.FindAllStringSubmatch(history, -1) {
		found = match[1]
	}
	return found
}

const (
	homeTokens = `{agent="main",instance="localhost:10229",job="ccwatchd",model="opus",project="web",type="input"} 7`
	noDaemon   = "--web.listen-address=127.0.0.1:1"
)

// The history comes from the daemon, whose address is the label instance.
func TestBackfillOfDaemon(t *testing.T) {
	p := newRaceSandbox(t)
	p.writeSession(t)
	d := p.start(t).ready()
	want := strings.Replace(homeTokens, "localhost:10229", d.address, 1)
	for _, address := range []string{"--url=http://" + d.address, "--web.listen-address=" + d.address} {
		stdout, stderr, code := p.run(t, "backfill", address)
		if got := inputTokens(stdout); code != 0 || got != want || !strings.HasSuffix(stdout, "\n# EOF\n") || strings.Contains(stderr, "no daemon") {
			t.Errorf("%s: code %d, got %s, want %s; %s", address, code, got, want, stderr)
		}
	}
	file := filepath.Join(p.home, "history.om")
	stdout, _, code := p.run(t, "backfill", "--url="+d.address, "--output="+file, "--label=instance=laptop", "--label=job=", "--label=team=x")
	info, err := os.Stat(file)
	written, readErr := os.ReadFile(file)
	next := "\n  promtool tsdb create-blocks-from openmetrics --max-block-duration=720h " + file + " DATA\n"
	if err = errors.Join(err, readErr); err != nil || code != 0 || !strings.Contains(stdout, next) || info.Mode().Perm()&0o077 != 0 {
		t.Fatalf("code %d, %v, %v, %q", code, err, info, stdout)
	}
	const labelled = `{agent="main",instance="laptop",model="opus",project="web",team="x",type="input"} 7`
	if got := inputTokens(string(written)); got != labelled {
		t.Errorf("got %s, want %s", got, labelled)
	}
}

// Without a daemon the session files are read, unless a daemon would continue.
func TestBackfillOfFiles(t *testing.T) {
	p := newSandbox(t)
	p.writeSession(t)
	stdout, stderr, code := p.run(t, "backfill", noDaemon)
	if got := inputTokens(stdout); code != 0 || got != strings.Replace(homeTokens, "localhost:10229", "127.0.0.1:1", 1) ||
		!strings.Contains(stderr, "ccwatchd: no daemon is running, reading the session files\n") {
		t.Errorf("code %d, got %s; %s", code, got, stderr)
	}
	p.configure(t, "history: off\n")
	stdout, stderr, code = p.run(t, "backfill", noDaemon, "--config.file="+p.config, p.projects())
	if got := inputTokens(stdout); code != 0 || !strings.HasSuffix(got, " 7") || strings.Contains(stderr, "no daemon") {
		t.Errorf("with a path: code %d, got %s; %s", code, got, stderr)
	}
	writeFile(t, filepath.Join(p.state, "state"), "anything")
	_, stderr, code = p.run(t, "backfill", noDaemon, "--state.dir="+p.state)
	if code != 1 || !strings.Contains(stderr, p.state+" has a state: start the daemon, so that the history ends where its counters began, or give --until") {
		t.Errorf("with a state: code %d, %s", code, stderr)
	}
	stdout, stderr, code = p.run(t, "backfill", noDaemon, "--state.dir="+p.state, "--until=1h")
	if code != 0 || !strings.HasSuffix(inputTokens(stdout), " 7") {
		t.Errorf("with a state and --until: code %d, %s", code, stderr)
	}
}

// A file repeats a series for an hour after it grew. With --to, series always repeat.
func TestBackfillIdle(t *testing.T) {
	p := newSandbox(t)
	p.writeSession(t)
	samples := func(args ...string) string {
		stdout, stderr, code := p.run(t, append([]string{"backfill", noDaemon, "--dry-run"}, args...)...)
		if code != 0 {
			t.Fatalf("code %d: %s", code, stderr)
		}
		return regexp.MustCompile(`samples +(\d+)`).FindStringSubmatch(stdout)[1]
	}
	file, always := samples(), samples("--idle=0s")
	if file == always || samples("--idle=1h") != file {
		t.Errorf("a file has %s samples, and %s if they are repeated always", file, always)
	}
	to := "--to=http://127.0.0.1:1"
	if got := samples(to); got != always || samples(to, "--idle=1h") != file {
		t.Errorf("got %s samples with --to, want %s", got, always)
	}
}

// Writing more than 1 GB requires --force.
func TestBackfillSize(t *testing.T) {
	small, large := int64(maxSize), int64(maxSize+1)
	for _, test := range []struct {
		b          backfillCommand
		file, send int64
		refused    bool
	}{
		{backfillCommand{}, small, large, false},
		{backfillCommand{}, large, small, true},
		{backfillCommand{force: true}, large, large, false},
		{backfillCommand{to: "there"}, large, small, false},
		{backfillCommand{to: "there"}, small, large, true},
	} {
		err := test.b.checkSize(&backfill.Plan{FileSize: test.file, SendSize: test.send})
		if got := err != nil; got != test.refused {
			t.Errorf("%+v: got %v", test, err)
		}
	}
	p := newSandbox(t)
	s := transcripttest.Session{ID: "s", CWD: "/src/web", Start: time.Now().Add(-400 * 24 * time.Hour)}
	s.Prompt("go").Reply(transcripttest.Reply{ID: "m", In: 7, Stop: "end_turn"})
	transcripttest.Tree{"web/s.jsonl": s.String()}.Write(t, p.projects())
	file := filepath.Join(p.home, "history.om")
	_, stderr, code := p.run(t, "backfill", noDaemon, "--idle=0s", "--step=1m", "--output="+file)
	if _, err := os.Stat(file); code != 1 || !errors.Is(err, fs.ErrNotExist) || !strings.Contains(stderr, "GB: a later --since or a longer --step") {
		t.Errorf("code %d, %v; %s", code, err, stderr)
	}
}

// The size of the requests is logged first. If the server has no receiver enabled, the
// error names the flag.
func TestBackfillNotFound(t *testing.T) {
	p := newSandbox(t)
	p.writeSession(t)
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	stdout, stderr, code := p.run(t, "backfill", noDaemon, "--to="+server.URL)
	for _, want := range []string{"writing the history (", "size about ", "--web.enable-remote-write-receiver: server returned HTTP status 404"} {
		if code != 1 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("code %d, got %s%s, want %s", code, stdout, stderr, want)
		}
	}
	stdout, stderr, code = p.run(t, "backfill", noDaemon, "--to="+server.URL, "--dry-run")
	if code != 0 || !regexp.MustCompile(`\nrequests {3}about \d+ .*B before compression\n`).MatchString(stdout) {
		t.Errorf("code %d, %s%s", code, stdout, stderr)
	}
}

// A remote write of the configuration is found by its name or its URL, and its labels
// and password are used.
func TestBackfillTo(t *testing.T) {
	p := newSandbox(t)
	p.writeSession(t)
	var requests, refusals atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "ann" || password != "hush" {
			refusals.Add(1)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		requests.Add(1)
	}))
	defer server.Close()
	p.configure(t, "remote_write: [{name: there, url: "+server.URL+", basic_auth: {username: ann, password: hush}}]\n")
	for _, to := range []string{"there", server.URL} {
		before := requests.Load()
		stdout, stderr, code := p.run(t, "backfill", noDaemon, "--config.file="+p.config, "--to="+to)
		if code != 0 || requests.Load() == before || stdout != "" {
			t.Errorf("%s: code %d, %d requests, %q; %s", to, code, requests.Load(), stdout, stderr)
		}
	}
	_, stderr, code := p.run(t, "backfill", noDaemon, "--to="+server.URL)
	if code != 1 || refusals.Load() != 1 || !strings.Contains(stderr, "401 Unauthorized") {
		t.Errorf("without a password: code %d, %d requests; %s", code, refusals.Load(), stderr)
	}
}

// If a server refuses the samples, the error states how it may accept them, but not if
// the password is wrong.
func TestBackfillRefused(t *testing.T) {
	p := newSandbox(t)
	p.writeSession(t)
	for status, want := range map[int]bool{
		http.StatusBadRequest: true, http.StatusConflict: true, http.StatusUnprocessableEntity: true,
		http.StatusUnauthorized: false, http.StatusForbidden: false, http.StatusNotFound: false,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		_, stderr, code := p.run(t, "backfill", noDaemon, "--to="+server.URL)
		server.Close()
		if code != 1 || !strings.Contains(stderr, http.StatusText(status)) || strings.Contains(stderr, errRefused.Error()) != want {
			t.Errorf("%d: code %d, %s", status, code, stderr)
		}
	}
}

// With a marker nothing is written again. A run without a history creates no marker, so
// that a later run can write.
func TestBackfillMarker(t *testing.T) {
	p := newSandbox(t)
	marker := filepath.Join(p.home, "marker")
	stdout, stderr, code := p.run(t, "backfill", noDaemon, "--marker="+marker)
	if _, err := os.Stat(marker); code != 0 || stdout != "" || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without sessions: code %d, got %q and %v; %s", code, stdout, err, stderr)
	}
	p.writeSession(t)
	for _, want := range []bool{true, false} {
		stdout, stderr, code := p.run(t, "backfill", noDaemon, "--marker="+marker)
		if code != 0 || (inputTokens(stdout) != "") != want {
			t.Errorf("code %d, got %q; %s", code, stdout, stderr)
		}
	}
}

func TestBackfillInvocations(t *testing.T) {
	const planned = `^series +0\nsamples +0, one every 10m0s\nuntil +\S+\nfile +about \d bytes\n$`
	const read = "no daemon is running, reading the session files\nno sessions found in <home>.*\n"
	checkAll(t, sandbox.run, []invocation{
		{args: "backfill --dry-run --step=10m " + noDaemon, stdout: planned, stderr: strings.TrimSuffix(read, "\n")},
		{args: "backfill " + noDaemon, stdout: "^$", stderr: read + "there is no history before the end: see --until"},
		{args: "backfill --output=a --to=http://b", code: 2, stderr: "give either --output or --to"},
		{args: "backfill --to=b", code: 2, stderr: `--to: "b": neither a URL nor the name of an entry of remote_write`},
		{args: "backfill --since=sometime", code: 2, stderr: `--since: "sometime": expected a time such as .*`},
		{args: "backfill --until=1", code: 2, stderr: `--until: "1": expected a time such as .*`},
		{args: "backfill --until=all " + noDaemon, code: 2, stderr: "--until: give a time, or no --until for the first start of the daemon"},
		{args: "backfill --until=2100-01-01 " + noDaemon, code: 2, stderr: read + "until must not be in the future: .*"},
		{args: "backfill --step=0s " + noDaemon, code: 2, stderr: read + "the step must be at least a second, and whole seconds"},
		{args: "backfill --since=1h --until=2h " + noDaemon, code: 2, stderr: read + "since must be before until"},
		{args: "backfill --url=http://127.0.0.1:1", code: 1, stderr: "no daemon answers at http://127.0.0.1:1: .*"},
		{args: "backfill --output=<dir>/missing/a --label=x " + noDaemon, code: 2, stderr: ".*expected KEY=VALUE.*"},
	})
}

// A daemon with a password is not replaced by its files.
func TestBackfillPassword(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	defer server.Close()
	p := newSandbox(t)
	p.writeSession(t)
	_, stderr, code := p.run(t, "backfill", "--web.listen-address="+server.Listener.Addr().String())
	if code != 1 || !strings.Contains(stderr, "requires a password") {
		t.Errorf("code %d: %s", code, stderr)
	}
}

// Times have the same form as in a report, and today ends now.
func TestBackfillTimes(t *testing.T) {
	now := time.Date(2026, 11, 20, 10, 7, 0, 0, time.UTC)
	for _, test := range []struct{ since, until, wantSince, wantUntil string }{
		{"2026-10", "2026-10", "2026-10-01T00:00:00Z", "2026-11-01T00:00:00Z"},
		{"2026-11-01", "yesterday", "2026-11-01T00:00:00Z", "2026-11-20T00:00:00Z"},
		{"7d", "today", "2026-11-14T00:00:00Z", "2026-11-20T10:07:00Z"},
		{"12h", "2026-11-20T09:01:02Z", "2026-11-19T22:05:00Z", "2026-11-20T09:01:02Z"},
		{"all", "2026-11-21T00:00:00Z", "0001-01-01T00:00:00Z", "2026-11-21T00:00:00Z"}, // refused later
		{"", "", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"},
	} {
		o, err := (&backfillCommand{since: test.since, until: test.until}).options(now)
		if since, until := o.Since.Format(time.RFC3339), o.Until.Format(time.RFC3339); err != nil || since != test.wantSince || until != test.wantUntil {
			t.Errorf("%+v: got %s and %s, %v", test, since, until, err)
		}
	}
}

// The plan states the first start of the daemon, unless paths are read.
func TestBackfillPlan(t *testing.T) {
	p := newSandbox(t)
	p.writeSession(t)
	d := p.start(t).ready()
	for arg, want := range map[string]bool{"--url=http://" + d.address: true, p.projects(): false} {
		stdout, stderr, code := p.run(t, "backfill", "--dry-run", arg)
		if code != 0 || strings.Contains(stdout, "the first start of the daemon") != want {
			t.Errorf("%s: code %d, %s%s", arg, code, stdout, stderr)
		}
	}
}

// A warning is logged if the history ends after the first start of the daemon, when
// scrapes were possible.
func TestBackfillAfterStart(t *testing.T) {
	p := newSandbox(t)
	d := p.start(t).ready()
	for until, want := range map[string]bool{"--until=today": true, "--until=1h": false, "--since=all": false} {
		_, stderr, code := p.run(t, "backfill", "--dry-run", "--url=http://"+d.address, until)
		if code != 0 || strings.Contains(stderr, "ends after the first start of the daemon") != want {
			t.Errorf("%s: code %d, %s", until, code, stderr)
		}
	}
}

// Only the user can read the samples, even in an existing file with other permissions.
// After an error, only a newly created file is removed.
func TestWriteSamples(t *testing.T) {
	skipOnWindows(t) // permissions work differently
	l := ledger.New(ledgertest.Options(), 0)
	source, broken := backfill.FromLedger(l.History(), "", time.Now()), false
	errBroken := errors.New("broken")
	plan, err := backfill.New(t.Context(), func(ctx context.Context, read func(api.HistoryHeader, iter.Seq2[api.HistorySeries, error]) error) error {
		if broken {
			return errBroken
		}
		return source(ctx, read)
	}, backfill.Options{Step: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	for _, existed := range []bool{false, true} {
		name := filepath.Join(t.TempDir(), "history.om")
		if existed {
			if err := errors.Join(os.WriteFile(name, []byte("a longer text than the samples"), 0o600), os.Chmod(name, 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		broken = false
		err := writeSamples(t.Context(), plan, name, nil)
		content, readErr := os.ReadFile(name)
		info, statErr := os.Stat(name)
		if err = errors.Join(err, readErr, statErr); err != nil || string(content) != "# EOF\n" || info.Mode().Perm() != 0o600 {
			t.Errorf("existed: %v: got %q, %v, %v", existed, content, info, err)
		}
		if !existed {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
		broken = true
		err = writeSamples(t.Context(), plan, name, nil)
		if _, statErr := os.Stat(name); !errors.Is(err, errBroken) || (statErr == nil) != existed {
			t.Errorf("existed: %v: got %v and %v", existed, err, statErr)
		}
	}
}
