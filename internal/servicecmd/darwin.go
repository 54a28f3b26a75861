package servicecmd

import (
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
	_, err := launchctl("print", loginDomain())
	e.session = err == nil
}
