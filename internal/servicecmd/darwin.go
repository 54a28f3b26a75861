package servicecmd

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/ccwatchd/ccwatchd/packaging"
)

func (o *Options) setLaunchdPaths(p *paths) {
	library := filepath.Join(p.account.home, "Library")
	p.log = filepath.Join(library, "Logs", "ccwatchd.log")
	if p.user {
		p.template, p.unit = packaging.LaunchAgent, filepath.Join(library, "LaunchAgents", "ccwatchd.plist")
		p.state = o.StateDir
		return
	}
	p.template, p.unit = packaging.LaunchDaemon, "/Library/LaunchDaemons/ccwatchd.plist"
	p.state = filepath.Join(library, "Application Support", "ccwatchd")
}

func (e *environment) detectDarwin() {
	domain := fmt.Sprintf("gui/%d", os.Geteuid())
	e.session = exec.Command("launchctl", "print", domain).Run() == nil //nolint:gosec,noctx // a number, and quick
}
