package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/statusclient"
	"github.com/ccwatchd/ccwatchd/test/exposition"
)

// patience limits every wait. It is long, since only failures wait that long.
const patience = 10 * time.Minute

// A daemon is a running ccwatchd.
type daemon struct {
	client *statusclient.Client
	kill   context.CancelFunc
	ended  chan struct{}
	log    bytes.Buffer // complete when it has ended
}

// start starts a daemon that polls everything below root, and waits until it is ready.
// Without project names the number of series is small, and new projects add none.
func start(ctx context.Context, o options, dir, root string) (*daemon, error) {
	config := filepath.Join(dir, "ccwatchd.yml")
	text := fmt.Sprintf("sources: [{path: %q}]\nlabels: {project: {naming: none}}\nlimits: {watches: 0}\nintervals: {scan: %v}\n", root, o.scan)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return nil, err
	}
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	ctx, kill := context.WithCancel(ctx)
	d := &daemon{client: statusclient.New(address), kill: kill, ended: make(chan struct{})}
	cmd := exec.CommandContext(ctx, o.binary, "--config.file="+config, "--state.dir="+filepath.Join(dir, "state"), "--web.listen-address="+address) //nolint:gosec // the user's choice
	cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
	cmd.Stderr = &d.log
	if err := cmd.Start(); err != nil {
		kill()
		return nil, fmt.Errorf("start ccwatchd: %w", err)
	}
	go func() {
		_ = cmd.Wait() // how it ended is irrelevant, and the log has the reason
		close(d.ended)
	}()
	if err := d.awaitReady(ctx); err != nil {
		d.stop()
		return nil, fmt.Errorf("%w\n%s", err, &d.log)
	}
	return d, nil
}

func freeAddress(ctx context.Context) (string, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

func (d *daemon) stop() {
	d.kill()
	<-d.ended
}

func (d *daemon) awaitReady(ctx context.Context) error {
	for began := time.Now(); ; {
		err := d.client.Ready(ctx)
		if err == nil || time.Since(began) > patience {
			return err
		}
		select {
		case <-d.ended:
			return errors.New("ccwatchd ended at its start")
		default:
		}
		if err := rest(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}

// sample returns the sum of a metric in a scrape.
func (d *daemon) sample(ctx context.Context, name string) (float64, error) {
	body, err := d.client.Stream(ctx, "/metrics")
	if err != nil {
		return 0, err
	}
	defer body.Close() //nolint:errcheck // only read
	samples, err := exposition.Parse(body, exposition.Text)
	sum, found := samples.Sum(name)
	if err == nil && !found {
		err = fmt.Errorf("no metric %s", name)
	}
	return sum, err
}

// rest waits without using any CPU time.
func rest(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
