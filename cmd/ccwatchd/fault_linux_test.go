package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// shortIntervals are settings with the shortest intervals.
const shortIntervals = "intervals: {scan: 1s, poll: 20ms, checkpoint: 1s, sync: 10ms, message_timeout: 1s}\n"

// inNamespaces runs a shell script and then a command in new user and mount namespaces,
// where every user may mount. It skips the test if namespaces are not permitted.
func inNamespaces(t *testing.T, cmd *exec.Cmd, script string) {
	t.Helper()
	isolate := func(c *exec.Cmd) {
		c.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
			Pdeathsig:   syscall.SIGKILL,
		}
	}
	try := exec.CommandContext(t.Context(), "/bin/sh", "-ec", script)
	isolate(try)
	if out, err := try.CombinedOutput(); err != nil {
		t.Skipf("namespaces are missing or restricted: %v: %s", err, out)
	}
	cmd.Args = append([]string{"/bin/sh", "-ec", script + "\nexec \"$0\" \"$@\"", cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
	isolate(cmd)
}

// inside runs a command in the namespaces of the daemon.
func (d *process) inside(command ...string) {
	d.t.Helper()
	args := append([]string{"--target", strconv.Itoa(d.cmd.Process.Pid), "--user", "--mount", "--preserve-credentials"}, command...)
	if out, err := exec.CommandContext(d.t.Context(), "nsenter", args...).CombinedOutput(); err != nil {
		d.t.Fatalf("%v: %v: %s", command, err, out)
	}
}

// insidePath returns the path of a file in the daemon's namespace as the test sees it.
func (d *process) insidePath(path string) string {
	return fmt.Sprintf("/proc/%d/root%s", d.cmd.Process.Pid, path)
}

// newSession returns a sandbox with short intervals, a state directory and a session
// with some prompts.
func newSession(t *testing.T, prompts int) (sandbox, *session) {
	t.Helper()
	p := newRaceSandbox(t)
	p.configure(t, shortIntervals)
	makeDir(t, p.state)
	s := p.newSession(t, "app")
	s.prompts(prompts)
	return p, s
}

// waitForMetric waits until one of the daemon's own metrics has a value.
func (d *process) waitForMetric(metric string, value float64) {
	d.t.Helper()
	polltest.Eventually(d.t, fmt.Sprint(metric, " is ", value), func() bool { return d.sample(metric) == value })
}

// restartWithout kills the daemon, removes the transcript and checks that the next
// daemon has all counts from the state.
func (d *process) restartWithout(p sandbox, s *session) {
	d.t.Helper()
	d.kill()
	removeFile(d.t, s.path)
	p.start(d.t).ready().waitForPrompts(s)
}

// While the disk is full the counters are paused, and once there is space they include
// everything. A crash in between loses nothing that was exposed.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	p, s := newSession(t, 1)
	d := p.daemon(t)
	inNamespaces(t, d.cmd, fmt.Sprintf("mount -t tmpfs -o size=256k,mode=700 none %q", p.state))
	d.run().listens().ready().waitForPrompts(s)

	state := d.insidePath(p.state)
	d.inside("/bin/sh", "-c", fmt.Sprintf("LC_ALL=C cat /dev/zero 2>&1 > %q/filler | grep -i %q", p.state, syscall.ENOSPC.Error()))
	before := s.n
	for d.sample("ccwatchd_state_write_blocked") == 0 {
		s.prompts(50)
	}
	d.waitForLog(syscall.ENOSPC.Error())
	exposed := d.sample("claude_prompts_total")
	s.prompts(50)
	polltest.Eventually(t, "there are two more failures", func() bool { return d.sample("ccwatchd_checkpoint_failures_total") >= 3 })
	if after := d.sample("claude_prompts_total"); after != exposed || int(exposed) < before || int(exposed) >= s.n {
		t.Errorf("got %v and then %v of %d prompts", exposed, after, s.n)
	}
	stdout, stderr, code := p.runProcess(t, "status", "--url=http://"+d.address)
	if code != 1 || !strings.Contains(stdout, "\nproblem       The counters are paused because the state cannot be written") {
		t.Errorf("status: code %d, %s%s", code, stdout, stderr)
	}
	crashed := t.TempDir() // the state as kill -9 would leave it
	if err := os.CopyFS(crashed, os.DirFS(state)); err != nil {
		t.Fatal(err)
	}
	removeFile(t, filepath.Join(state, "filler"))
	d.waitForMetric("ccwatchd_state_write_blocked", 0)
	d.waitForPrompts(s)
	d.stop()

	removeFile(t, s.path)
	p.state = crashed
	successor := p.start(t).ready()
	if n := successor.sample("claude_prompts_total"); n < exposed { // it may include more
		t.Errorf("got %v prompts after a crash, want at least %v", n, exposed)
	}
	if n := successor.sample("ccwatchd_state_damaged_total"); n != 0 {
		t.Errorf("the state was damaged %v times", n)
	}
}

