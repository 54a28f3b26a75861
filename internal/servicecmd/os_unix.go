//go:build unix

package servicecmd

import (
	"fmt"
	"os"
	"os/user"
)

// detect returns the environment of a service command, and the account that the
// service is for: the user who called sudo, if root did not log in itself.
func detect(manager string, env func(string) string) (environment, account, error) {
	e := environment{manager: manager, root: os.Geteuid() == 0, sudo: env("SUDO_USER")}
	me, err := user.Current()
	if e.root && e.sudo != "" {
		me, err = user.Lookup(e.sudo)
	}
	if err != nil {
		return e, account{}, fmt.Errorf("look up the current user: %w", err)
	}
	e.detectPlatform(env)
	return e, account{name: me.Username, home: me.HomeDir}, nil
}

// anyExists reports whether one of several files exists.
func anyExists(paths ...string) bool {
	for _, path := range paths {
		if _, err := os.Stat(path); err == nil {
			return true
		}
	}
	return false
}
