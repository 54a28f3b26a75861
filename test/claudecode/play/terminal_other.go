//go:build !linux

package play

import (
	"errors"
	"os/exec"
)

// open returns an error: it is called only within a sandbox, which needs Linux.
func open(*exec.Cmd) (*terminal, error) { return nil, errors.ErrUnsupported }
