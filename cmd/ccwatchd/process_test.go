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
	"syscall"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/polltest"
	"github.com/ccwatchd/ccwatchd/internal/transcripttest"
)

// timeout is the limit for everything that a test waits for.
const timeout = polltest.Timeout

// maxRuntime is the limit for the life of a process, so that none outlives the tests.
const maxRuntime = 20 * time.Minute

// A sandbox holds the directories of a daemon: its home with the sessions, its state, and
// its configuration.
type sandbox struct {
	home, state, config string
	extraEnv            []string
}

func newSandbox(t testing.TB) sandbox {
	t.Helper()
	dir := t.TempDir()
	p := sandbox{home: filepath.Join(dir, "home"), state: filepath.Join(dir, "state"), config: filepath.Join(dir, "ccwatchd.yml")}
	p.configure(t, "{}\n")
	makeDir(t, p.projects())
	return p
}

func (p sandbox) projects() string { return filepath.Join(p.home, ".claude", "projects") }

// configure writes the configuration. New series are exposed as 0 for a short time.
func (p sandbox) configure(t testing.TB, yaml string) {
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

// with returns the sandbox with additional environment variables.
func (p sandbox) with(env ...string) sandbox {
	p.extraEnv = append(p.extraEnv, env...)
	return p
}

// getenv returns a variable of an environment with only the home of the sandbox.
func (p sandbox) getenv(name string) string {
	if name == "HOME" || name == "USERPROFILE" {
		return p.home
	}
	return ""
}

// parsed returns a command with parsed arguments and without an environment.
func parsed(t *testing.T, args ...string) *command {
	t.Helper()
	c := newCommand(func(string) string { return "" })
	if _, err := c.app.Parse(args); err != nil {
		t.Fatal(err)
	}
	return c
}

// command returns a command that runs ccwatchd with an environment without the home of
// the developer.
func (p sandbox) command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), maxRuntime)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Dir = p.home
	cmd.Env = []string{
		asDaemon + "=1", "HOME=" + p.home, "USERPROFILE=" + p.home,
		"GORACE=atexit_sleep_ms=0", // the race detector would delay every exit by a second
	}
	for _, name := range []string{"PATH", "SystemRoot", "TMPDIR", "TEMP", "TMP", "GODEBUG"} {
		if v, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	cmd.Env = append(cmd.Env, p.extraEnv...)
	return cmd
}

