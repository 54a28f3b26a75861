package main

import (
	"net/url"
	"os"
	"strings"
	"time"
	_ "time/tzdata" // for Windows and for containers, which have no time zones

	"github.com/ccwatchd/ccwatchd/usage"
)

// localZone returns the local time zone, under its name in the time zone database if
// the operating system states that.
func localZone() *time.Location {
	file := time.Local.String() // $TZ, which may be a path, or UTC
	if file == "Local" {
		file, _ = os.Readlink("/etc/localtime")
	}
	_, name, _ := strings.Cut(file, "/zoneinfo/")
	zone, err := time.LoadLocation(name)
	if err != nil || name == "" {
		return time.Local
	}
	return zone
}

// setZone sets the parameter tz of a request for the time since a time. A zone without
// a name that a daemon knows, as on Windows, is its offset. If that has changed since
// then, the daemon has to use its own zone.
func setZone(parameters url.Values, zone *time.Location, since, now time.Time) {
	if name := zone.String(); name != "Local" && !strings.HasPrefix(name, "/") {
		parameters.Set("tz", name)
		return
	}
	now = now.In(zone)
	if changed, _ := now.ZoneBounds(); !changed.After(since) {
		parameters.Set("tz", now.Format(usage.ZoneOffset))
	}
}
