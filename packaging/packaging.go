// Package packaging holds the files that are installed beside the program:
// units for the managers of services, the configuration of the system, and
// what goes with them. Packages install them as they are. What the program
// installs by itself is made of the same files, see Unit, so that each exists once.
package packaging

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed systemd launchd openrc freebsd sysusers.d default config prometheus grafana/dashboards grafana/provisioning
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

// Monitoring returns the names of the files for Prometheus and Grafana, in their
// order: the rules, what to scrape, the dashboards, and what has Grafana find them.
// They belong below one directory, where prometheus.yml finds the rules.
func Monitoring() []string {
	var names []string
	for _, dir := range []string{"grafana", "prometheus"} {
		// What is in the program can be read.
		_ = fs.WalkDir(files, dir, func(name string, e fs.DirEntry, _ error) error {
			if !e.IsDir() {
				names = append(names, name)
			}
			return nil
		})
	}
	return names
}

// Read returns a file, by one of the names above or of Monitoring. It panics if
// there is none of that name, since the names are constants.
func Read(name string) string {
	b, err := files.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// ScrapeConfig returns the scrape configuration of Prometheus for a daemon at a
// target, which is a host and a port.
func ScrapeConfig(target string) string {
	_, jobs, _ := strings.Cut(Read(Prometheus), "scrape_configs:\n")
	return "scrape_configs:\n" + strings.TrimRight(strings.ReplaceAll(jobs, defaultTarget, target), "\n")
}

// defaultTarget is the target in the file for Prometheus.
const defaultTarget = "localhost:10229"
