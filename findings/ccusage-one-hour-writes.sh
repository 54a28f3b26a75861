#!/usr/bin/env bash
# ccusage prices cache writes for an hour as cache writes for five minutes.
#
# Subject:  ccusage 18.0.11, reading what @anthropic-ai/claude-code 2.1.332 wrote
# Expected: the cost that Claude Code itself states. The session file says how many tokens
#           were written to the cache for five minutes (1.25 times the price of input) and
#           how many for an hour (twice the price of input).
# Seen:     all of them cost 1.25 times: 0.375 dollars in place of 0.60 for 100,000 tokens.
# So:       Claude Code asks for an hour where the account or ENABLE_PROMPT_CACHING_1H allows
#           it, and cache writes are a large part of a bill. Costs from such sessions are too
#           low by 37.5 % of that part, and two dashboards over the same files disagree,
#           although their tokens are equal. Compare tokens first when costs differ.
# How seen: the real program, in a network namespace of its own, against an API on loopback
#           that serves an answer with 100,000 tokens written for an hour. The control is
#           the same with five minutes, where both agree.
# Needs:    root (unshare -n), node, npm.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "needs root for a network namespace (unshare -n)" >&2; exit 2; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
npm install --prefix "$tmp" --silent --no-audit --no-fund --ignore-scripts \
	@anthropic-ai/claude-code@2.1.332 ccusage@18.0.11

cat >"$tmp/api.js" <<'JS'
const hour = process.argv[2] === 'hour' ? 1e5 : 0
const usage = { input_tokens: 10, output_tokens: 10, cache_read_input_tokens: 0,
  cache_creation_input_tokens: 1e5, cache_creation: { ephemeral_1h_input_tokens: hour,
    ephemeral_5m_input_tokens: 1e5 - hour } }
require('http').createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  const { model, stream } = JSON.parse(body || '{}')
  if (!stream) return response.writeHead(404).end('{}')
  const send = (type, rest) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`)
  response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': 'req_1' })
  send('message_start', { message: { id: 'msg_0000000000000000001', type: 'message',
    role: 'assistant', model, content: [], stop_reason: null, usage } })
  send('content_block_start', { index: 0, content_block: { type: 'text', text: '' } })
  send('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'hello' } })
  send('content_block_stop', { index: 0 })
  send('message_delta', { delta: { stop_reason: 'end_turn' }, usage })
  send('message_stop', {})
  response.end()
}).listen(8080, '127.0.0.1', () => console.log('ready'))
JS

cat >"$tmp/costs.js" <<'JS'
const [result, report] = process.argv.slice(2).map(name => require(name))
const dollars = [result.total_cost_usd, report.totals.totalCost].map(cost => cost.toFixed(3))
console.log(`Claude Code ${dollars[0]}, ccusage ${dollars[1]}`)
JS

costs() { # five|hour: writes a session, prints what Claude Code and ccusage make of it
	mkdir -p "$tmp/$1/work"
	# shellcheck disable=SC2016 # the inner shell expands these
	unshare -n env -i PATH="$PATH" HOME="$tmp/$1" WHICH="$1" ANTHROPIC_API_KEY=sk-ant-none \
		ANTHROPIC_BASE_URL=http://127.0.0.1:8080 DISABLE_AUTOUPDATER=1 \
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 bash -c '
		ip link set lo up
		exec 3< <(exec node "$HOME/../api.js" "$WHICH"); api=$!; read -r _ <&3
		cd "$HOME/work"
		timeout 90 node ../../node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs -p hello \
			--model claude-sonnet-4-5 --output-format json </dev/null >"$HOME/result.json"
		"$HOME/../node_modules/.bin/ccusage" daily --json --offline >"$HOME/report.json"
		kill "$api"'
	node "$tmp/costs.js" "$tmp/$1/result.json" "$tmp/$1/report.json"
}
five=$(costs five)
hour=$(costs hour)
echo "100,000 tokens for five minutes, in dollars: $five"
echo "100,000 tokens for an hour, in dollars:      $hour"
if [ "$five" != "Claude Code 0.375, ccusage 0.375" ] || [ "$hour" != "Claude Code 0.600, ccusage 0.375" ]; then
	echo "this has changed" >&2
	exit 1
fi