// run runs ccwatchd to its end.
func (p sandbox) run(t testing.TB, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := p.command(t, args...)
	end := time.AfterFunc(timeout, func() { _ = cmd.Process.Kill() })
	defer end.Stop()
	cmd.Stdout, cmd.Stderr = &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// A process is a running ccwatchd.
type process struct {
	t       testing.TB
	cmd     *exec.Cmd
	log     polltest.Buffer
	ended   chan struct{}
	code    int // once ended
	address string
}

// newProcess returns a process that is not started yet.
func (p sandbox) newProcess(t testing.TB, args ...string) *process {
	t.Helper()
	d := &process{t: t, cmd: p.command(t, args...), ended: make(chan struct{})}
	d.cmd.Stderr = &d.log
	return d
}

// daemon returns a daemon with the directories of the sandbox that is not started yet.
func (p sandbox) daemon(t testing.TB, args ...string) *process {
	t.Helper()
	defaults := []string{"--config.file=" + p.config, "--state.dir=" + p.state, "--web.listen-address=127.0.0.1:0"}
	return p.newProcess(t, append(defaults, args...)...)
}

// start starts a daemon and waits until it listens.
func (p sandbox) start(t testing.TB, args ...string) *process {
	t.Helper()
	return p.daemon(t, args...).run().listens()
}

// run starts the process. It is killed at the end of the test.
func (d *process) run() *process {
	d.t.Helper()
	if err := d.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	go func() {
		defer close(d.ended)
		_ = d.cmd.Wait()
		d.code = d.cmd.ProcessState.ExitCode()
	}()
	d.t.Cleanup(d.kill)
	return d
}

// listens waits until the daemon listens.
func (d *process) listens() *process {
	d.t.Helper()
	listening := regexp.MustCompile(`msg="Listening on" address=(\S+)`)
	polltest.Eventually(d.t, "the daemon listens", func() bool {
		if m := listening.FindStringSubmatch(d.log.String()); m != nil {
			d.address = m[1]
			return true
		}
		if d.hasEnded() {
			d.t.Fatalf("the daemon exited with code %d:\n%s", d.code, d.log.String())
		}
		return false
	})
	return d
}

// ready waits until the daemon has caught up.
func (d *process) ready() *process {
	d.t.Helper()
	polltest.Eventually(d.t, "the daemon is ready", d.isReady)
	return d
}

func (d *process) isReady() bool {
	status, _, err := d.get("/-/ready", "")
	return err == nil && status == http.StatusOK
}

// logs waits until the log contains a text.
func (d *process) logs(text string) {
	d.t.Helper()
	polltest.Eventually(d.t, "the log contains "+text, func() bool { return strings.Contains(d.log.String(), text) })
}

func (d *process) hasEnded() bool {
	select {
	case <-d.ended:
		return true
	default:
		return false
	}
}

// kill ends the process without a chance to clean up.
func (d *process) kill() {
	_ = d.cmd.Process.Kill()
	<-d.ended
}

// stop terminates the daemon and waits for its end.
func (d *process) stop() {
	d.t.Helper()
	d.signal(syscall.SIGTERM)
	select {
	case <-d.ended:
	case <-time.After(timeout):
		d.t.Fatalf("the daemon does not stop:\n%s", d.log.String())
	}
	if d.code != 0 {
		d.t.Fatalf("the daemon exited with code %d:\n%s", d.code, d.log.String())
	}
}

func (d *process) signal(s os.Signal) {
	d.t.Helper()
	if err := d.cmd.Process.Signal(s); err != nil {
		d.t.Fatal(err)
	}
}

// A response is the response to a request.
type response struct {
	status int
	header http.Header
	body   string
}

// get requests a page in an accepted format.
func (d *process) get(path, accept string) (status int, body string, err error) {
	r, err := d.request(http.MethodGet, path, header("Accept", accept))
	return r.status, r.body, err
}

// page returns a page, or the metrics as text. The status must be 200.
func (d *process) page(path string) string {
	d.t.Helper()
	status, body, err := d.get(path, plainText)
	if err != nil || status != http.StatusOK {
		d.t.Fatalf("%s: status %d, %v", path, status, err)
	}
	return body
}

// request sends a request that was changed by some functions.
func (d *process) request(method, path string, changes ...func(*http.Request)) (response, error) {
	return d.send(http.DefaultClient, method, "http://"+d.address+path, changes...)
}

// header returns a change that sets a header, unless its value is empty.
func header(name, value string) func(*http.Request) {
	return func(r *http.Request) {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
}

// host returns a change that sets the Host header.
func host(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }

func (d *process) send(client *http.Client, method, url string, changes ...func(*http.Request)) (response, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, url, http.NoBody)
	if err != nil {
		return response{}, err
	}
	for _, change := range changes {
		change(r)
	}
	a, err := client.Do(r)
	if err != nil {
		return response{}, err
	}
	b, err := io.ReadAll(a.Body)
	return response{a.StatusCode, a.Header, string(b)}, errors.Join(err, a.Body.Close())
}

// has reports whether a scrape has a sample, in the text format.
func (d *process) has(sample string) bool {
	d.t.Helper()
	status, body, err := d.get("/metrics", plainText)
	return err == nil && status == http.StatusOK && strings.Contains(body, "\n"+sample+"\n")
}

func makeDir(t testing.TB, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
}

// writeFile writes a file and creates its directory.
func writeFile(t testing.TB, path string, lines ...string) {
	t.Helper()
	dir, name := filepath.Split(path)
	transcripttest.Tree{name: strings.Join(lines, "")}.Write(t, dir)
}

// appendFile appends to a file, which is created if missing.
func appendFile(t testing.TB, path string, lines ...string) {
	t.Helper()
	if err := transcripttest.AppendFile(path, strings.Join(lines, "")); err != nil {
		t.Fatal(err)
	}
}

func removeFile(t testing.TB, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// skipOnWindows skips a test that sends signals or needs links or sparse files.
func skipOnWindows(t testing.TB) {
	t.Helper()
	if filepath.Separator == '\\' {
		t.Skip("needs signals, links or sparse files")
	}
}
