package servicecmd

import (
	"fmt"
	"os"
	"os/exec"
)

func (e *environment) detectPlatform(func(string) string) {
	domain := fmt.Sprintf("gui/%d", os.Geteuid())
	e.session = exec.Command("launchctl", "print", domain).Run() == nil //nolint:gosec,noctx // a number, and at once
}
