package main

import (
	"errors"
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
)

// quick are settings under which everything that is done by time is done often.
const quick = "intervals: {scan: 1s, poll: 20ms, checkpoint: 1s, sync: 10ms, message_timeout: 1s}\n"

// inNamespaces has a command run in user and mount namespaces of its own, in which
// any user may mount, after a script of the shell. It skips the test where that is
// not permitted.
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
		t.Skipf("no namespaces here, or not everything may be done in them: %v: %s", err, out)
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

// session is one that grows.
type session struct {
	*script
	t    *testing.T
	path string
	n    int // prompts so far
}

func (p place) session(t *testing.T) *session {
	s := &session{t: t, script: &script{cwd: "/home/dev/app", session: uuid(1)}}
	s.path = filepath.Join(p.projects(), "-home-dev-app", s.session+".jsonl")
	return s
}

// prompts adds some.
func (s *session) prompts(n int) {
	s.t.Helper()
	var lines strings.Builder
	for range n {
		s.n++
		lines.WriteString(s.prompt(fmt.Sprint("hello ", s.n)))
	}
	if err := appendTo(s.path, []byte(lines.String())); err != nil {
		s.t.Fatal(err)
	}
}

// prompts is the series of them.
const prompts = `claude_prompts_total{kind="text",project="app"}`

// shows waits until the daemon shows as many prompts as there are.
func (d *process) shows(s *session) {
	d.t.Helper()
	d.showsPrompts(s.n)
}

func (d *process) showsPrompts(n int) {
	d.t.Helper()
	eventually(d.t, fmt.Sprint(n, " prompts are shown"), func() bool {
		return d.has(fmt.Sprint(prompts, " ", n))
	})
}

// is waits until one of the daemon's own metrics has a value.
func (d *process) is(metric string, value float64) {
	d.t.Helper()
	eventually(d.t, fmt.Sprint(metric, " is ", value), func() bool { return d.sample(metric) == value })
}

// While the disk is full the counters stand still, and when there is room again
// they show everything. Whoever is killed meanwhile has shown nothing that is lost.
func TestDiskFull(t *testing.T) {
	p := newPlace(t)
	p.configure(t, quick)
	makeDir(t, p.state)
	s := p.session(t)
	s.prompts(1)
	d := p.prepare(t)
	inNamespaces(t, d.cmd, fmt.Sprintf("mount -t tmpfs -o size=256k,mode=700 none %q", p.state))
	d.run().listens().ready()
	d.shows(s)

	state := fmt.Sprintf("/proc/%d/root%s", d.cmd.Process.Pid, p.state)
	fill(t, filepath.Join(state, "filler"))
	before := s.n
	for d.sample("ccwatchd_state_write_blocked") == 0 {
		s.prompts(50)
	}
	shown := d.sample(prompts)
	s.prompts(50)
	eventually(t, "two failures more", func() bool { return d.sample("ccwatchd_checkpoint_failures_total") >= 3 })
	if after := d.sample(prompts); after != shown || int(shown) < before || int(shown) >= s.n {
		t.Errorf("%v and then %v of %d prompts are shown", shown, after, s.n)
	}
	died := t.TempDir() // as kill -9 would leave it
	if err := os.CopyFS(died, os.DirFS(state)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(state, "filler")); err != nil {
		t.Fatal(err)
	}
	d.is("ccwatchd_state_write_blocked", 0)
	d.shows(s)
	d.stop()

	// The transcript is gone with whoever was killed: what was shown is not.
	if err := os.Remove(s.path); err != nil {
		t.Fatal(err)
	}
	p.state = died
	successor := p.start(t).ready()
	if n := successor.sample(prompts); n < shown { // what was written and not yet shown is in it as well
		t.Errorf("%v prompts are shown, and %v were before", n, shown)
	}
	if n := successor.sample("ccwatchd_state_damaged_total"); n != 0 {
		t.Errorf("the state was damaged %v times", n)
	}
}

// On a disk that is full from the beginning the daemon does not pretend to run.
func TestStartOnAFullDisk(t *testing.T) {
	p := newPlace(t)
	makeDir(t, p.state)
	d := p.prepare(t)
	inNamespaces(t, d.cmd, fmt.Sprintf("mount -t tmpfs -o size=16k,mode=700 none %q; cat /dev/zero > %[1]q/filler 2> /dev/null || true", p.state))
	d.run()
	eventually(t, "the daemon ends", d.hasEnded)
	want := "no space left on device; --state.dir takes another directory"
	if said := d.log.String(); d.code != 1 || !strings.Contains(said, want) {
		t.Errorf("code %d, and it says\n%swant\n%s", d.code, said, want)
	}
}

// A daemon that is restarted with a full disk, and can write nothing since, answers no
// scrape with a page that lacks the counters: it exposes what was saved, or nothing.
// Once there is room it exposes everything.
func TestRestartOnAFullDisk(t *testing.T) {
	p := newPlace(t)
	p.configure(t, quick)
	s := p.session(t)
	s.prompts(20)
	d := p.start(t).ready()
	d.shows(s)
	d.stop()
	saved := t.TempDir()
	if err := os.CopyFS(saved, os.DirFS(p.state)); err != nil {
		t.Fatal(err)
	}

	d = p.prepare(t)
	inNamespaces(t, d.cmd, fmt.Sprintf("mount -t tmpfs -o size=512k,mode=700 none %q; cp -a %q/. %[1]q; cat /dev/zero > %[1]q/filler 2> /dev/null || true", p.state, saved))
	d.run().listens()
	state := fmt.Sprintf("/proc/%d/root%s", d.cmd.Process.Pid, p.state)
	s.prompts(500) // more than what is left of the last block of the journal
	eventually(t, "the state cannot be written", func() bool {
		return strings.Contains(d.log.String(), syscall.ENOSPC.Error())
	})
	for range 3 {
		status, page, err := d.get("/metrics", "")
		paused := status == http.StatusOK && strings.Contains(page, fmt.Sprint("\n", prompts, " 20\n"))
		if err != nil || !paused && (status != http.StatusServiceUnavailable || strings.Contains(page, "ccwatchd_")) {
			t.Fatalf("a scrape is answered with %d, %v: %.200s", status, err, page)
		}
	}
	if err := os.Remove(filepath.Join(state, "filler")); err != nil {
		t.Fatal(err)
	}
	d.ready().shows(s)
}

