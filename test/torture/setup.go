package torture

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/ccwatchd/ccwatchd/test/exposition"
	"github.com/ccwatchd/ccwatchd/test/gobuild"
)

// Message timeouts. While sessions are written, no message may be counted before it is
// complete, since the final counts may be lower.
const (
	longTimeout  = "24h"
	shortTimeout = "1s" // the minimum
)

// A sandbox is the directory of the daemon.
type sandbox struct {
	dir, binary string
	attributes  *syscall.SysProcAttr // of the daemon
	readsAll    bool                 // file modes do not restrict the daemon
	logFile     *os.File
}

func (s *sandbox) state() string      { return filepath.Join(s.dir, "state") }
func (s *sandbox) configFile() string { return filepath.Join(s.dir, "ccwatchd.yml") }

func (s *sandbox) writeConfig(yaml string) error {
	return os.WriteFile(s.configFile(), []byte(yaml), 0o644) //nolint:gosec // synthetic
}

// command returns a command of ccwatchd, without the user's own environment.
func (s *sandbox) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.binary, append([]string{"--config.file=" + s.configFile()}, args...)...) //nolint:gosec // the binary to test
	cmd.Dir = s.dir
	cmd.Env = []string{"HOME=" + filepath.Join(s.dir, "home"), "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}
	cmd.SysProcAttr = s.attributes
	return cmd
}

// once returns what "ccwatchd once" counts.
func (s *sandbox) once(ctx context.Context, dir string, attributes *syscall.SysProcAttr) (exposition.Samples, error) {
	var stderr strings.Builder
	cmd := s.command(ctx, "once", dir)
	cmd.SysProcAttr = attributes
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("read %s once: %w: %s", filepath.Base(dir), err, stderr.String())
	}
	return exposition.ParseText(string(out))
}

// prepare fills the sandbox and starts the daemon.
func (r *run) prepare(ctx context.Context) error {
	if err := os.Chmod(r.sandbox.dir, 0o755); err != nil { //nolint:gosec // synthetic
		return err
	}
	if err := r.sandbox.findBinary(ctx, r.Binary); err != nil {
		return err
	}
	if err := r.abuser.prepare(); err != nil {
		return err
	}
	if err := r.sandbox.writeConfig(r.config(longTimeout)); err != nil {
		return err
	}
	if err := os.Mkdir(r.sandbox.state(), 0o700); err != nil {
		return err
	}
	if err := r.tree.probe(); err != nil {
		return err
	}
	if err := r.dropPrivileges(ctx); err != nil {
		return err
	}
	return r.start(ctx)
}

// findBinary uses the given ccwatchd, or builds one.
func (s *sandbox) findBinary(ctx context.Context, binary string) (err error) {
	if binary != "" {
		s.binary, err = filepath.Abs(binary)
		return err
	}
	s.binary = filepath.Join(s.dir, "ccwatchd")
	return gobuild.Build(ctx, gobuild.Ccwatchd, s.binary)
}

// dropPrivileges runs the daemon as an unprivileged user if this process is root and
// that is possible: root can read hidden files.
func (r *run) dropPrivileges(ctx context.Context) error {
	r.sandbox.attributes = sysProcAttr(false)
	if !isRoot() {
		return nil
	}
	_, err := r.sandbox.once(ctx, r.tree.root, sysProcAttr(true))
	if r.sandbox.readsAll = err != nil; r.sandbox.readsAll {
		_, _ = fmt.Fprintf(r.Progress, "torture: no files are hidden, since the daemon cannot run as another user: %v\n", err)
		return nil
	}
	r.sandbox.attributes = sysProcAttr(true)
	return chown(r.sandbox.state())
}

// zeroWindow is for how long a new series is 0.
const zeroWindow = 2 * time.Second

// config returns a configuration with the sources of both users.
func (r *run) config(messageTimeout string) string {
	return r.configOf(messageTimeout, source(honestUser, r.tree.root)+source(abuserName, r.abuser.root))
}

func source(user, dir string) string {
	return fmt.Sprintf("  - {path: %q, labels: {%s: %s}}\n", dir, userLabel, user)
}

// configOf returns a configuration, partly random. Intervals are short and label limits
// high. Projects are named by the number at the end of their names, so that moved
// projects do not exceed the limit.
func (r *run) configOf(messageTimeout, sources string) string {
	scan := pick(r.rng, []string{"1s", "30s"})
	if messageTimeout == shortTimeout { // some messages are counted only after two scans
		scan = "1s"
	}
	watches := pick(r.rng, []int{8192, 8192, 8, 0})
	if r.Polling {
		watches = 0
	}
	return fmt.Sprintf(`
sources:
%slabels:
  project: {map: [{match: '.*-([0-9]+)', name: 'project-$1'}]}
  max_values: {model: 100, tool: 10000, mcp_server: 1000, error: 1000, status: 1000, command: 1000}
intervals: {scan: %s, poll: %s, checkpoint: 1s, sync: %s, message_timeout: %s, zero_window: %s}
limits: {watches: %d, dedup_keys: %d}
`, sources, scan, pick(r.rng, []string{"20ms", "200ms"}), pick(r.rng, []string{"10ms", "1s"}), messageTimeout, zeroWindow, watches, r.abuser.keys)
}
