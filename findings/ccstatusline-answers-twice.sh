#!/usr/bin/env bash
# ccstatusline counts an answer once for each of its parts.
#
# Subject:  ccstatusline 2.2.30, reading what @anthropic-ai/claude-code 2.1.332 wrote
# Expected: the widgets tokens-input and tokens-output show what the session used.
# Seen:     an answer that says something and calls three tools is four lines of the session
#           file. Each has the same message id and repeats the whole usage and the stop
#           reason. ccstatusline takes each line with a stop reason for a whole answer and
#           adds the usage four times: 2.5k in place of 1000 for the two answers here.
# So:       the more tools are called at once, the more the status line exaggerates, and no
#           factor repairs it. In sessions of older versions only the last line of an answer
#           had a stop reason, so it was right there. Any reader that takes a stop reason for
#           "one answer" has this fault: lines have to be joined by their message id.
# How seen: the real program, in a network namespace of its own, against an API on loopback.
#           The controls are Claude Code's own result, and an answer that has one part only.
# Needs:    root (unshare -n), node, npm.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "needs root for a network namespace (unshare -n)" >&2; exit 2; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
npm install --prefix "$tmp" --silent --no-audit --no-fund --ignore-scripts \
	@anthropic-ai/claude-code@2.1.332 ccstatusline@2.2.30

cat >"$tmp/api.js" <<'JS'
const usage = { input_tokens: 100, output_tokens: 500, cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0 }
const text = { type: 'text', text: '' }
const call = n => ({ type: 'tool_use', id: `toolu_000000000000000${n}`, name: 'Bash', input: {} })
const command = JSON.stringify({ command: 'echo one', description: 'says one' })
const answers = [[text], [text]]
if (process.argv[2] === 'tools') answers[0].push(call(1), call(2), call(3))
else answers.shift()
let served = 0
require('http').createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  const { model, stream } = JSON.parse(body || '{}')
  if (!stream) return response.writeHead(404).end('{}')
  const send = (type, rest) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`)
  response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': `req_${served}` })
  send('message_start', { message: { id: `msg_000000000000000000${served}`, type: 'message',
    role: 'assistant', model, content: [], stop_reason: null, usage } })
  const blocks = answers[served++]
  blocks.forEach((block, index) => {
    send('content_block_start', { index, content_block: block })
    send('content_block_delta', { index, delta: block === text ? { type: 'text_delta', text: 'ok' }
      : { type: 'input_json_delta', partial_json: command } })
    send('content_block_stop', { index })
  })
  send('message_delta', { delta: { stop_reason: blocks[1] ? 'tool_use' : 'end_turn' }, usage })
  send('message_stop', {})
  response.end()
}).listen(8080, '127.0.0.1', () => console.log('ready'))
JS

tokens() { # one|tools: writes a session, prints what Claude Code and ccstatusline make of it
	mkdir -p "$tmp/$1/work" "$tmp/$1/.config/ccstatusline"
	echo '{"version":3,"lines":[[{"id":"1","type":"tokens-output"}]]}' \
		>"$tmp/$1/.config/ccstatusline/settings.json"
	# shellcheck disable=SC2016 # the inner shell expands these
	unshare -n env -i PATH="$PATH" HOME="$tmp/$1" WHICH="$1" NO_COLOR=1 \
		ANTHROPIC_API_KEY=sk-ant-none ANTHROPIC_BASE_URL=http://127.0.0.1:8080 \
		DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 bash -c '
		ip link set lo up
		exec 3< <(exec node "$HOME/../api.js" "$WHICH"); api=$!; read -r _ <&3
		cd "$HOME/work"
		timeout 90 node ../../node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs -p hello \
			--model claude-sonnet-4-5 --allowedTools Bash --output-format json </dev/null |
			sed -E "s/.*\"usage\":\{[^}]*\"output_tokens\":([0-9]+).*/Claude Code \1, ccstatusline /" | tr -d "\n"
		kill "$api"
		printf "{\"transcript_path\":\"%s\"}" "$HOME"/.claude/projects/*/*.jsonl |
			"$HOME/../node_modules/.bin/ccstatusline" | tr -d "\033" |
			sed -E "s/\[[0-9;]*m//g; s/.*[^0-9.]([0-9.]+k?)/\1/"'
}
one=$(tokens one)
tools=$(tokens tools)
echo "output of one answer with one part:             $one"
echo "output of an answer with four parts and of one: $tools"
if [ "$one" != "Claude Code 500, ccstatusline 500" ] ||
	[ "$tools" != "Claude Code 1000, ccstatusline 2.5k" ]; then
	echo "this has changed" >&2
	exit 1
fi
