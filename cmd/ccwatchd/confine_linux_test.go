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

	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// confined is the environment variable that confines the program with Landlock. Its
// value lists the only writable directories; connecting to any address is forbidden.
const confined = "CCWATCHD_TEST_WRITES_ONLY_IN"

// changes are all access rights of Landlock that change a file or a directory.
const changes = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
	unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
	unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK |
	unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE

// needsLandlock skips a test if the kernel lacks Landlock.
func needsLandlock(t *testing.T) {
	t.Helper()
	const networkVersion = 4
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		t.Skipf("the kernel has no Landlock: %v", errno)
	}
	if version < networkVersion {
		t.Skipf("the kernel has version %d of Landlock, want %d", version, networkVersion)
	}
}

// confine executes the program again as a confined process if
// $CCWATCHD_TEST_WRITES_ONLY_IN is set. Landlock confines a thread, and every program
// that it executes.
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
		return fmt.Errorf("drop privileges: %w", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0, 0); errno != 0 {
		return fmt.Errorf("restrict: %w", errno)
	}
	return nil
}

// The daemon works if the kernel refuses every change outside of the state directory,
// and every connection to another address.
func TestConfined(t *testing.T) {
	needsLandlock(t)
	p := filled(t)
	p.configure(t, "sources: [{path: "+strconv.Quote(p.projects())+"}]\nintervals: {scan: 1s, poll: 10ms, checkpoint: 1s, sync: 10ms}\n")
	makeDir(t, p.state)
	_, stderr, code := p.with(confined+"="+p.state).runProcess(t, "--state.dir="+filepath.Join(p.home, "elsewhere"))
	if code != 1 || !strings.Contains(stderr, "permission denied; use another directory with --state.dir") {
		t.Fatalf("not confined: code %d,\n%s", code, stderr)
	}

	p = p.with(confined + "=" + p.state)
	d := p.start(t).ready()
	s := p.newSession(t, "live")
	s.prompts(1)
	before := p.snapshot(t)
	d.waitForPrompts(s)
	d.signal(syscall.SIGHUP)
	d.waitForLog("Reloaded the configuration")
	if d.sample("ccwatchd_checkpoints_total") == 0 {
		t.Error("the state was not saved")
	}
	d.stopsClean()
	p.checkUnchanged(t, before)

	d = p.start(t).ready()
	s.prompts(1)
	before = p.snapshot(t)
	d.waitForPrompts(s)
	d.kill()
	d = p.start(t).ready()
	d.waitForPrompts(s)
	d.stopsClean()
	p.checkUnchanged(t, before)
}

// Once works if the kernel refuses every change.
func TestOnceWritesNothing(t *testing.T) {
	needsLandlock(t)
	p := filled(t)
	before := p.snapshot(t)
	want, _, _ := p.run(t, "once", p.projects())
	got, stderr, code := p.with(confined+"=").runProcess(t, "once", p.projects())
	if code != 0 || got != want || got == "" {
		t.Errorf("code %d, got %d bytes, want %d:\n%s", code, len(got), len(want), stderr)
	}
	p.checkUnchanged(t, before)
	if _, err := os.Stat(p.state); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the state directory exists: %v", err)
	}
}

// The dashboards are written if the kernel refuses every change outside of their
// directory.
func TestDashboardsAreConfined(t *testing.T) {
	needsLandlock(t)
	p, out := newSandbox(t), t.TempDir()
	before := p.snapshot(t)
	stdout, stderr, code := p.with(confined+"="+out).runProcess(t, "dashboards", "--out="+filepath.Join(out, "new"))
	if code != 0 || len(transcripttest.ReadTree(t, out)) == 0 {
		t.Errorf("code %d, got %d files:\n%s%s", code, len(transcripttest.ReadTree(t, out)), stderr, stdout)
	}
	p.checkUnchanged(t, before)
}

// stopsClean stops the daemon and checks that it has logged no error.
func (d *process) stopsClean() {
	d.t.Helper()
	if n := d.sample("ccwatchd_checkpoint_failures_total"); n != 0 {
		d.t.Errorf("got %v failed checkpoints", n)
	}
	d.stop()
	if d.hasLoggedFault() {
		d.t.Errorf("the log has errors:\n%s", d.log.String())
	}
}

// snapshot returns the size, mode and modification time of every file in the sandbox
// except the state, by name.
func (p sandbox) snapshot(t *testing.T) map[string]string {
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

func (p sandbox) checkUnchanged(t *testing.T, before map[string]string) {
	t.Helper()
	after := p.snapshot(t)
	for path, info := range before {
		if after[path] != info {
			t.Errorf("%s: before %s, after %q", path, info, after[path])
		}
	}
	if len(after) != len(before) {
		t.Errorf("got %d files and directories before, %d after", len(before), len(after))
	}
}
