package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// variable passes the box to the sandboxed process.
const variable = "CCWATCHD_SANDBOX"

// Command returns a command that runs this program again, which must call Enter first.
func (b Box) Command(ctx context.Context, args ...string) (*exec.Cmd, error) {
	for name := range b.Binds {
		if err := os.MkdirAll(filepath.Join(b.Dir, name), 0o700); err != nil {
			return nil, fmt.Errorf("prepare a sandbox: %w", err)
		}
	}
	if err := os.MkdirAll(filepath.Join(b.Dir, "tmp"), 0o700); err != nil {
		return nil, fmt.Errorf("prepare a sandbox: %w", err)
	}
	box, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "/proc/self/exe", args...) //nolint:gosec // this program
	cmd.Env = []string{variable + "=" + string(box)}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWNET | unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWIPC,
		Pdeathsig:  syscall.SIGKILL, // kills the first process, and with it the namespace
	}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	return cmd, nil
}

// Enter mounts the directories of the process and enables its loopback.
func Enter() error {
	var b Box
	if err := json.Unmarshal([]byte(os.Getenv(variable)), &b); err != nil {
		return fmt.Errorf("not in a sandbox: %w", err)
	}
	if os.Getpid() != 1 {
		return errors.New("not in a namespace of processes")
	}
	if err := b.mount(); err != nil {
		return err
	}
	return loopback()
}

func (b Box) mount() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("detach mounts: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	bind := func(from, to string) error {
		if err := unix.Mount(from, to, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return fmt.Errorf("show %s as %s: %w", from, to, err)
		}
		return nil
	}
	if err := bind(b.Dir, b.At); err != nil {
		return err
	}
	for name, from := range b.Binds {
		if err := bind(from, filepath.Join(b.At, name)); err != nil {
			return err
		}
	}
	return bind(filepath.Join(b.At, "tmp"), "/tmp") // last: other directories can be below it
}

func loopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("enable the loopback: %w", err)
	}
	defer unix.Close(fd) //nolint:errcheck // it has done its work
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request); err != nil {
		return fmt.Errorf("enable the loopback: %w", err)
	}
	return nil
}
