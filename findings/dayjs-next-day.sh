#!/usr/bin/env bash
# dayjs ends the day of a clock change an hour wrong, but not on its developer's machine.
#
# Subject:  dayjs 1.11.23 with its plugins utc and timezone
# Expected: dayjs.tz('2026-03-08', zone).add(1, 'day') is the next midnight of that zone.
# Seen:     the offset of the first day is kept: 9 March, 00:00-05:00 in New York, where -04:00
#           holds then. In autumn it is an hour early. If the process itself runs in that zone
#           the instant is right. endOf('day') is always right.
# So:       tokens per day, counted from midnight to midnight + 1 day, have an hour of the next
#           day twice in spring and lose the day's last hour in autumn. Charts that are right
#           at home go wrong on a server, in a container or in CI (UTC), twice a year.
# How seen: both changes in New York and in Berlin, in processes of two zones. The controls are
#           luxon 3.7.2 and dayjs's own endOf('day').
# Needs:    node, npm.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
npm install --silent --no-audit --no-fund dayjs@1.11.23 luxon@3.7.2
cat >days.mjs <<'JS'
import dayjs from 'dayjs'
import utc from 'dayjs/plugin/utc.js'
import timezone from 'dayjs/plugin/timezone.js'
import { DateTime } from 'luxon'
dayjs.extend(utc)
dayjs.extend(timezone)
const [zone, ...days] = process.argv.slice(2)
for (const day of days) {
  const next = DateTime.fromISO(day, { zone }).plus({ days: 1 }).toMillis()
  const late = instant => `${(instant - next) / 60000} min`
  const start = dayjs.tz(day, zone)
  console.log(`${zone} ${day}: add ${late(start.add(1, 'day').valueOf())},`,
    `endOf ${late(start.endOf('day').valueOf() + 1)}`)
}
JS
run() {
	echo "process in $1"
	TZ=$1 node days.mjs America/New_York 2026-03-08 2026-11-01 2026-11-02
	TZ=$1 node days.mjs Europe/Berlin 2026-03-29 2026-10-25 2026-10-26
}
seen=$(run UTC && run America/New_York)
echo "$seen"
if [ "$seen" != 'process in UTC
America/New_York 2026-03-08: add 60 min, endOf 0 min
America/New_York 2026-11-01: add -60 min, endOf 0 min
America/New_York 2026-11-02: add 0 min, endOf 0 min
Europe/Berlin 2026-03-29: add 60 min, endOf 0 min
Europe/Berlin 2026-10-25: add -60 min, endOf 0 min
Europe/Berlin 2026-10-26: add 0 min, endOf 0 min
process in America/New_York
America/New_York 2026-03-08: add 0 min, endOf 0 min
America/New_York 2026-11-01: add 0 min, endOf 0 min
America/New_York 2026-11-02: add 0 min, endOf 0 min
Europe/Berlin 2026-03-29: add 60 min, endOf 0 min
Europe/Berlin 2026-10-25: add -60 min, endOf 0 min
Europe/Berlin 2026-10-26: add 0 min, endOf 0 min' ]; then
	echo "this has changed" >&2
	exit 1
fi
