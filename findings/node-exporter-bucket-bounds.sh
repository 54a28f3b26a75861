#!/usr/bin/env bash
# node_exporter's textfile collector rewrites the bounds of buckets: le="1.0" becomes le="1".
#
# Subject:  github.com/prometheus/node_exporter v1.12.1, --collector.textfile
# Expected: a sample of a *.prom file is exposed with the labels of the file.
# Seen:     its labels, but for le: the file has le="1.0", and node_exporter exposes le="1". It
#           answers in the text format even if OpenMetrics is requested, which demands le="1.0".
# So:       the same histogram, scraped directly and through the file, has two sets of buckets in
#           servers that store le as it comes (VictoriaMetrics, Prometheus 2), and quantiles add
#           up both. Prometheus 3 changes le="1" to le="1.0" when it scrapes text.
# How seen: a histogram in a file, scraped with both Accept headers. The control is the label
#           size, whose value is the same text.
# Needs:    go, curl.
set -euo pipefail
tmp=$(mktemp -d)
exporter=
trap '[ -z "$exporter" ] || kill "$exporter"; wait; rm -rf "$tmp"' EXIT
cd "$tmp"
printf 'module finding\n\ngo 1.26.5\n' >go.mod
go mod edit -require=github.com/prometheus/node_exporter@v1.12.1
CGO_ENABLED=0 go build -mod=mod -o node_exporter github.com/prometheus/node_exporter 2>build.log ||
	{ cat build.log >&2; exit 2; }
mkdir files
cat >files/jobs.prom <<'END'
# TYPE job_seconds histogram
job_seconds_bucket{size="1.0",le="1.0"} 1
job_seconds_bucket{size="1.0",le="+Inf"} 2
job_seconds_sum{size="1.0"} 3.5
job_seconds_count{size="1.0"} 2
END
address=127.0.0.1:$((20000 + RANDOM % 10000))
./node_exporter --collector.disable-defaults --collector.textfile --collector.textfile.directory=files \
	--web.listen-address="$address" 2>exporter.log &
exporter=$!
curl -s --retry 20 --retry-connrefused --retry-delay 1 "http://$address/metrics" >text
curl -s -D header -H 'Accept: application/openmetrics-text;version=1.0.0' "http://$address/metrics" >requested

grep -i '^content-type' header
grep job_seconds_bucket requested
grep -qi '^content-type: text/plain' header
for page in text requested; do
	grep -q 'job_seconds_bucket{size="1.0",le="1"} 1' "$page"
	if grep -q 'le="1.0"' "$page"; then exit 1; fi
done
