package main

import (
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

// zoneParameter returns the local time zone as the parameter tz of requests. One
// without a name that a daemon knows is its present offset.
func zoneParameter(now time.Time) string {
	zone := localZone()
	if name := zone.String(); name != "Local" && !strings.HasPrefix(name, "/") {
		return name
	}
	return now.In(zone).Format(usage.ZoneOffset)
}
