//go:build linux

// Package mounttest lets tests mount directories without privileges.
package mounttest

import (
	"bytes"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

const variable = "CCWATCHD_MOUNTTEST"

// InNamespaces runs the current test in another process that may mount: it has its own
// user and mount namespaces. It returns true in that process. It skips the test where
// that is not permitted.
func InNamespaces(t *testing.T) bool {
	t.Helper()
	if os.Getenv(variable) == t.Name() {
		return true
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run=^"+t.Name()+"$") //nolint:gosec // this program
	cmd.Env = append(os.Environ(), variable+"="+t.Name())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		Pdeathsig:   syscall.SIGKILL,
	}
	out, err := cmd.CombinedOutput()
	if cmd.Process == nil {
		t.Skipf("namespaces are missing or restricted: %v", err)
	}
	switch {
	case err != nil:
		t.Errorf("in namespaces: %v\n%s", err, out)
	case bytes.Contains(out, []byte("--- SKIP")):
		t.Skipf("in namespaces: %s", out)
	}
	return false
}

// Bind makes a directory appear at another path, too, until the test ends.
func Bind(t *testing.T, dir, at string) {
	t.Helper()
	if err := os.MkdirAll(at, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount(dir, at, "", syscall.MS_BIND, ""); err != nil {
		t.Skipf("cannot mount: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(at, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}
