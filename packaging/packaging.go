// Package packaging holds the files that are installed beside the program:
// units for the managers of services, the configuration of the system, and
// what goes with them. Packages install them as they are. What the program
// installs by itself is made of the same files, see Unit, so that each exists once.
package packaging

import "embed"

//go:embed systemd launchd openrc freebsd sysusers.d default config prometheus
var files embed.FS

// The files, by where they are in this package.
const (
	SystemdSystem = "systemd/ccwatchd.service"
	SystemdUser   = "systemd/user/ccwatchd.service"
	LaunchDaemon  = "launchd/ccwatchd.daemon.plist"
	LaunchAgent   = "launchd/ccwatchd.agent.plist"
	OpenRC        = "openrc/ccwatchd"
	FreeBSD       = "freebsd/ccwatchd"

	SystemConfig = "config/ccwatchd.yml"
	Sysusers     = "sysusers.d/ccwatchd.conf"
	Prometheus   = "prometheus/prometheus.yml"
)

// Read returns a file, by one of the names above. It panics if there is none
// of that name, since the names are constants.
func Read(name string) string {
	b, err := files.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return string(b)
}
