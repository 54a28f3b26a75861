#!/usr/bin/env bash
# Claude Code's OpenTelemetry counters reach VictoriaMetrics as something that is no counter.
#
# Subject:  @anthropic-ai/claude-code 2.1.332 with OTEL_METRICS_EXPORTER=otlp, received by
#           github.com/VictoriaMetrics/VictoriaMetrics v1.148.0
# Expected: claude_code.token.usage is a counter: it never falls while a session lives, and
#           increase() over the session is the number of tokens.
# Seen:     the exporter sends differences, the store accepts them without a warning and keeps
#           each as a value: 900, 200, 300, 400. increase() takes every fall for a restart
#           and gives 1300 of 1800. sum_over_time() happens to be right.
# So:       the usual queries for counters (rate, increase, "today" as last minus first) give
#           plausible, too small numbers, which depend on the order of large and small
#           answers and on the export interval. It takes
#           OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE=cumulative on every client, and
#           both kinds in one store cannot be distinguished by their names or labels.
# How seen: the real program and the real store, in a network namespace of their own, with an
#           API on loopback that serves 900, 200, 300 and 400 output tokens. The controls
#           are the cumulative preference: the last value is the total.
# Needs:    root (unshare -n), go, node, npm, curl.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "needs root for a network namespace (unshare -n)" >&2; exit 2; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
npm install --prefix "$tmp" --silent --no-audit --no-fund --ignore-scripts \
	@anthropic-ai/claude-code@2.1.332
cd "$tmp"
printf 'module finding\n\ngo 1.26.5\n' >go.mod
go mod edit -require=github.com/VictoriaMetrics/VictoriaMetrics@v1.148.0
go build -mod=mod -o store github.com/VictoriaMetrics/VictoriaMetrics/app/victoria-metrics 2>build.log ||
	{ cat build.log >&2; exit 2; }

cat >api.js <<'JS'
const outputs = [900, 200, 300, 400]
const command = JSON.stringify({ command: 'echo one', description: 'says one' })
let served = 0
require('http').createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  const { model, stream } = JSON.parse(body || '{}')
  if (!stream) return response.writeHead(404).end('{}')
  await new Promise(resolve => setTimeout(resolve, 2500)) // more than the export interval
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
../store -storageDataPath=data -httpListenAddr=127.0.0.1:8428 2>store.log & store=$!
curl -s --retry 20 --retry-connrefused http://127.0.0.1:8428/health >health.log
timeout 90 node ../node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs -p hello \
	--model claude-haiku-4-5 --allowedTools Bash </dev/null >printed
curl -s http://127.0.0.1:8428/internal/force_flush
for function in max_over_time increase sum_over_time; do
	echo "$function $(curl -s http://127.0.0.1:8428/api/v1/query -d nocache=1 -d time=$(($(date +%s) + 2)) \
		-d "query=$function({__name__=\"claude_code.token.usage\",type=\"output\"}[5m])" |
		sed -E 's/.*,"([0-9]+)"\].*/\1/')"
done
kill "$store" "$api"
wait
RUN
queries() ( # FOLDER [VARIABLE=VALUE]: runs a session, prints what the store answers
	mkdir "$1" && cd "$1"
	env -i PATH="$PATH" HOME="$PWD" ANTHROPIC_API_KEY=sk-ant-none \
		ANTHROPIC_BASE_URL=http://127.0.0.1:8080 DISABLE_AUTOUPDATER=1 \
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 CLAUDE_CODE_ENABLE_TELEMETRY=1 \
		OTEL_METRICS_EXPORTER=otlp OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf "${@:2}" \
		OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=http://127.0.0.1:8428/opentelemetry/v1/metrics \
		OTEL_METRIC_EXPORT_INTERVAL=1000 unshare -n bash ../run.sh | paste -sd' '
)
usual=$(queries usual)
cumulative=$(queries cumulative OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE=cumulative)
echo "1800 tokens served, as exported: $usual"
echo "the same, cumulative:            ${cumulative%% increase*}"
if [ "$usual" != "max_over_time 900 increase 1300 sum_over_time 1800" ] ||
	[ "${cumulative%% increase*}" != "max_over_time 1800" ]; then
	echo "this has changed" >&2
	exit 1
fi