// With a full disk the daemon does not start.
func TestStartOnAFullDisk(t *testing.T) {
	p := newSandbox(t)
	makeDir(t, p.state)
	d := p.daemon(t)
	inNamespaces(t, d.cmd, fmt.Sprintf("mount -t tmpfs -o size=16k,mode=700 none %q; cat /dev/zero > %[1]q/filler 2> /dev/null || true", p.state))
	d.run()
	polltest.Eventually(t, "the daemon ends", d.hasEnded)
	want := "no space left on device; use another directory with --state.dir"
	if log := d.log.String(); d.code != 1 || !strings.Contains(log, want) {
		t.Errorf("code %d, got\n%swant\n%s", d.code, log, want)
	}
}

// A daemon restarted on a full disk exposes either the saved counters or no counters at
// all. Once there is space it exposes everything.
func TestRestartOnAFullDisk(t *testing.T) {
	t.Parallel()
	p, s := newSession(t, 20)
	d := p.start(t).ready()
	d.waitForPrompts(s)
	d.stop()
	saved := t.TempDir()
	if err := os.CopyFS(saved, os.DirFS(p.state)); err != nil {
		t.Fatal(err)
	}

	d = p.daemon(t)
	inNamespaces(t, d.cmd, fmt.Sprintf("mount -t tmpfs -o size=512k,mode=700 none %q; cp -a %q/. %[1]q; cat /dev/zero > %[1]q/filler 2> /dev/null || true", p.state, saved))
	d.run().listens()
	s.prompts(500) // more than the rest of the journal's last block
	d.waitForLog(syscall.ENOSPC.Error())
	for range 3 {
		status, page, err := d.get("/metrics", "")
		paused := status == http.StatusOK && strings.Contains(page, "\n"+s.series()+" 20\n")
		if err != nil || !paused && (status != http.StatusServiceUnavailable || strings.Contains(page, "ccwatchd_")) {
			t.Fatalf("status %d, %v: %.200s", status, err, page)
		}
	}
	removeFile(t, filepath.Join(d.insidePath(p.state), "filler"))
	d.ready().waitForPrompts(s)
}

// A state directory that becomes read-only prevents snapshots, but the open journal is
// still written.
func TestReadOnlyState(t *testing.T) {
	t.Parallel()
	p, s := newSession(t, 1)
	d := p.daemon(t)
	inNamespaces(t, d.cmd, fmt.Sprintf("mount --bind %q %[1]q", p.home))
	d.run().listens().ready().waitForPrompts(s)

	d.inside("mount", "--bind", p.state, p.state)
	d.inside("mount", "-o", "remount,bind,ro", p.state)
	s.prompts(40_000) // enough to be worth a snapshot
	polltest.Eventually(t, "a snapshot fails", func() bool { return d.sample("ccwatchd_checkpoint_failures_total") > 0 })
	d.waitForPrompts(s)
	if n := d.sample("ccwatchd_state_write_blocked"); n != 0 {
		t.Errorf("the counters are paused: %v", n)
	}
	d.waitForLog(syscall.EROFS.Error())
	saved := d.sample("ccwatchd_checkpoints_total")
	d.inside("umount", p.state)
	polltest.Eventually(t, "another snapshot is written", func() bool { return d.sample("ccwatchd_checkpoints_total") > saved })
	d.restartWithout(p, s)
}

