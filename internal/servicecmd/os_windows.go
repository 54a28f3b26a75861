package main

import (
	"fmt"
	"os"

	system "golang.org/x/sys/windows"
)

// lookAround finds out what a service command has to know of the machine, and
// of whom it is about.
func lookAround(manager string, env func(string) string) (surroundings, account, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return surroundings{}, account{}, fmt.Errorf("find out who asks: %w", err)
	}
	s := surroundings{manager: manager, root: system.GetCurrentProcessToken().IsElevated()}
	return s, account{name: env("USERNAME"), home: home}, nil
}
