package torture

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// never is longer than anything may be quiet while sessions are written: a
// message that is counted before it is complete may be more than it was.
const never = "24h"

// soon is the shortest time after which what is quiet is counted.
const soon = "1s"

// prepare gets everything ready, and starts the daemon for the first time.
func (r *run) prepare(ctx context.Context) error {
	if err := os.Chmod(r.place.dir, 0o755); err != nil { //nolint:gosec // all of it is made up
		return err
	}
	if err := r.place.getBinary(ctx, r.Binary); err != nil {
		return err
	}
	if err := r.place.configure(r.settings(never)); err != nil {
		return err
	}
	if err := os.Mkdir(r.place.state(), 0o700); err != nil {
		return err
	}
	if err := r.tree.probe(); err != nil {
		return err
	}
	if err := r.lowerRights(ctx); err != nil {
		return err
	}
	return r.start(ctx)
}

// getBinary takes the daemon that is there, or builds one.
func (p *place) getBinary(ctx context.Context, binary string) (err error) {
	if binary != "" {
		p.binary, err = filepath.Abs(binary)
		return err
	}
	p.binary = filepath.Join(p.dir, "ccwatchd")
	out, err := exec.CommandContext(ctx, "go", "build", "-o", p.binary, "github.com/ccwatchd/ccwatchd/cmd/ccwatchd").CombinedOutput() //nolint:gosec // the name is made here
	if err != nil {
		return fmt.Errorf("build ccwatchd: %w\n%s", err, out)
	}
	return nil
}

// lowerRights has the daemon run as somebody whom modes of files bind, if this
// process is not bound by them itself and that is possible.
func (r *run) lowerRights(ctx context.Context) error {
	r.place.attributes = attributes(false)
	if !mayReadAll() {
		return nil
	}
	_, err := r.place.once(ctx, r.tree.root, attributes(true))
	if r.place.readsAll = err != nil; r.place.readsAll {
		_, _ = fmt.Fprintf(r.Progress, "torture: nothing is hidden, since the daemon cannot run as another user: %v\n", err)
		return nil
	}
	r.place.attributes = attributes(true)
	return give(r.place.state())
}

// settings are a configuration: everything that is done by time is done often,
// no label has too many values, and projects go by the number at the end of their
// names, lest there be more and more of them. The rest is drawn.
func (r *run) settings(settle string) string {
	scan := pick(r.dice, []string{"1s", "30s"})
	if settle == soon { // which for some things is not before it was walked twice
		scan = "1s"
	}
	return fmt.Sprintf(`
sources: [{path: %q}]
labels:
  project: {map: [{match: '.*-([0-9]+)', name: 'project-$1'}]}
  max_values: {model: 1000, tool: 10000, mcp_server: 1000, error: 1000, status: 1000, command: 1000}
intervals: {scan: %s, poll: %s, checkpoint: 1s, sync: %s, message_timeout: %s, zero_window: 2s}
limits: {watches: %d}
`, r.tree.root, scan, pick(r.dice, []string{"20ms", "200ms"}), pick(r.dice, []string{"10ms", "1s"}), settle, pick(r.dice, []int{8192, 8192, 8, 0}))
}

// configure writes the configuration.
func (p *place) configure(yaml string) error {
	return os.WriteFile(p.config(), []byte(yaml), 0o644) //nolint:gosec // all of it is made up
}

// reconfigure writes a configuration and has the daemon read it, if there is one.
func (r *run) reconfigure(ctx context.Context, yaml string) (bool, error) {
	if r.daemon == nil {
		return false, nil
	}
	if err := r.awaitListening(ctx); err != nil {
		return false, err
	}
	if err := r.place.configure(yaml); err != nil {
		return false, err
	}
	return true, reload(r.daemon.cmd.Process)
}
