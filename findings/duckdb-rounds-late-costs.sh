#!/usr/bin/env bash
# DuckDB rounds costs to whole dollars if the first files it sees have none.
#
# Subject:  @duckdb/node-api 1.5.6-r.1 (DuckDB 1.5.6), read_json
# Expected: a sum over JSON lines is the sum of the numbers that the lines state.
# Seen:     the type of a column comes from the first 32 files. If they all say 0, the column
#           is BIGINT, and 0.6 of a later file is silently 1, 0.4 is 0, and 0.012 is 0.
# So:       sessions that cost nothing (a local model, a gateway without prices) write a whole 0
#           for their cost. If their directories sort first, every sum of costs over all
#           sessions is wrong, with no error or warning, and it becomes right or wrong again
#           when old files are removed. Name the columns, or set maximum_sample_files and
#           sample_size to -1. (A key that is not in the sample raises an error; a number does
#           not.)
# How seen: 32 files with 0, then 4 files with 0.6, 0.4, 0.4 and 0.012. The controls are the
#           whole sample, a stated type, and the same files with the costs first.
# Needs:    node, npm.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
npm install --silent --no-audit --no-fund @duckdb/node-api@1.5.6-r.1
mkdir late early
for i in $(seq 10 41); do
	echo '{"type":"cost-state","totalCostUSD":0}' | tee "late/$i.jsonl" >"early/$i.jsonl"
done
for cost in 0.6 0.4 0.40 0.012; do
	echo "{\"type\":\"cost-state\",\"totalCostUSD\":$cost}" >"late/9-$cost.jsonl"
	cp "late/9-$cost.jsonl" "early/0-$cost.jsonl"
done
cat >sums.mjs <<'JS'
import { DuckDBInstance } from '@duckdb/node-api'
const db = await (await DuckDBInstance.create(':memory:')).connect()
const query = async from => (await db.runAndReadAll(
  `select typeof(any_value(totalCostUSD)), round(sum(totalCostUSD), 6) from ${from}`))
  .getRowsJson()[0].join(' ')
console.log('costs in late files:        ', await query("read_json('late/*.jsonl')"))
console.log('the same, whole sample:     ', await query(
  "read_json('late/*.jsonl', maximum_sample_files=-1, sample_size=-1)"))
console.log('the same, with stated type: ', await query(
  "read_json('late/*.jsonl', columns={totalCostUSD: 'DOUBLE'})"))
console.log('the same, costs first:      ', await query("read_json('early/*.jsonl')"))
JS
seen=$(node sums.mjs)
echo "$seen"
if [ "$seen" != 'costs in late files:         BIGINT 1
the same, whole sample:      DOUBLE 1.412
the same, with stated type:  DOUBLE 1.412
the same, costs first:       DOUBLE 1.412' ]; then
	echo "this has changed" >&2
	exit 1
fi
