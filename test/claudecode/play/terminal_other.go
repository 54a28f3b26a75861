//go:build !linux

package play

import (
	"errors"
	"os/exec"
)

// open returns an error: a sandbox, in which it would be called, needs Linux.
func open(*exec.Cmd) (*terminal, error) { return nil, errors.ErrUnsupported }
