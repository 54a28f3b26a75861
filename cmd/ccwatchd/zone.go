package main

import (
	"os"
	"strings"
	"time"
	_ "time/tzdata" // for Windows and for containers, which have no time zones
)

// localZone returns the local time zone, under its name in the time zone database if
// the operating system states that.
func localZone() *time.Location {
	if time.Local.String() != "Local" {
		return time.Local // named by $TZ, or UTC
	}
	target, err := os.Readlink("/etc/localtime")
	if err != nil {
		return time.Local
	}
	_, name, _ := strings.Cut(target, "/zoneinfo/")
	zone, err := time.LoadLocation(name)
	if err != nil || name == "" {
		return time.Local
	}
	return zone
}
