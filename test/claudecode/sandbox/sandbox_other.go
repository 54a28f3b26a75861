//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"os/exec"
)

var errLinux = errors.New("it needs the namespaces of Linux")

// Command returns an error.
func (b Box) Command(context.Context, ...string) (*exec.Cmd, error) { return nil, errLinux }

// Enter returns an error.
func Enter() error { return errLinux }
