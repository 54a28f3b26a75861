//go:build unix

package servicecmd

import (
	"fmt"
	"os"
	"os/user"
	"runtime"
)

// detect returns the environment of a service command and the account that runs the
// service: the user who called sudo, unless root logged in directly.
func detect(manager string, env func(string) string) (environment, account, error) {
	e := environment{manager: manager, root: os.Geteuid() == 0, sudo: env("SUDO_USER")}
	me, err := user.Current()
	if e.root && e.sudo != "" {
		me, err = user.Lookup(e.sudo)
	}
	if err != nil {
		return e, account{}, fmt.Errorf("look up the current user: %w", err)
	}
	switch runtime.GOOS {
	case "linux":
		e.detectLinux(env)
	case "darwin":
		e.detectDarwin()
	}
	return e, account{name: me.Username, home: me.HomeDir}, nil
}
