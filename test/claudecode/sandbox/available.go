package sandbox

import (
	"context"
	"fmt"
	"os"
)

// Probe is the argument that makes this program only call Enter.
const Probe = "probe-sandbox"

// Available returns an error that says why no sandbox is possible here.
func Available(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "sandbox")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // empty
	cmd, err := Box{Dir: dir, At: "/mnt"}.Command(ctx, Probe)
	if err != nil {
		return err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("it needs root, or a kernel that permits user namespaces: %w %s", err, out)
	}
	return nil
}
