package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// confined is the environment variable that has the kernel confine the daemon:
// it may connect to nobody, and write nowhere but in the directories of this list.
const confined = "CCWATCHD_TEST_WRITES_ONLY_IN"

// changes is all that Landlock knows of that changes a file or a directory.
const changes = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
	unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
	unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK |
	unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE

// needsLandlock skips a test where the kernel cannot confine.
func needsLandlock(t *testing.T) {
	t.Helper()
	const knowsConnections = 4
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		t.Skipf("the kernel has no Landlock: %v", errno)
	}
	if version < knowsConnections {
		t.Skipf("the kernel has version %d of Landlock, and %d is needed", version, knowsConnections)
	}
}

// confine begins the program anew as one that is confined, if that is asked for.
// Only a thread can be confined, and what it executes then is so as a whole.
func confine() {
	dirs, ok := os.LookupEnv(confined)
	if !ok {
		return
	}
	runtime.LockOSThread()
	err := restrict(filepath.SplitList(dirs))
	if err == nil {
		err = os.Unsetenv(confined)
	}
	if err == nil {
		err = syscall.Exec("/proc/self/exe", os.Args, os.Environ())
	}
	fmt.Fprintf(os.Stderr, "confine: %v\n", err)
	os.Exit(3)
}

func restrict(dirs []string) error {
	rules := unix.LandlockRulesetAttr{Handled_access_fs: changes, Handled_access_net: unix.LANDLOCK_ACCESS_NET_CONNECT_TCP}
	ruleset, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rules)), unsafe.Offsetof(rules.Scoped), 0)
	if errno != 0 {
		return fmt.Errorf("make ruleset: %w", errno)
	}
	for _, dir := range dirs {
		fd, err := unix.Open(dir, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			return fmt.Errorf("open %s: %w", dir, err)
		}
		rule := unix.LandlockPathBeneathAttr{Allowed_access: changes, Parent_fd: int32(fd)}
		if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, ruleset, unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0); errno != 0 {
			return fmt.Errorf("allow %s: %w", dir, errno)
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("forgo privileges: %w", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0, 0); errno != 0 {
		return fmt.Errorf("restrict: %w", errno)
	}
	return nil
}

// TestConfined leads a whole life where the kernel refuses every change outside
// of the state directory, and every connection to somebody else.
func TestConfined(t *testing.T) {
	needsLandlock(t)
	p := filled(t)
	p.configure(t, "sources: [{path: "+strconv.Quote(p.projects())+"}]\nintervals: {scan: 1s, poll: 10ms, checkpoint: 1s, sync: 10ms}\n")
	makeDir(t, p.state)
	t.Run("elsewhere", func(t *testing.T) {
		_, stderr, code := p.runIn(t, []string{confined + "=" + p.state}, "--state.dir="+filepath.Join(p.home, "elsewhere"))
		if code != 1 || !strings.Contains(stderr, "permission denied; --state.dir takes another directory") {
			t.Fatalf("it is not confined: code %d,\n%s", code, stderr)
		}
	})

	d := p.confinedTo(t, p.state)
	s := script{cwd: "/home/dev/live", session: uuid(7)}
	path := filepath.Join(p.projects(), "live", s.session+".jsonl")
	writeFile(t, path, s.prompt("one"))
	before := p.everythingElse(t)
	prompts := func(n int) func() bool {
		return func() bool { return d.has(fmt.Sprintf(`claude_prompts_total{kind="text",project="live"} %d`, n)) }
	}
	eventually(t, "a new session is counted", prompts(1))
	d.signal(syscall.SIGHUP)
	eventually(t, "it is reloaded", func() bool { return strings.Contains(d.log.String(), "Reloaded the configuration") })
	if d.sample("ccwatchd_checkpoints_total") == 0 {
		t.Error("the state was not saved")
	}
	d.goesWell()
	p.unchanged(t, before)

	d = p.confinedTo(t, p.state)
	if err := appendTo(path, []byte(s.prompt("two"))); err != nil {
		t.Fatal(err)
	}
	before = p.everythingElse(t)
	eventually(t, "a prompt is counted after the restart", prompts(2))
	d.kill()
	d = p.confinedTo(t, p.state)
	eventually(t, "all is there after a crash", prompts(2))
	d.goesWell()
	p.unchanged(t, before)
}

// TestOnceWritesNothing has the kernel refuse every change to a single reading.
func TestOnceWritesNothing(t *testing.T) {
	needsLandlock(t)
	p := filled(t)
	before := p.everythingElse(t)
	want, _, code := p.run(t, "once", p.projects())
	if code != 0 {
		t.Fatalf("exit code %d without being confined", code)
	}
	got, stderr, code := p.runIn(t, []string{confined + "="}, "once", p.projects())
	if code != 0 || got != want {
		t.Errorf("code %d, %d bytes instead of %d, and it says\n%s", code, len(got), len(want), stderr)
	}
	p.unchanged(t, before)
	if _, err := os.Stat(p.state); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a state directory: %v", err)
	}
}

// TestDemoIsConfined has the kernel refuse every change outside of the directory for
// temporary files.
func TestDemoIsConfined(t *testing.T) {
	needsLandlock(t)
	p, temporary := newPlace(t), t.TempDir()
	p.more = []string{confined + "=" + temporary}
	d := p.visit(t, temporary, "--speed=200").ready()
	before := p.everythingElse(t)
	eventually(t, "sessions come after the first ones", func() bool { n, _ := d.sum("claude_sessions_total"); return n > 10 })
	d.goesWell()
	p.unchanged(t, before)
}

// TestDashboardsAreConfined has the kernel refuse every change outside of the directory
// that is named.
func TestDashboardsAreConfined(t *testing.T) {
	needsLandlock(t)
	p, out := newPlace(t), t.TempDir()
	before := p.everythingElse(t)
	stdout, stderr, code := p.runIn(t, []string{confined + "=" + out}, "dashboards", "--out="+filepath.Join(out, "new"))
	if code != 0 || len(below(t, out)) == 0 {
		t.Errorf("code %d, %d files, and it says\n%s%s", code, len(below(t, out)), stderr, stdout)
	}
	p.unchanged(t, before)
}

// confinedTo starts a daemon that can change nothing outside of a directory.
func (p place) confinedTo(t *testing.T, dir string) *process {
	t.Helper()
	p.more = []string{confined + "=" + dir}
	return p.start(t).ready()
}

// goesWell ends the daemon and sees that it has nothing to complain of.
func (d *process) goesWell() {
	d.t.Helper()
	if n := d.sample("ccwatchd_checkpoint_failures_total"); n != 0 {
		d.t.Errorf("the state could not be saved %v times", n)
	}
	d.stop()
	if log := d.log.String(); strings.Contains(log, "level=ERROR") || strings.Contains(log, "level=WARN") {
		d.t.Errorf("it complains:\n%s", log)
	}
}

// everythingElse is what is in the place beside the state: names, sizes, modes
// and times of modification.
func (p place) everythingElse(t *testing.T) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(filepath.Dir(p.home), func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == p.state:
			return filepath.SkipDir
		}
		info, err := e.Info()
		if err == nil {
			all[path] = fmt.Sprint(info.Size(), info.Mode(), info.ModTime())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func (p place) unchanged(t *testing.T, before map[string]string) {
	t.Helper()
	now := p.everythingElse(t)
	for path, was := range before {
		if now[path] != was {
			t.Errorf("%s was %s and is %q", path, was, now[path])
		}
	}
	if len(now) != len(before) {
		t.Errorf("%d files and directories before, %d now", len(before), len(now))
	}
}
