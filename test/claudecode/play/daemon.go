package play

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/ccwatchd/ccwatchd/test/claudecode/scenario"
	"github.com/ccwatchd/ccwatchd/test/exposition"
)

// A daemon is ccwatchd while it watches the home directory of a run.
type daemon struct {
	program string
	cmd     *exec.Cmd
	next    chan *exec.Cmd // runs at the end
}

// address is free: the sandbox has a loopback of its own.
const address = "127.0.0.1:10229"

// configuration exposes new series at once. Messages end after a time longer than
// Claude Code's pauses.
const configuration = "intervals: {zero_window: 0s, message_timeout: 10s}\n"

// Ccwatchd returns a command that runs ccwatchd for the home directory of a run.
func Ccwatchd(ctx context.Context, program, home string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...) //nolint:gosec // of the caller
	cmd.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin"}
	cmd.Dir = home
	return cmd
}

func inRun(names ...string) string {
	return filepath.Join(append([]string{scenario.Run}, names...)...)
}

func (d *daemon) start(ctx context.Context) error {
	if err := os.WriteFile(inRun("ccwatchd.yml"), []byte(configuration), 0o600); err != nil {
		return fmt.Errorf("start the daemon: %w", err)
	}
	log, err := os.OpenFile(inRun(LogFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("start the daemon: %w", err)
	}
	defer log.Close() //nolint:errcheck // the daemon writes it
	d.cmd = Ccwatchd(context.WithoutCancel(ctx), d.program, scenario.Home,
		"--config.file="+inRun("ccwatchd.yml"), "--state.dir="+inRun("state"), "--web.listen-address="+address)
	d.cmd.Stderr = log
	if err := d.cmd.Start(); err != nil {
		return fmt.Errorf("start the daemon: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, actionTime)
	defer cancel()
	return wait(ctx, "the daemon listens", func() bool { _, err := scrape(ctx); return err == nil })
}

// killOnce kills the daemon after the first answer, and starts it again. Without an
// answer it returns when the context ends.
func (p *player) killOnce(ctx context.Context) {
	d := p.daemon
	defer close(d.next)
	if err := wait(ctx, "the first answer", func() bool { return p.api.Answers() > 0 }); err != nil {
		d.next <- d.cmd
		return
	}
	again := &daemon{program: d.program}
	err := errors.Join(d.cmd.Process.Kill(), ignoreSignal(d.cmd.Wait()), again.start(context.WithoutCancel(ctx)))
	if err == nil {
		d.next <- again.cmd
	}
}

// ignoreSignal returns no error for a process that was killed.
func ignoreSignal(err error) error {
	if _, killed := errors.AsType[*exec.ExitError](err); killed {
		return nil
	}
	return err
}

// finish waits until the daemon's counters equal those from "once", or settleTime has
// passed, and keeps the last exposition.
func (d *daemon) finish(ctx context.Context) error {
	if d.cmd = <-d.next; d.cmd == nil {
		return errors.New("the daemon could not be killed and started again")
	}
	out, err := Ccwatchd(ctx, d.program, scenario.Home, "once").Output()
	if err != nil {
		return fmt.Errorf("count at rest: %w", err)
	}
	want, err := exposition.ParseText(string(out))
	if err != nil {
		return err
	}
	var last []byte
	deadline, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	// A difference that remains is found by the comparison of the two expositions.
	_ = wait(deadline, "all is counted", func() bool {
		if last, err = scrape(ctx); err != nil {
			return false
		}
		got, err := exposition.ParseText(string(last))
		return err == nil && Equal(want, got)
	})
	if err := os.WriteFile(inRun(MetricsFile), last, 0o600); err != nil {
		return fmt.Errorf("keep the metrics: %w", err)
	}
	return errors.Join(d.cmd.Process.Signal(syscall.SIGTERM), d.cmd.Wait())
}

// settleTime is how long the daemon may take to count files that no longer change.
const settleTime = 40 * time.Second

// Equal reports whether two expositions count the same.
func Equal(a, b exposition.Samples) bool {
	return maps.Equal(Counts(a), Counts(b))
}

// whenRead is a family that depends on when lines are read, not on their content.
const whenRead = "ccwatchd_replaced_times_total"

// Counts returns the values of all counters of the ledger, by series.
func Counts(all exposition.Samples) map[string]float64 {
	kept, _ := all.Counters()
	counts := make(map[string]float64, len(kept))
	for series, s := range kept {
		if s.Value != 0 && s.Family != whenRead {
			counts[series] = s.Value
		}
	}
	return counts
}

func scrape(ctx context.Context) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/metrics", http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close() //nolint:errcheck // only read
	return io.ReadAll(response.Body)
}
