#!/usr/bin/env bash
# The Collector's Prometheus exporter forgets a counter when Claude Code has paused.
#
# Subject:  github.com/open-telemetry/opentelemetry-collector-contrib/exporter/prometheusexporter
#           v0.165.1, fed by @anthropic-ai/claude-code 2.1.332 with OTEL_METRICS_EXPORTER=otlp
# Expected: the exporter adds up the differences that Claude Code sends: 900, 1100, 1400, 1800.
#           OpenTelemetry's specification asks for cumulative sums, and the README of the
#           exporter names no condition.
# Seen:     it adds only if a difference begins exactly where the one before ended. Claude Code
#           sends nothing for an interval without tokens, so after each pause the counter is
#           replaced by the difference: 900, 200, 300, 400. For sums, no log line says so.
# So:       each fall looks like a restart, and a difference above the one before counts by its
#           excess only: increase() sees 400 of these 1800. An interval without an answer (usually a
#           minute) is enough, and a demo without pauses is right. Put deltatocumulative in
#           front, or set OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE=cumulative on every
#           client.
# How seen: the real program and the real exporter, in a network namespace of their own, with an
#           API on loopback that serves 900, 200, 300 and 400 output tokens. The control is the
#           processor deltatocumulative v0.165.1 in front.
# Needs:    root (unshare -n), go, node, npm, curl. Builds for minutes.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "needs root for a network namespace (unshare -n)" >&2; exit 2; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
npm install --prefix "$tmp" --silent --no-audit --no-fund --ignore-scripts \
	@anthropic-ai/claude-code@2.1.332
cd "$tmp"
contrib=github.com/open-telemetry/opentelemetry-collector-contrib
printf 'module finding\n\ngo 1.26.5\n' >go.mod
go mod edit -require=$contrib/exporter/prometheusexporter@v0.165.1 \
	-require=$contrib/processor/deltatocumulativeprocessor@v0.165.1
cat >main.go <<'GO'
package main

import (
	"context"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/open-telemetry/opentelemetry-collector-contrib/exporter/prometheusexporter"
	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/deltatocumulativeprocessor"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/processor"
)

func main() {
	ctx, settings := context.Background(), componenttest.NewNopTelemetrySettings()
	made := prometheusexporter.NewFactory()
	config := made.CreateDefaultConfig().(*prometheusexporter.Config)
	config.ServerConfig.NetAddr.Endpoint = "127.0.0.1:9464"
	exported, err := made.CreateMetrics(ctx,
		exporter.Settings{ID: component.NewID(made.Type()), TelemetrySettings: settings}, config)
	check(err)
	check(exported.Start(ctx, componenttest.NewNopHost()))
	next := consumer.Metrics(exported)
	if len(os.Args) > 1 {
		sums := deltatocumulativeprocessor.NewFactory()
		next, err = sums.CreateMetrics(ctx, processor.Settings{ID: component.NewID(sums.Type()),
			TelemetrySettings: settings}, sums.CreateDefaultConfig(), exported)
		check(err)
	}
	handler := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		check(err)
		request := pmetricotlp.NewExportRequest()
		check(request.UnmarshalProto(body))
		check(next.ConsumeMetrics(ctx, request.Metrics()))
	})
	check(http.ListenAndServe("127.0.0.1:4318", handler))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
GO
CGO_ENABLED=0 go build -mod=mod -o collector . 2>build.log || { cat build.log >&2; exit 2; }

cat >api.js <<'JS'
const outputs = [900, 200, 300, 400]
const command = JSON.stringify({ command: 'echo one', description: 'says one' })
let served = 0
require('http').createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  const { model, stream } = JSON.parse(body || '{}')
  if (!stream) return response.writeHead(404).end('{}')
  await new Promise(resolve => setTimeout(resolve, 6000)) // a pause of several intervals
  const usage = { input_tokens: 10, output_tokens: outputs[served++] }
  const last = served === outputs.length
  const send = (type, rest) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  send('message_start', { message: { id: `msg_000000000000000000${served}`, type: 'message',
    role: 'assistant', model, content: [], stop_reason: null, usage } })
  send('content_block_start', { index: 0, content_block: last ? { type: 'text', text: '' }
    : { type: 'tool_use', id: `toolu_000000000000000${served}`, name: 'Bash', input: {} } })
  send('content_block_delta', { index: 0, delta: last ? { type: 'text_delta', text: 'ok' }
    : { type: 'input_json_delta', partial_json: command } })
  send('content_block_stop', { index: 0 })
  send('message_delta', { delta: { stop_reason: last ? 'end_turn' : 'tool_use' }, usage })
  send('message_stop', {})
  response.end()
}).listen(8080, '127.0.0.1', () => console.log('ready'))
JS
cat >run.sh <<'RUN'
ip link set lo up
exec 3< <(exec node ../api.js); api=$!; read -r _ <&3
../collector "$@" 2>collector.log & collector=$!
value() {
	curl -s --retry 20 --retry-connrefused http://127.0.0.1:9464/metrics |
		sed -nE 's/^claude_code_token_usage.*type="output".* ([0-9]+)$/\1/p'
}
value
timeout 120 node ../node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs -p hello \
	--model claude-haiku-4-5 --allowedTools Bash </dev/null >printed & program=$!
while kill -0 "$program" 2>/dev/null; do value; sleep 0.2; done
value
kill "$collector" "$api"
RUN
values() ( # FOLDER [sums]: runs a session, prints the values that the exporter serves
	mkdir "$1" && cd "$1"
	env -i PATH="$PATH" HOME="$PWD" ANTHROPIC_API_KEY=sk-ant-none \
		ANTHROPIC_BASE_URL=http://127.0.0.1:8080 DISABLE_AUTOUPDATER=1 \
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 CLAUDE_CODE_ENABLE_TELEMETRY=1 \
		OTEL_METRICS_EXPORTER=otlp OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf \
		OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=http://127.0.0.1:4318/v1/metrics \
		OTEL_METRIC_EXPORT_INTERVAL=1000 unshare -n bash ../run.sh "${@:2}" | uniq | paste -sd' '
)
alone=$(values alone)
behind=$(values behind sums)
echo "1800 tokens, the exporter alone:   $alone"
echo "the same, behind deltatocumulative: $behind"
if [ "$alone" != "900 200 300 400" ] || [ "$behind" != "900 1100 1400 1800" ]; then
	echo "this has changed" >&2
	exit 1
fi
