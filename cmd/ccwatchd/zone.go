package main

import (
	"net/url"
	"os"
	"strings"
	"time"
	_ "time/tzdata" // for Windows and for containers, which have no time zones

	"github.com/alecthomas/kingpin/v2"

	"github.com/ccwatchd/ccwatchd/usage"
)

func addZoneFlag(clause *kingpin.CmdClause, zone *string) {
	clause.Flag("tz", "Time zone of days, such as Europe/Berlin. Default: the zone of this machine.").PlaceHolder("ZONE").StringVar(zone)
}

// localZone returns the local time zone, with its name in the time zone database if the
// operating system states the name.
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

// setZone sets the parameter tz of a request for the time from since to now. For a zone
// without a database name, as on Windows, tz is the UTC offset. If the offset changed
// after since, tz is not set, and the daemon uses its own zone.
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
