#!/usr/bin/env bash
# parse-prometheus-text-format keeps one labelled series of a histogram, without its label.
#
# Subject:  parse-prometheus-text-format 1.1.1 (npm, 240,000 downloads a month)
# Expected: an entry with labels, buckets, sum and count for each series: its README says that
#           the output aims to be compatible with that of prom2json.
# Seen:     if a histogram has a label beside le, the labels, the sum and the count are dropped,
#           and the buckets of each series replace those of the one before. Quantiles, too.
# So:       a page of durations by tool or by model shows one histogram, which looks like the
#           total and is the last label's: Read's 3 calls here, not 12. There is no error, and
#           neither the README's example nor a counter shows it.
# How seen: a histogram of two tools. The controls are the same histogram with one series and no
#           label, and a counter with the label.
# Needs:    node, npm.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
npm install --silent --no-audit --no-fund parse-prometheus-text-format@1.1.1
cat >parse.js <<'JS'
const parse = require('parse-prometheus-text-format')
const histogram = (label, first, all, sum) => `
tool_seconds_bucket{${label ? label + ',' : ''}le="1"} ${first}
tool_seconds_bucket{${label ? label + ',' : ''}le="+Inf"} ${all}
tool_seconds_sum{${label}} ${sum}
tool_seconds_count{${label}} ${all}`.replaceAll('{}', '')
const show = (what, text) =>
  console.log(`${what}: ${parse(text + '\n').map(family => JSON.stringify(family.metrics))}`)
const type = '# TYPE tool_seconds histogram'
show('two tools', type + histogram('tool="Bash"', 5, 9, 70) + histogram('tool="Read"', 0, 3, 20))
show('no label', type + histogram('', 5, 9, 70))
show('counter', '# TYPE calls_total counter\ncalls_total{tool="Bash"} 9\ncalls_total{tool="Read"} 3')
JS
seen=$(node parse.js)
echo "$seen"
if [ "$seen" != 'two tools: [{"buckets":{"1":"0","+Inf":"3"}}]
no label: [{"buckets":{"1":"5","+Inf":"9"},"count":"9","sum":"70"}]
counter: [{"value":"9","labels":{"tool":"Bash"}},{"value":"3","labels":{"tool":"Read"}}]' ]; then
	echo "this has changed" >&2
	exit 1
fi
