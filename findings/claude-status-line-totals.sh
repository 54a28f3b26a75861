#!/usr/bin/env bash
# The total tokens that Claude Code gives a status line are no totals.
#
# Subject:  @anthropic-ai/claude-code 2.1.332, input of the statusLine command
# Expected: context_window.total_input_tokens and total_output_tokens grow over a session, as
#           cost.total_cost_usd beside them does.
# Seen:     they are the numbers of the last answer: total_output_tokens falls from 900 to 20
#           while the cost rises; total_input_tokens is the size of the last request, with
#           what was read from and written to the cache.
# So:       a program that stores them as a counter (a status line that writes metrics is a usual way
#           to get some) sees a restart at almost every answer: rate() then adds up falls
#           and rises by chance, and the last value taken as the session's total loses nearly
#           everything. They are gauges. Totals are in the session file.
# How seen: the real program in a terminal of its own and a network namespace of its own,
#           against an API on loopback that serves 900 and 20 output tokens. The control is
#           the cost, which has both answers.
# Needs:    root (unshare -n), node, npm, script (util-linux).
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "needs root for a network namespace (unshare -n)" >&2; exit 2; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
npm install --prefix "$tmp" --silent --no-audit --no-fund --ignore-scripts \
	@anthropic-ai/claude-code@2.1.332
mkdir "$tmp/work" "$tmp/.claude"
cat >"$tmp/.claude.json" <<JSON
{"hasCompletedOnboarding":true,"customApiKeyResponses":{"approved":["sk-ant-none"]},
"projects":{"$tmp/work":{"hasTrustDialogAccepted":true}}}
JSON
# shellcheck disable=SC2016 # Claude Code's shell expands $HOME
echo '{"statusLine":{"type":"command","command":"(cat; echo) >>$HOME/inputs"}}' >"$tmp/.claude/settings.json"

cat >"$tmp/api.js" <<'JS'
const command = JSON.stringify({ command: 'echo one', description: 'says one' })
let served = 0
require('http').createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  const { model, stream } = JSON.parse(body || '{}')
  if (!stream) return response.writeHead(404).end('{}')
  const last = served++ > 0
  const usage = { input_tokens: 100, output_tokens: last ? 20 : 900, cache_read_input_tokens: 5000 }
  const send = (type, rest) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  send('message_start', { message: { id: `msg_000000000000000000${served}`, type: 'message',
    role: 'assistant', model, content: [], stop_reason: null, usage } })
  send('content_block_start', { index: 0, content_block: last ? { type: 'text', text: '' }
    : { type: 'tool_use', id: 'toolu_0000000000000001', name: 'Bash', input: {} } })
  send('content_block_delta', { index: 0, delta: last ? { type: 'text_delta', text: 'done' }
    : { type: 'input_json_delta', partial_json: command } })
  send('content_block_stop', { index: 0 })
  send('message_delta', { delta: { stop_reason: last ? 'end_turn' : 'tool_use' }, usage })
  send('message_stop', {})
  response.end()
}).listen(8080, '127.0.0.1', () => console.log('ready'))
JS
cat >"$tmp/run.sh" <<'RUN'
ip link set lo up
exec 3< <(exec node "$HOME/api.js"); api=$!; read -r _ <&3
cd "$HOME/work"
mkfifo ../keys
exec 4<>../keys
timeout 90 script -qc "node ../node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs \
	--model claude-haiku-4-5 --allowedTools Bash -- hello" /dev/null <&4 >../screen 2>&1 &
terminal=$!
for _ in $(seq 300); do
	grep -q '"total_output_tokens":20[,}]' ../inputs 2>/dev/null && break
	sleep 0.2
done
kill "$terminal" "$api"
wait
RUN
unshare -n env -i PATH="$PATH" HOME="$tmp" TERM=xterm ANTHROPIC_API_KEY=sk-ant-none \
	ANTHROPIC_BASE_URL=http://127.0.0.1:8080 DISABLE_AUTOUPDATER=1 \
	CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 bash "$tmp/run.sh"
# shellcheck disable=SC2016 # a template of node
seen=$(node -e '
	for (const line of require("fs").readFileSync(process.argv[1], "utf8").match(/^{.*}$/gm)) {
		const { context_window: context, cost } = JSON.parse(line)
		console.log(`input ${context.total_input_tokens}, output ${context.total_output_tokens},`,
			`dollars ${cost.total_cost_usd.toFixed(4)}`)
	}' "$tmp/inputs" | uniq | tail -n 2)
echo "$seen"
if [ "$seen" != 'input 5100, output 900, dollars 0.0051
input 5100, output 20, dollars 0.0058' ]; then
	echo "this has changed" >&2
	exit 1
fi
