package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is the limit for anything that a test waits for. It is long, for busy
// machines: only a test that fails waits for its end.
const patience = 2 * time.Minute

// longestRun is how long a process may live, lest it outlive the tests.
const longestRun = 20 * time.Minute

// eventually waits until a condition holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	again := time.NewTicker(2 * time.Millisecond)
	defer again.Stop()
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("after %v still not: %s", patience, what)
		}
		<-again.C
	}
}

// A place is where a daemon lives: its home with the sessions, its state, and
// its configuration.
type place struct {
	home, state, config string
	more                []string // of the environment
}

func newPlace(t testing.TB) place {
	t.Helper()
	dir := t.TempDir()
	p := place{home: filepath.Join(dir, "home"), state: filepath.Join(dir, "state"), config: filepath.Join(dir, "ccwatchd.yml")}
	p.configure(t, "{}\n")
	makeDir(t, p.projects())
	return p
}

func (p place) projects() string { return filepath.Join(p.home, ".claude", "projects") }

// configure writes the configuration. New series are exposed as 0 for a short time.
func (p place) configure(t testing.TB, yaml string) {
	t.Helper()
	const short = "intervals: {zero_window: 200ms"
	switch {
	case strings.Contains(yaml, "intervals: {"):
		yaml = strings.Replace(yaml, "intervals: {", short+", ", 1)
	case yaml == "{}\n":
		yaml = short + "}\n"
	default:
		yaml += short + "}\n"
	}
	writeFile(t, p.config, yaml)
}

// env is the environment of a daemon in this place: nothing of the tester's
// own home may leak into it.
func (p place) env() []string {
	env := []string{
		asDaemon + "=1", "HOME=" + p.home, "USERPROFILE=" + p.home,
		"GORACE=atexit_sleep_ms=0", // the race detector would hold up every end for a second
	}
	for _, name := range []string{"PATH", "SystemRoot", "TMPDIR", "TEMP", "TMP", "GODEBUG"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return append(env, p.more...)
}

// A process is ccwatchd as it runs.
type process struct {
	t       testing.TB
	cmd     *exec.Cmd
	log     lockedBuffer
	ended   chan struct{}
	code    int // once ended
	address string
}

// start starts the daemon and waits until it listens. It is killed when the
// test is over.
func (p place) start(t testing.TB, args ...string) *process {
	t.Helper()
	return p.launch(t, args...).listens()
}

// listens waits until the daemon does.
func (d *process) listens() *process {
	d.t.Helper()
	listening := regexp.MustCompile(`msg="Listening on" address=(\S+)`)
	eventually(d.t, "the daemon listens", func() bool {
		if m := listening.FindStringSubmatch(d.log.String()); m != nil {
			d.address = m[1]
			return true
		}
		if d.hasEnded() {
			d.t.Fatalf("the daemon ended with code %d:\n%s", d.code, d.log.String())
		}
		return false
	})
	return d
}

// command is ccwatchd with some arguments, in this place.
func (p place) command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), longestRun)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env, cmd.Dir = p.env(), p.home
	return cmd
}

// run runs a command to its end.
func (p place) run(t testing.TB, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return p.runIn(t, nil, args...)
}

