#!/usr/bin/env bash
# Go's midnight can lie on the day before, and stays there for every later day.
#
# Subject:  Go 1.26.8, package time: time.Date and Time.AddDate
# Expected: time.Date(2025, 9, 7, 0, 0, 0, 0, zone) is on 7 September, and AddDate(0, 0, 1)
#           goes from midnight to midnight.
# Seen:     where clocks go forward at midnight, in Santiago, Havana and formerly Asuncion, it
#           is 23:00 on 6 September. A loop of AddDate keeps 23:00 on all days that follow. In
#           Cairo and Beirut, where clocks do the same, it is 01:00 on the right day. (The
#           documentation leaves open which of the two zones applies, not that the date may be
#           another one.)
# So:       a table of tokens per day names one day twice, and each later day of the loop
#           begins an hour early; "today" contains the last hour of yesterday. Where programs
#           are tried clocks change at two or three at night, and nothing happens. Make each
#           day's start from its own date, and add an hour while its date is too small.
# How seen: a loop of three days over the change in five zones, which prints where the days
#           begin. The control is New York, and a way that works.
# Needs:    go.
set -euo pipefail
export GOTOOLCHAIN=go1.26.8
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
printf 'module finding\n\ngo 1.26\n' >go.mod
cat >main.go <<'GO'
package main

import (
	"fmt"
	"time"
	_ "time/tzdata"
)

func main() {
	for _, change := range []string{
		"2025-09-07 America/Santiago", "2025-03-09 America/Havana", "2023-10-01 America/Asuncion",
		"2025-04-25 Africa/Cairo", "2025-03-30 Asia/Beirut", "2025-03-09 America/New_York",
	} {
		date, err := time.Parse(time.DateOnly, change[:10])
		check(err)
		zone, err := time.LoadLocation(change[11:])
		check(err)
		fmt.Printf("%s:", change)
		year, month, day := date.Date()
		start := time.Date(year, month, day-1, 0, 0, 0, 0, zone)
		for range 3 {
			fmt.Print(start.Format(" Jan02-15h"))
			start = start.AddDate(0, 0, 1)
		}
		start = time.Date(year, month, day, 0, 0, 0, 0, zone)
		for start.Day() != day {
			start = start.Add(time.Hour)
		}
		fmt.Println(", right", start.Format("Jan02-15h"))
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
GO
seen=$(go run .)
echo "$seen"
if [ "$seen" != '2025-09-07 America/Santiago: Sep06-00h Sep06-23h Sep07-23h, right Sep07-01h
2025-03-09 America/Havana: Mar08-00h Mar08-23h Mar09-23h, right Mar09-01h
2023-10-01 America/Asuncion: Sep30-00h Sep30-23h Oct01-23h, right Oct01-01h
2025-04-25 Africa/Cairo: Apr24-00h Apr25-01h Apr26-01h, right Apr25-01h
2025-03-30 Asia/Beirut: Mar29-00h Mar30-01h Mar31-01h, right Mar30-01h
2025-03-09 America/New_York: Mar08-00h Mar09-00h Mar10-00h, right Mar09-00h' ]; then
	echo "this has changed" >&2
	exit 1
fi
