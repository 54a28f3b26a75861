package torture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// patience is how long anything may take. It is long, since nobody waits for
// it unless something is wrong.
const patience = time.Minute

// A place is where the daemon lives.
type place struct {
	dir, binary string
	attributes  *syscall.SysProcAttr // of the processes
	readsAll    bool                 // no mode of a file binds them
	keep        io.Writer            // gets what they log
}

func (p *place) state() string  { return filepath.Join(p.dir, "state") }
func (p *place) config() string { return filepath.Join(p.dir, "ccwatchd.yml") }

// command is ccwatchd with some arguments. Nothing of the tester's own home may
// leak into it.
func (p *place) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, p.binary, append([]string{"--config.file=" + p.config()}, args...)...) //nolint:gosec // that is what it is for
	cmd.Dir = p.dir
	cmd.Env = []string{"HOME=" + filepath.Join(p.dir, "home"), "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}
	cmd.SysProcAttr = p.attributes
	return cmd
}

// once returns the exposition of one reading of a directory, by a user who may
// be another one.
func (p *place) once(ctx context.Context, dir string, as *syscall.SysProcAttr) (string, error) {
	var errs strings.Builder
	cmd := p.command(ctx, "once", dir)
	cmd.SysProcAttr = as
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("read %s once: %w: %s", filepath.Base(dir), err, errs.String())
	}
	return string(out), nil
}

// A process is a daemon from its start to its end.
type process struct {
	cmd       *exec.Cmd
	log       *log
	probes    int           // that lay there when it was started
	ready     chan struct{} // closed once it said so, and was believed
	ended     chan struct{}
	dying     atomic.Bool // it was told to end
	paused    bool
	following sync.WaitGroup
}

// start starts the daemon and has it followed by the judge.
func (r *run) start(ctx context.Context) error {
	if r.daemon != nil {
		return nil
	}
	for range 1 + r.dice.IntN(3) {
		if err := r.tree.probe(); err != nil {
			return err
		}
	}
	r.judge.born()
	p := &process{probes: r.tree.probes, ready: make(chan struct{}), ended: make(chan struct{})}
	p.log = &log{keep: r.place.keep, listens: make(chan struct{}), wrong: func(why string, line []byte) {
		r.judge.condemn("the log %s: %s", why, line)
	}}
	// Its end is decided here, and not by the context.
	p.cmd = r.place.command(context.WithoutCancel(ctx), "--state.dir="+r.place.state(), "--web.listen-address=127.0.0.1:0")
	p.cmd.Stderr = p.log
	if err := p.cmd.Start(); err != nil {
		return fmt.Errorf("start the daemon: %w", err)
	}
	r.daemon = p
	r.count[starts]++
	p.following.Go(func() {
		err := p.cmd.Wait()
		close(p.ended)
		if !p.dying.Load() {
			r.judge.condemn("the daemon ended by itself: %v", err)
		}
	})
	p.following.Go(func() { r.follow(ctx, p) })
	return nil
}

// end ends the daemon, if there is one, and waits until it has.
func (r *run) end(s syscall.Signal) error {
	p := r.daemon
	if p == nil {
		return nil
	}
	r.daemon = nil
	p.dying.Store(true)
	err := p.cmd.Process.Signal(s)
	if p.paused && s != syscall.SIGKILL {
		err = resume(p.cmd.Process)
	}
	select {
	case <-p.ended:
		if errors.Is(err, os.ErrProcessDone) {
			err = nil
		}
	case <-time.After(patience):
		r.judge.condemn("the daemon does not end: want it to within %v of %v", patience, s)
		_ = p.cmd.Process.Kill()
	}
	p.following.Wait()
	if code := p.cmd.ProcessState.ExitCode(); s == syscall.SIGTERM && code > 0 {
		r.judge.condemn("the daemon is told to end: want code 0, got %d", code)
	}
	return err
}
