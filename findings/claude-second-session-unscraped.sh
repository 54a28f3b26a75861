#!/usr/bin/env bash
# Of several Claude Code sessions on one machine Prometheus can scrape only one.
#
# Subject:  @anthropic-ai/claude-code 2.1.332, OTEL_METRICS_EXPORTER=prometheus
# Expected: every session's metrics can be scraped, or the session that cannot offer them
#           says so.
# Seen:     the first session serves port 9464. A second one finds it taken, goes on without a
#           word (exit 0, nothing on standard error), and does not try again: after the
#           first has ended nothing listens, while the second still works.
# So:       a scrape job for localhost:9464 looks healthy and misses all work done in a second
#           terminal, in an editor or in background sessions. Which sessions are counted
#           depends on the order in which they were started. Use OTLP, or read the files: both
#           sessions are there.
# How seen: two sessions of the real program, in a network namespace of their own, against an
#           API on loopback that waits before it answers. The controls are the second session
#           alone, which is served, and the session files of both.
# Needs:    root (unshare -n), node, npm, curl.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "needs root for a network namespace (unshare -n)" >&2; exit 2; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/work"
npm install --prefix "$tmp" --silent --no-audit --no-fund --ignore-scripts \
	@anthropic-ai/claude-code@2.1.332

cat >"$tmp/api.js" <<'JS'
// Answers a request when the file named by the prompt's GO- word exists.
const fs = require('fs')
const usage = { input_tokens: 10, output_tokens: 50 }
let served = 0
require('http').createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  const { model, stream } = JSON.parse(body || '{}')
  if (!stream) return response.writeHead(404).end('{}')
  const name = `${process.env.HOME}/${body.match(/GO-\w+/)[0]}`
  fs.writeFileSync(`${name}.asked`, '')
  while (!fs.existsSync(name)) await new Promise(resolve => setTimeout(resolve, 50))
  const send = (type, rest) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  send('message_start', { message: { id: `msg_000000000000000000${++served}`, type: 'message',
    role: 'assistant', model, content: [], stop_reason: null, usage } })
  send('content_block_start', { index: 0, content_block: { type: 'text', text: '' } })
  send('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'ok' } })
  send('content_block_stop', { index: 0 })
  send('message_delta', { delta: { stop_reason: 'end_turn' }, usage })
  send('message_stop', {})
  response.end()
}).listen(8080, '127.0.0.1', () => console.log('ready'))
JS

cat >"$tmp/run.sh" <<'RUN'
ip link set lo up
exec 3< <(exec node "$HOME/api.js"); api=$!; read -r _ <&3
cd "$HOME/work"
claude() { # NAME: starts a session that works until GO-NAME exists, returns when it has asked
	timeout 90 node ../node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs -p "GO-$1" \
		--model claude-haiku-4-5 </dev/null >"$HOME/$1.out" 2>"$HOME/$1.err" &
	pid=$!
	while [ ! -e "$HOME/GO-$1.asked" ] && kill -0 "$pid"; do sleep 0.1; done
}
sessions() { # tries for five seconds
	curl -s --retry 5 --retry-delay 1 --retry-connrefused http://127.0.0.1:9464/metrics |
		grep -c '^claude_code_session_count_total{' || true
}
claude first; first=$pid
claude second; second=$pid
echo "sessions scraped of the two that run: $(sessions)"
touch "$HOME/GO-first"; wait "$first"
echo "of the second, which still runs: $(sessions)"
touch "$HOME/GO-second"; wait "$second"
echo "exit $?, lines of errors: $(grep -vc 'will be retired' "$HOME/second.err" || true)"
claude third; third=$pid
echo "of a third, alone: $(sessions)"
touch "$HOME/GO-third"; wait "$third"
echo "session files: $(find "$HOME/.claude/projects" -name '*.jsonl' | wc -l)"
kill "$api"
RUN
seen=$(unshare -n env -i PATH="$PATH" HOME="$tmp" ANTHROPIC_API_KEY=sk-ant-none \
	ANTHROPIC_BASE_URL=http://127.0.0.1:8080 DISABLE_AUTOUPDATER=1 \
	CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 CLAUDE_CODE_ENABLE_TELEMETRY=1 \
	OTEL_METRICS_EXPORTER=prometheus bash "$tmp/run.sh")
echo "$seen"
if [ "$seen" != 'sessions scraped of the two that run: 1
of the second, which still runs: 0
exit 0, lines of errors: 0
of a third, alone: 1
session files: 3' ]; then
	echo "this has changed" >&2
	exit 1
fi
