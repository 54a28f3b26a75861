package main

import (
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// timeout is the limit for everything that a test waits for.
const timeout = polltest.Timeout

// A process is a running ccwatchd.
type process struct {
	t       testing.TB
	cmd     *exec.Cmd
	log     polltest.Buffer
	ended   chan struct{}
	code    int // once ended
	address string
	client  *http.Client // for its pages
}

// newProcess returns a process that is not started yet.
func (p sandbox) newProcess(t testing.TB, args ...string) *process {
	t.Helper()
	d := &process{t: t, cmd: p.command(t, args...), ended: make(chan struct{}), client: http.DefaultClient}
	d.cmd.Stderr = &d.log
	return d
}

// daemon returns a daemon that is not started yet, with the directories of the sandbox.
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

// waitForLog waits until the log contains a text.
func (d *process) waitForLog(text string) {
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

// hasLoggedFault reports whether the log has a warning or an error, except the warning
// about the short zero window of the sandbox.
func (d *process) hasLoggedFault() bool {
	for line := range strings.Lines(d.log.String()) {
		if strings.Contains(line, "level=ERROR") || strings.Contains(line, "level=WARN") && !strings.Contains(line, ": intervals.zero_window: 200ms is below a minute") {
			return true
		}
	}
	return false
}
