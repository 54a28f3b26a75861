#!/usr/bin/env bash
# What Claude Code prints and what it writes about the same answer differ.
#
# Subject:  @anthropic-ai/claude-code 2.1.332, `claude -p --output-format stream-json`
# Expected: the assistant lines on standard output and the assistant lines of the session file
#           of the same run state the same usage.
# Seen:     every printed line has output_tokens 1 and stop_reason null. They are the numbers
#           with which the answer began. The session file has 500 and the stop reason.
# So:       a program that adds up printed assistant lines (wrapper, CI job, SDK) gets the
#           input right and loses nearly all output, the dearest tokens. Only the last printed
#           line (type "result") and the session file are right.
# How seen: the real program, in a network namespace of its own, against an API on loopback
#           that serves two answers of 500 output tokens. The control is the result line.
# Needs:    root (unshare -n), node, npm.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "needs root for a network namespace (unshare -n)" >&2; exit 2; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/work"
npm install --prefix "$tmp" --silent --no-audit --no-fund --ignore-scripts \
	@anthropic-ai/claude-code@2.1.332

cat >"$tmp/api.js" <<'JS'
const usage = output => ({ input_tokens: 10, output_tokens: output,
  cache_read_input_tokens: 0, cache_creation_input_tokens: 0 })
const call = { type: 'tool_use', id: 'toolu_0000000000000001', name: 'Bash', input: {} }
const command = JSON.stringify({ command: 'echo one', description: 'says one' })
let answers = 0
require('http').createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  const { model, stream } = JSON.parse(body || '{}')
  if (!stream) return response.writeHead(404).end('{}')
  const last = ++answers > 1
  const send = (type, rest) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  send('message_start', { message: { id: `msg_000000000000000000${answers}`, type: 'message',
    role: 'assistant', model, content: [], stop_reason: null, usage: usage(1) } })
  send('content_block_start', { index: 0, content_block: last ? { type: 'text', text: '' } : call })
  send('content_block_delta', { index: 0, delta: last ? { type: 'text_delta', text: 'done' }
    : { type: 'input_json_delta', partial_json: command } })
  send('content_block_stop', { index: 0 })
  send('message_delta', { delta: { stop_reason: last ? 'end_turn' : 'tool_use' }, usage: usage(500) })
  send('message_stop', {})
  response.end()
}).listen(8080, '127.0.0.1', () => console.log('ready'))
JS

# shellcheck disable=SC2016 # the inner shell expands these
unshare -n env -i PATH="$PATH" HOME="$tmp" ANTHROPIC_API_KEY=sk-ant-none \
	ANTHROPIC_BASE_URL=http://127.0.0.1:8080 DISABLE_AUTOUPDATER=1 \
	CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 bash -c '
	ip link set lo up
	exec 3< <(exec node "$HOME/api.js"); api=$!; read -r _ <&3
	cd "$HOME/work"
	timeout 90 node ../node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs -p hello \
		--model claude-sonnet-4-5 --allowedTools Bash --output-format stream-json --verbose \
		</dev/null >"$HOME/printed"
	kill "$api"'

cat >"$tmp/usage.js" <<'JS'
const lines = require('fs').readFileSync(process.argv[3], 'utf8').trim().split('\n').map(JSON.parse)
  .filter(line => line.type === process.argv[2])
console.log(lines.map(line => `${(line.message || line).usage.output_tokens} ` +
  (line.message || line).stop_reason).join(', '))
JS
printed=$(node "$tmp/usage.js" assistant "$tmp/printed")
result=$(node "$tmp/usage.js" result "$tmp/printed")
written=$(node "$tmp/usage.js" assistant "$tmp"/.claude/projects/*/*.jsonl)
echo "printed assistant lines: $printed"
echo "printed result line:     $result"
echo "session file:            $written"
if [ "$printed" != "1 null, 1 null" ] || [ "${result%% *}" != 1000 ] ||
	[ "$written" != "500 tool_use, 500 end_turn" ]; then
	echo "this has changed" >&2
	exit 1
fi
