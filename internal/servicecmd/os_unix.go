//go:build unix

package main

import (
	"fmt"
	"os"
	"os/user"
)

// lookAround finds out what a service command has to know of the machine, and
// of whom it is about: who asks, even if that is root by now.
func lookAround(manager string, env func(string) string) (surroundings, account, error) {
	s := surroundings{manager: manager, root: os.Geteuid() == 0, sudo: env("SUDO_USER")}
	me, err := user.Current()
	if s.root && s.sudo != "" {
		me, err = user.Lookup(s.sudo)
	}
	if err != nil {
		return s, account{}, fmt.Errorf("find out who asks: %w", err)
	}
	s.look(env)
	return s, account{name: me.Username, home: me.HomeDir}, nil
}

// exist reports whether one of several files is there.
func exist(paths ...string) bool {
	for _, path := range paths {
		if _, err := os.Stat(path); err == nil {
			return true
		}
	}
	return false
}
