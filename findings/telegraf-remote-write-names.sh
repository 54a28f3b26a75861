#!/usr/bin/env bash
# Telegraf renames counters and drops histograms on the way from a scrape to remote write.
#
# Subject:  github.com/influxdata/telegraf v1.39.0, inputs.prometheus with its default
#           metric_version = 1, and the serializer prometheusremotewrite
# Expected: a counter jobs_total is sent as jobs_total, a histogram as its _bucket, _sum and _count
#           (as by outputs.prometheus_client, which serves both as they were with either version).
# Seen:     jobs_total_counter, and of the histogram only warnings that "some series were dropped";
#           Telegraf goes on and reports no error. With metric_version = 2 all series arrive.
# So:       queries over jobs_total find nothing, while the same Telegraf's own endpoint has it.
# How seen: a scraped page, written to a file by the serializer, with both versions.
# Needs:    go, python3 (which serves the page). Builds Telegraf, which takes minutes.
set -euo pipefail
tmp=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; wait; chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
cd "$tmp"
source=$(go mod download -json github.com/influxdata/telegraf@v1.39.0 | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
cp -r "$source" telegraf && chmod -R u+w telegraf
(cd telegraf && CGO_ENABLED=0 go build -o ../program \
	-tags custom,inputs.prometheus,outputs.file,serializers.prometheusremotewrite ./cmd/telegraf) 2>build.log ||
	{ cat build.log >&2; exit 2; }

mkdir page
cat >page/metrics <<'END'
# TYPE jobs_total counter
jobs_total 7
# TYPE job_seconds histogram
job_seconds_bucket{le="1.0"} 1
job_seconds_bucket{le="+Inf"} 2
job_seconds_sum 3.5
job_seconds_count 2
END
port=$((20000 + RANDOM % 10000))
python3 -m http.server --bind 127.0.0.1 --directory page "$port" >/dev/null 2>&1 &
server=$!
until python3 -c "import socket; socket.create_connection(('127.0.0.1', $port))" 2>/dev/null; do :; done

names() { # VERSION: the names in what the serializer writes
	cat >config <<END
[agent]
  omit_hostname = true
[[inputs.prometheus]]
  urls = ["http://127.0.0.1:$port/metrics"]
  metric_version = $1
  url_tag = ""
[[outputs.file]]
  files = ["$tmp/version-$1"]
  data_format = "prometheusremotewrite"
  use_batch_format = true
END
	./program --config config --once >"log-$1" 2>&1
	python3 - "version-$1" <<'END'
import re, sys

def uncompressed(b):
    """Decodes a block of Snappy."""
    size = shift = at = 0
    while True:
        size, shift, at = size | (b[at] & 127) << shift, shift + 7, at + 1
        if b[at - 1] < 128:
            break
    out = bytearray()
    while len(out) < size:
        tag, at = b[at], at + 1
        kind, n = tag & 3, tag >> 2
        if kind == 0:
            if n >= 60:
                n, at = int.from_bytes(b[at:at + n - 59], "little"), at + n - 59
            out += b[at:at + n + 1]
            at += n + 1
            continue
        if kind == 1:
            n, back, at = (n & 7) + 3, (tag >> 5) << 8 | b[at], at + 1
        else:
            width = 2 * kind - 2
            back, at = int.from_bytes(b[at:at + width], "little"), at + width
        for _ in range(n + 1):
            out.append(out[-back])
    return bytes(out)

text = uncompressed(open(sys.argv[1], "rb").read())
print(*sorted({n.decode() for n in re.findall(rb"jobs?_[a-z_]+", text)}))
END
}
for version in 1 2; do
	printf 'metric_version = %d: ' "$version"
	names "$version" | tee "names-$version"
done
grep -m 1 -o 'some series were dropped' log-1
[ "$(cat names-1)" = "jobs_total_counter" ]
[ "$(cat names-2)" = "job_seconds_bucket job_seconds_count job_seconds_sum jobs_total" ]
