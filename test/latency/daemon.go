package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"github.com/ccwatchd/ccwatchd/test/exposition"
)

// patience limits every wait. It is long, since only failures wait that long.
const patience = 10 * time.Minute

// A daemon is a running ccwatchd.
type daemon struct {
	cmd     *exec.Cmd
	log     *log
	kill    context.CancelFunc
	ended   chan struct{}
	client  http.Client
	address string
}

// start starts a daemon that polls everything below root, and waits until it is ready.
// Without project names the number of series is small, and new projects add none.
func start(ctx context.Context, o options, dir, root string) (*daemon, error) {
	config := filepath.Join(dir, "ccwatchd.yml")
	text := fmt.Sprintf("sources: [{path: %q}]\nlabels: {project: {naming: none}}\nlimits: {watches: 0}\nintervals: {scan: %v}\n", root, o.scan)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return nil, err
	}
	ctx, kill := context.WithCancel(ctx)
	d := &daemon{
		log: &log{listens: make(chan string, 1)}, kill: kill, ended: make(chan struct{}),
		client: http.Client{Timeout: patience, Transport: &http.Transport{DisableCompression: true}},
		cmd:    exec.CommandContext(ctx, o.binary, "--config.file="+config, "--state.dir="+filepath.Join(dir, "state"), "--web.listen-address=127.0.0.1:0"), //nolint:gosec // the user's choice
	}
	d.cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
	d.cmd.Stderr = d.log
	if err := d.cmd.Start(); err != nil {
		kill()
		return nil, fmt.Errorf("start ccwatchd: %w", err)
	}
	go func() {
		_ = d.cmd.Wait() // how it ended is irrelevant, and the log has the reason
		close(d.ended)
	}()
	if err := d.awaitReady(ctx); err != nil {
		d.stop()
		return nil, fmt.Errorf("%w\n%s", err, d.log)
	}
	return d, nil
}

func (d *daemon) stop() {
	d.kill()
	<-d.ended
	d.client.CloseIdleConnections()
}

func (d *daemon) awaitReady(ctx context.Context) error {
	select {
	case d.address = <-d.log.listens:
	case <-d.ended:
		return errors.New("ccwatchd ended at its start")
	}
	for began := time.Now(); time.Since(began) < patience; {
		status, _, err := d.get(ctx, "/-/ready")
		if err != nil || status == http.StatusOK {
			return err
		}
		if err := rest(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
	return fmt.Errorf("ccwatchd is not ready after %v", patience)
}

// sample returns the sum of a metric in a scrape.
func (d *daemon) sample(ctx context.Context, name string) (float64, error) {
	status, body, err := d.get(ctx, "/metrics")
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("scrape: status %d, want %d", status, http.StatusOK)
	}
	if err != nil {
		return 0, err
	}
	samples, err := exposition.ParseText(body)
	sum, found := samples.Sum(name)
	if err == nil && !found {
		err = fmt.Errorf("no metric %s", name)
	}
	return sum, err
}

func (d *daemon) get(ctx context.Context, path string) (status int, body string, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+d.address+path, http.NoBody) //nolint:gosec // the daemon that was started
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Accept", exposition.Text)
	a, err := d.client.Do(r) //nolint:gosec // the same
	if err != nil {
		return 0, "", err
	}
	defer a.Body.Close() //nolint:errcheck // only read
	b, err := io.ReadAll(a.Body)
	return a.StatusCode, string(b), err
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

// A log is the standard error of a daemon.
type log struct {
	mu      sync.Mutex
	text    []byte
	listens chan string // gets the address
}

var listening = regexp.MustCompile(`msg="Listening on" address=(\S+)\n`)

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, b...)
	if m := listening.FindSubmatch(l.text); m != nil {
		select {
		case l.listens <- string(m[1]):
		default:
		}
	}
	return len(b), nil
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text)
}
