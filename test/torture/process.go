package torture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// patience limits every wait. It is long, since only failures wait that long.
const patience = time.Minute

// A process is a daemon from its start to its end.
type process struct {
	cmd        *exec.Cmd
	log        *log
	probes     int           // probes that existed when it was started
	ready      chan struct{} // closed when it was ready and had counted them
	ended      chan struct{}
	ending     atomic.Bool // it was signaled to end
	paused     bool
	goroutines sync.WaitGroup
}

// start starts the daemon unless it runs, and scrapes it.
func (r *run) start(ctx context.Context) error {
	if r.daemon != nil {
		return nil
	}
	for range 1 + r.rng.IntN(3) {
		if err := r.tree.probe(); err != nil {
			return err
		}
	}
	r.checker.restarted()
	p := &process{probes: r.tree.probes, ready: make(chan struct{}), ended: make(chan struct{})}
	p.log = &log{out: r.sandbox.logFile, listens: make(chan struct{}), onError: func(why string, line []byte) {
		r.checker.fail("the log %s: %s", why, line)
	}}
	// end decides when the process ends, not the context.
	p.cmd = r.sandbox.command(context.WithoutCancel(ctx), "--state.dir="+r.sandbox.state(), "--web.listen-address=127.0.0.1:0")
	p.cmd.Stderr = p.log
	if err := p.cmd.Start(); err != nil {
		return fmt.Errorf("start the daemon: %w", err)
	}
	r.daemon = p
	r.count[starts]++
	p.goroutines.Go(func() {
		err := p.cmd.Wait()
		close(p.ended)
		if !p.ending.Load() {
			r.checker.fail("the daemon ended by itself: %v", err)
		}
	})
	p.goroutines.Go(func() { r.scrape(ctx, p) })
	return nil
}

// end ends the daemon if it runs, and waits for that.
func (r *run) end(s syscall.Signal) error {
	p := r.daemon
	if p == nil {
		return nil
	}
	r.daemon = nil
	p.ending.Store(true)
	err := p.cmd.Process.Signal(s)
	if p.paused && s != syscall.SIGKILL {
		err = sigcont(p.cmd.Process)
	}
	select {
	case <-p.ended:
		if errors.Is(err, os.ErrProcessDone) {
			err = nil
		}
	case <-time.After(patience):
		r.checker.fail("the daemon did not end within %v of %v", patience, s)
		_ = p.cmd.Process.Kill()
	}
	p.goroutines.Wait()
	if code := p.cmd.ProcessState.ExitCode(); s == syscall.SIGTERM && code > 0 {
		r.checker.fail("exit status after SIGTERM: want 0, got %d", code)
	}
	return err
}
