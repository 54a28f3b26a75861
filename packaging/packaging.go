// Package packaging embeds the files that are installed with the program: units of
// service managers, the system configuration, and files for Prometheus and Grafana.
// Packages install them unchanged; "ccwatchd service install" derives its units from
// the same files, see Unit.
package packaging

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed systemd launchd sysusers.d default config prometheus grafana/dashboards grafana/provisioning
var files embed.FS

// Paths of the files.
const (
	SystemdSystem = "systemd/ccwatchd.service"
	SystemdUser   = "systemd/user/ccwatchd.service"
	LaunchDaemon  = "launchd/ccwatchd.daemon.plist"
	LaunchAgent   = "launchd/ccwatchd.agent.plist"

	SystemConfig = "config/ccwatchd.yml"
	Sysusers     = "sysusers.d/ccwatchd.conf"
	Prometheus   = "prometheus/prometheus.yml"
)

// Monitoring returns the sorted paths of the files for Prometheus and Grafana: rules,
// scrape configuration, dashboards and provisioning. They belong in one directory,
// where prometheus.yml finds the rules.
func Monitoring() []string {
	var names []string
	for _, dir := range []string{"grafana", "prometheus"} {
		// Embedded files can be read.
		_ = fs.WalkDir(files, dir, func(name string, e fs.DirEntry, _ error) error {
			if !e.IsDir() {
				names = append(names, name)
			}
			return nil
		})
	}
	return names
}

// Read returns the content of a file, by one of the paths above or of Monitoring. It
// panics if the file does not exist, since the paths are constants.
func Read(name string) string {
	b, err := files.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// ScrapeConfig returns the scrape configuration of Prometheus for a daemon at the
// given host and port.
func ScrapeConfig(target string) string {
	_, jobs, _ := strings.Cut(Read(Prometheus), "scrape_configs:\n")
	return "scrape_configs:\n" + strings.TrimRight(strings.ReplaceAll(jobs, defaultTarget, target), "\n")
}

// defaultTarget is the target in prometheus.yml.
const defaultTarget = "localhost:10229"