// runIn is run with some variables of the environment more.
func (p place) runIn(t testing.TB, env []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := p.command(t, args...)
	end := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer end.Stop()
	cmd.Env = append(cmd.Env, env...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// launch starts the daemon and waits for nothing.
func (p place) launch(t testing.TB, args ...string) *process {
	t.Helper()
	return p.begin(t, p.usual(args)...)
}

// launchIn is launch with some variables of the environment more.
func (p place) launchIn(t testing.TB, env []string, args ...string) *process {
	t.Helper()
	d := p.prepare(t, args...)
	d.cmd.Env = append(d.cmd.Env, env...)
	return d.run()
}

// usual are the arguments that every daemon gets, before others.
func (p place) usual(args []string) []string {
	return append([]string{"--config.file=" + p.config, "--state.dir=" + p.state, "--web.listen-address=127.0.0.1:0"}, args...)
}

// begin is launch with nothing but the given arguments.
func (p place) begin(t testing.TB, args ...string) *process {
	t.Helper()
	return p.arrange(t, args).run()
}

// prepare makes a daemon that does not run yet.
func (p place) prepare(t testing.TB, args ...string) *process {
	t.Helper()
	return p.arrange(t, p.usual(args))
}

func (p place) arrange(t testing.TB, args []string) *process {
	t.Helper()
	d := &process{t: t, cmd: p.command(t, args...), ended: make(chan struct{})}
	d.cmd.Stderr = &d.log
	return d
}

// run starts what was prepared.
func (d *process) run() *process {
	d.t.Helper()
	if err := d.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	go func() {
		defer close(d.ended)
		_ = d.cmd.Wait() // the code tells
		d.code = d.cmd.ProcessState.ExitCode()
	}()
	d.t.Cleanup(d.kill)
	return d
}

func (d *process) hasEnded() bool {
	select {
	case <-d.ended:
		return true
	default:
		return false
	}
}

// kill ends the daemon without a word of warning.
func (d *process) kill() {
	_ = d.cmd.Process.Kill()
	<-d.ended
}

// stop asks the daemon to end and waits until it has.
func (d *process) stop() {
	d.t.Helper()
	d.signal(syscall.SIGTERM)
	select {
	case <-d.ended:
	case <-time.After(patience):
		d.t.Fatalf("the daemon does not stop:\n%s", d.log.String())
	}
	if d.code != 0 {
		d.t.Fatalf("the daemon ended with code %d:\n%s", d.code, d.log.String())
	}
}

func (d *process) signal(s os.Signal) {
	d.t.Helper()
	if err := d.cmd.Process.Signal(s); err != nil {
		d.t.Fatal(err)
	}
}

// ready waits until the daemon has caught up.
func (d *process) ready() *process {
	d.t.Helper()
	eventually(d.t, "the daemon is ready", func() bool {
		status, _, err := d.get("/-/ready", "")
		return err == nil && status == http.StatusOK
	})
	return d
}

// get answers a request; the error is that of a daemon that does not.
func (d *process) get(path, accept string) (status int, body string, err error) {
	return d.request(http.MethodGet, path, accept)
}

func (d *process) request(method, path, accept string) (status int, body string, err error) {
	a, err := d.ask(method, path, accept)
	return a.status, a.body, err
}

// An answer is that to a request.
type answer struct {
	status int
	header http.Header
	body   string
}

func (d *process) ask(method, path, accept string) (answer, error) {
	return d.send(http.DefaultClient, method, "http://"+d.address+path, func(r *http.Request) {
		if accept != "" {
			r.Header.Set("Accept", accept)
		}
	})
}

// askAs asks for the daemon by another name.
func (d *process) askAs(host, method, path string) (answer, error) {
	return d.send(http.DefaultClient, method, "http://"+d.address+path, func(r *http.Request) { r.Host = host })
}

// send sends a request that was changed by the caller.
func (d *process) send(by *http.Client, method, url string, change func(*http.Request)) (answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, url, http.NoBody)
	if err != nil {
		return answer{}, err
	}
	change(r)
	a, err := by.Do(r)
	if err != nil {
		return answer{}, err
	}
	b, err := io.ReadAll(a.Body)
	return answer{a.StatusCode, a.Header, string(b)}, errors.Join(err, a.Body.Close())
}

// has reports whether a scrape shows a sample, as the text format has it.
func (d *process) has(sample string) bool {
	d.t.Helper()
	status, body, err := d.get("/metrics", plainText)
	return err == nil && status == http.StatusOK && strings.Contains(body, "\n"+sample+"\n")
}

// A lockedBuffer is written by one goroutine and read by another.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func makeDir(t testing.TB, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
}

// writeFile writes a file, and the directories that it is in.
func writeFile(t testing.TB, path string, lines ...string) {
	t.Helper()
	makeDir(t, filepath.Dir(path))
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
}
