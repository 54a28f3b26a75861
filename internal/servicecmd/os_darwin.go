package main

import (
	"fmt"
	"os"
	"os/exec"
)

func (s *surroundings) look(func(string) string) {
	domain := fmt.Sprintf("gui/%d", os.Geteuid())
	s.session = exec.Command("launchctl", "print", domain).Run() == nil //nolint:gosec,noctx // a number, and at once
}