// fill takes all room that there is for a file.
func fill(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	block := make([]byte, 4<<10)
	for err == nil {
		_, err = f.Write(block)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// A state directory that becomes read-only keeps snapshots from being written, and
// nothing else: the journal is open.
func TestReadOnlyState(t *testing.T) {
	p := newPlace(t)
	p.configure(t, quick)
	makeDir(t, p.state)
	s := p.session(t)
	s.prompts(1)
	d := p.prepare(t)
	inNamespaces(t, d.cmd, fmt.Sprintf("mount --bind %q %[1]q", p.home))
	d.run().listens().ready()
	d.shows(s)

	d.inside("mount", "--bind", p.state, p.state)
	d.inside("mount", "-o", "remount,bind,ro", p.state)
	s.prompts(40_000) // enough to be worth a snapshot
	eventually(t, "a snapshot fails", func() bool { return d.sample("ccwatchd_checkpoint_failures_total") > 0 })
	d.shows(s)
	if n := d.sample("ccwatchd_state_write_blocked"); n != 0 {
		t.Errorf("the counters stand still: %v", n)
	}
	if log := d.log.String(); !strings.Contains(log, syscall.EROFS.Error()) {
		t.Errorf("the log does not say why:\n%s", log)
	}
	saved := d.sample("ccwatchd_checkpoints_total")
	d.inside("umount", p.state)
	eventually(t, "another snapshot", func() bool { return d.sample("ccwatchd_checkpoints_total") > saved })
	d.kill()
	if err := os.Remove(s.path); err != nil {
		t.Fatal(err)
	}
	p.start(t).ready().shows(s)
}

// With a state directory that was removed the daemon goes on, and makes another.
func TestStateRemoved(t *testing.T) {
	p := newPlace(t)
	p.configure(t, quick)
	s := p.session(t)
	s.prompts(1)
	d := p.start(t).ready()
	d.shows(s)
	if err := os.RemoveAll(p.state); err != nil {
		t.Fatal(err)
	}
	s.prompts(1)
	d.is("ccwatchd_state_lost_total", 1)
	s.prompts(1)
	d.shows(s)
	_, stderr, code := p.run(t, "--state.dir="+p.state)
	if code != 1 || !strings.Contains(stderr, "is in use by the process with pid "+strconv.Itoa(d.cmd.Process.Pid)) {
		t.Errorf("another daemon ends with code %d: %s", code, stderr)
	}
	d.kill()
	if err := os.Remove(s.path); err != nil {
		t.Fatal(err)
	}
	p.start(t).ready().shows(s)
}

// Without descriptors nothing can be read, which is told; with them everything is.
func TestNoDescriptors(t *testing.T) {
	p := newPlace(t)
	p.configure(t, quick)
	s := p.session(t)
	s.prompts(1)
	d := p.start(t).ready()
	d.shows(s) // over a connection that stays open
	before := d.limitDescriptors(3)
	answered := make(chan error, 1)
	go func() { // over another one, which has to wait
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
		r, err := client.Get("http://" + d.address + "/-/healthy")
		if err == nil {
			err = r.Body.Close()
		}
		answered <- err
	}()
	s.prompts(1)
	d.is("ccwatchd_unreadable_files", 1)
	d.is("ccwatchd_unreadable_directories", 1)
	d.showsPrompts(1)
	if log := d.log.String(); !strings.Contains(log, syscall.EMFILE.Error()) {
		t.Errorf("the log does not say why:\n%s", log)
	}
	d.limitDescriptors(before)
	d.shows(s)
	d.is("ccwatchd_unreadable_files", 0)
	d.is("ccwatchd_unreadable_directories", 0)
	if err := <-answered; err != nil {
		t.Errorf("whoever asked meanwhile is not answered: %v", err)
	}
	d.kill()
	p.start(t).ready().shows(s)
}

// limitDescriptors sets how many descriptors the daemon may have, and returns how
// many they were.
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

// Where the system grants no more watches the daemon polls, says so, and returns to
// events when there are enough again.
func TestNoWatches(t *testing.T) {
	for name, limit := range map[string]string{"no watches": "max_inotify_watches", "no instances": "max_inotify_instances"} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			p := newPlace(t)
			p.configure(t, quick)
			s := p.session(t)
			s.prompts(1)
			d := p.prepare(t)
			file := "/proc/sys/user/" + limit
			inNamespaces(t, d.cmd, "echo 1 > "+file+"; echo 0 > "+file)
			d.run().listens().ready()
			d.is("ccwatchd_watch_polling", 1)
			d.is("ccwatchd_watched_directories", 0)
			s.prompts(1)
			d.shows(s)
			d.inside("/bin/sh", "-c", "echo 1000 > "+file)
			d.is("ccwatchd_watch_polling", 0)
			d.is("ccwatchd_watched_directories", 2)
			events := d.sample("ccwatchd_watch_events_total")
			s.prompts(1)
			d.shows(s)
			eventually(t, "events come", func() bool { return d.sample("ccwatchd_watch_events_total") > events })
		})
	}
}
