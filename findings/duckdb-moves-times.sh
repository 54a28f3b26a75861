#!/usr/bin/env bash
# DuckDB reads a UTC time of a JSON file as a local one.
#
# Subject:  @duckdb/node-api 1.5.6-r.1 (DuckDB 1.5.6), read_json
# Expected: "2026-11-18T02:30:00.123Z" is an instant: the evening of the 17th in New York.
# Seen:     read_json finds the type TIMESTAMP, without a zone, and forgets the Z. Where an
#           instant is needed (a cast to TIMESTAMPTZ, a comparison with now()), the digits
#           are taken for local time, so the line moves by the zone's offset.
# So:       "tokens of the last hour" over Claude Code's session files is empty in Asia and has
#           the last six hours in New York, and days begin at UTC's midnight whatever zone is
#           set. In UTC, where CI and servers run, all is right. State the type:
#           columns={timestamp: 'TIMESTAMPTZ', ...}.
# How seen: one line whose time is known, and one of this minute. The controls are the same
#           lines with the type stated, and the zone UTC.
# Needs:    node, npm.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
npm install --silent --no-audit --no-fund @duckdb/node-api@1.5.6-r.1
echo '{"type":"assistant","timestamp":"2026-11-18T02:30:00.123Z"}' >known.jsonl
date -u '+{"type":"assistant","timestamp":"%FT%T.000Z"}' >new.jsonl
cat >times.mjs <<'JS'
import { DuckDBInstance } from '@duckdb/node-api'
const db = await (await DuckDBInstance.create(':memory:')).connect()
const row = async sql => (await db.runAndReadAll(sql)).getRowsJson()[0]
for (const zone of ['America/New_York', 'Asia/Tokyo', 'UTC']) {
  await db.run(`set timezone = '${zone}'`)
  for (const options of ['', ", columns={timestamp: 'TIMESTAMPTZ'}"]) {
    const [instant, day] = await row(`select epoch_ms(timestamp::timestamptz),
      day(timestamp::timestamptz) from read_json('known.jsonl'${options})`)
    const [lastHour] = await row(`select count(*) from read_json('new.jsonl'${options})
      where timestamp > now() - interval 1 hour`)
    console.log(zone, options ? 'stated:' : 'found:', new Date(Number(instant)).toISOString(),
      'day', day, 'in the last hour', lastHour)
  }
}
JS
seen=$(node times.mjs)
echo "$seen"
if [ "$seen" != 'America/New_York found: 2026-11-18T07:30:00.123Z day 18 in the last hour 1
America/New_York stated: 2026-11-18T02:30:00.123Z day 17 in the last hour 1
Asia/Tokyo found: 2026-11-17T17:30:00.123Z day 18 in the last hour 0
Asia/Tokyo stated: 2026-11-18T02:30:00.123Z day 18 in the last hour 1
UTC found: 2026-11-18T02:30:00.123Z day 18 in the last hour 1
UTC stated: 2026-11-18T02:30:00.123Z day 18 in the last hour 1' ]; then
	echo "this has changed" >&2
	exit 1
fi