// A daemon whose state directory was removed creates it again.
func TestStateRemoved(t *testing.T) {
	t.Parallel()
	p, s := newSession(t, 1)
	d := p.start(t).ready()
	d.waitForPrompts(s)
	gone := p.state + ".gone"
	if err := os.Rename(p.state, gone); err != nil { // in one step, as the daemon may be writing
		t.Fatal(err)
	}
	if err := os.RemoveAll(gone); err != nil {
		t.Fatal(err)
	}
	s.prompts(1)
	d.waitForMetric("ccwatchd_state_lost_total", 1)
	s.prompts(1)
	d.waitForPrompts(s)
	_, stderr, code := p.runProcess(t, "--state.dir="+p.state)
	if code != 1 || !strings.Contains(stderr, "is in use by the process with pid "+strconv.Itoa(d.cmd.Process.Pid)) {
		t.Errorf("a second daemon: code %d: %s", code, stderr)
	}
	d.restartWithout(p, s)
}

// Without free file descriptors, unreadable files are reported; with free descriptors
// again, everything is read.
func TestNoDescriptors(t *testing.T) {
	t.Parallel()
	p, s := newSession(t, 1)
	d := p.start(t).ready()
	d.connect()
	d.waitForPrompts(s)
	before := d.limitDescriptors(3)
	responded := make(chan error, 1)
	go func() { // over a new connection, which has to wait
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: timeout}
		r, err := client.Get("http://" + d.address + "/-/healthy")
		if err == nil {
			err = r.Body.Close()
		}
		responded <- err
	}()
	polltest.Eventually(t, "the file cannot be read", func() bool {
		s.prompts(1) // the daemon may have had the file open when it was appended to before
		return d.sample("ccwatchd_unreadable_files") == 1
	})
	d.waitForMetric("ccwatchd_unreadable_directories", 1)
	if n := d.sample("claude_prompts_total"); int(n) >= s.n {
		t.Errorf("got %v of %d prompts, want fewer", n, s.n)
	}
	d.waitForLog(syscall.EMFILE.Error())
	polltest.Eventually(t, "the page counts the unreadable file and directory", func() bool {
		return strings.Contains(d.page("/"), "2 files or directories in "+p.projects()+" cannot be read")
	})
	d.limitDescriptors(before)
	d.waitForPrompts(s)
	d.waitForMetric("ccwatchd_unreadable_files", 0)
	d.waitForMetric("ccwatchd_unreadable_directories", 0)
	if err := <-responded; err != nil {
		t.Errorf("a request during the shortage failed: %v", err)
	}
	d.kill()
	p.start(t).ready().waitForPrompts(s)
}

// limitDescriptors sets the limit of file descriptors and returns the previous one.
func (d *process) limitDescriptors(n uint64) (before uint64) {
	d.t.Helper()
	var old unix.Rlimit
	if err := unix.Prlimit(d.cmd.Process.Pid, unix.RLIMIT_NOFILE, nil, &old); err != nil {
		d.t.Skip("limits cannot be changed: ", err)
	}
	limit := unix.Rlimit{Cur: n, Max: old.Max}
	if err := unix.Prlimit(d.cmd.Process.Pid, unix.RLIMIT_NOFILE, &limit, nil); err != nil {
		d.t.Skip("limits cannot be changed: ", err)
	}
	return old.Cur
}

// If the system has no watches left the daemon polls. It returns to events once enough
// watches are free.
func TestNoWatches(t *testing.T) {
	if limitsSection != "" {
		t.Skip("the daemon never uses events with this build tag")
	}
	t.Parallel()
	for _, limit := range []string{"max_inotify_watches", "max_inotify_instances"} {
		t.Run(limit, func(t *testing.T) {
			t.Parallel()
			p, s := newSession(t, 1)
			d := p.daemon(t)
			file := "/proc/sys/user/" + limit
			inNamespaces(t, d.cmd, "echo 1 > "+file+"; echo 0 > "+file)
			d.run().listens().ready()
			d.waitForMetric("ccwatchd_watch_polling", 1)
			d.waitForMetric("ccwatchd_watched_directories", 0)
			s.prompts(1)
			d.waitForPrompts(s)
			d.inside("/bin/sh", "-c", "echo 1000 > "+file)
			d.waitForMetric("ccwatchd_watch_polling", 0)
			d.waitForMetric("ccwatchd_watched_directories", 2)
			events := d.sample("ccwatchd_watch_events_total")
			s.prompts(1)
			d.waitForPrompts(s)
			polltest.Eventually(t, "events arrive", func() bool { return d.sample("ccwatchd_watch_events_total") > events })
		})
	}
}
