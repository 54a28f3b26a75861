#!/usr/bin/env bash
# VictoriaMetrics counts the first value of a new counter, or not, by what comes next.
#
# Subject:  github.com/VictoriaMetrics/VictoriaMetrics v1.148.0, increase() of MetricsQL
# Expected: a counter that appears with 900 has increased by 900 since (it began at 0), or by
#           nothing (as in PromQL), but always the same.
# Seen:     the first value counts if the next one is higher by more than about a tenth of it.
#           900, 1000, 1000 gives 1000; 900, 950, 950 gives 50; 900, 900, 1000 gives 100. (The
#           documentation says that a first value is ignored if it is "too big", not that the
#           second value decides.)
# So:       a counter with a label for a session, a model or a day appears with a total, often
#           its last one. increase() over such counters drops short sessions whole and keeps
#           the first value of others, so a panel of tokens is no total of anything, and it
#           changes with the scrape interval. increase_pure() counts from 0 in every case.
# How seen: five series, imported with their times. The controls are increase_pure(), and a
#           series that begins with 0.
# Needs:    go, curl.
set -euo pipefail
tmp=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; wait; rm -rf "$tmp"' EXIT
cd "$tmp"
printf 'module finding\n\ngo 1.26.5\n' >go.mod
go mod edit -require=github.com/VictoriaMetrics/VictoriaMetrics@v1.148.0
go build -mod=mod -o store github.com/VictoriaMetrics/VictoriaMetrics/app/victoria-metrics 2>build.log ||
	{ cat build.log >&2; exit 2; }
address=127.0.0.1:$((20000 + RANDOM % 10000))
./store -storageDataPath="$tmp/data" -httpListenAddr="$address" 2>store.log &
server=$!
curl -s --retry 20 --retry-connrefused --retry-delay 1 "http://$address/health" >health.log

begin=$(($(date +%s) / 60 * 60 - 3600))
series() { # NAME VALUE...: one value a minute
	local name=$1 time=$begin value
	shift
	for value in "$@"; do
		echo "tokens_total{session=\"$name\"} $value ${time}000"
		time=$((time + 60))
	done
}
{
	series a 0 900 900
	series b 900 1000 1000
	series c 900 900 1000
	series d 900 900 900
	series e 900 950 950
} | curl -s --data-binary @- "http://$address/api/v1/import/prometheus"
curl -s "http://$address/internal/force_flush"
sums() { # FUNCTION: its value of each series, sorted by the name of the series
	curl -s "http://$address/api/v1/query" -d time=$((begin + 180)) \
		--data-urlencode "query=sort_by_label($1(tokens_total[10m]), \"session\")" |
		grep -oE '"[0-9]+"\]' | tr -cd '0-9\n' | paste -sd' '
}
seen="increase:      $(sums increase)
increase_pure: $(sums increase_pure)"
echo "values: 0 900 900, 900 1000 1000, 900 900 1000, 900 900 900, 900 950 950"
echo "$seen"
if [ "$seen" != 'increase:      900 1000 100 0 50
increase_pure: 900 1000 1000 900 950' ]; then
	echo "this has changed" >&2
	exit 1
fi
