#!/usr/bin/env bash
# The official reader of session files leaves out most of what was before a compaction.
#
# Subject:  @anthropic-ai/claude-agent-sdk 0.3.332, getSessionMessages(), reading what
#           @anthropic-ai/claude-code 2.1.332 wrote
# Expected: the messages of a session are the user and assistant lines of its file.
# Seen:     after /compact only the last exchange before it and what came since are returned:
#           1000 of the 2500 output tokens here. listSessions() still names the session by its
#           first prompt and states the size of the whole file, so nothing shows that most of
#           it is missing. (The documentation says that a chain of parents is followed, not
#           that a compaction cuts the chain.)
# So:       costs, tokens, searches and exports that use the SDK in place of the file lose the
#           larger part of long sessions, and a total that was shown before falls when the
#           user compacts. The lines are all in the file: read it.
# How seen: the real program, in a network namespace of its own, against an API on loopback:
#           four prompts, /compact, one prompt, and what the SDK returns before and after. The
#           controls are the file, and the SDK before the compaction.
# Needs:    root (unshare -n), node, npm.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "needs root for a network namespace (unshare -n)" >&2; exit 2; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/work"
npm install --prefix "$tmp" --silent --no-audit --no-fund --ignore-scripts --omit=optional \
	@anthropic-ai/claude-agent-sdk@0.3.332
npm install --prefix "$tmp/program" --silent --no-audit --no-fund --ignore-scripts \
	@anthropic-ai/claude-code@2.1.332

cat >"$tmp/api.js" <<'JS'
const usage = { input_tokens: 10, output_tokens: 500 }
let served = 0
require('http').createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  const { model, stream } = JSON.parse(body || '{}')
  if (!stream) return response.writeHead(404).end('{}')
  const send = (type, rest) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  send('message_start', { message: { id: `msg_000000000000000000${++served}`, type: 'message',
    role: 'assistant', model, content: [], stop_reason: null, usage } })
  send('content_block_start', { index: 0, content_block: { type: 'text', text: '' } })
  send('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'answer' } })
  send('content_block_stop', { index: 0 })
  send('message_delta', { delta: { stop_reason: 'end_turn' }, usage })
  send('message_stop', {})
  response.end()
}).listen(8080, '127.0.0.1', () => console.log('ready'))
JS
cat >"$tmp/read.mjs" <<'JS'
import { readFileSync } from 'fs'
import { listSessions, getSessionMessages } from '@anthropic-ai/claude-agent-sdk'
const output = messages => messages.filter(({ type }) => type === 'assistant')
  .reduce((sum, { message }) => sum + message.usage.output_tokens, 0)
const file = readFileSync(process.argv[2])
const [session, more] = await listSessions()
console.log(`output tokens in the file ${output(file.toString().trim().split('\n').map(JSON.parse))},`,
  `by the SDK ${output(await getSessionMessages(session.sessionId))};`,
  `the SDK's size is the file's: ${!more && session.fileSize === file.length},`,
  `first prompt: ${session.firstPrompt}`)
JS
cat >"$tmp/run.sh" <<'RUN'
ip link set lo up
exec 3< <(exec node "$HOME/api.js"); api=$!; read -r _ <&3
cd "$HOME/work"
id=11111111-1111-4111-8111-111111111111
claude() {
	timeout 90 node ../program/node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs -p \
		--model claude-sonnet-4-5 "$@" </dev/null >"$HOME/printed" 2>&1
}
claude --session-id $id one
for prompt in two three four; do claude --resume $id $prompt; done
echo "before: $(node ../read.mjs "$HOME"/.claude/projects/*/$id.jsonl)"
claude --resume $id /compact
claude --resume $id five
echo "after: $(node ../read.mjs "$HOME"/.claude/projects/*/$id.jsonl)"
kill "$api"
RUN
seen=$(unshare -n env -i PATH="$PATH" HOME="$tmp" ANTHROPIC_API_KEY=sk-ant-none \
	ANTHROPIC_BASE_URL=http://127.0.0.1:8080 DISABLE_AUTOUPDATER=1 \
	CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 bash "$tmp/run.sh")
echo "$seen"
same="the SDK's size is the file's: true, first prompt: one"
if [ "$seen" != "before: output tokens in the file 2000, by the SDK 2000; $same
after: output tokens in the file 2500, by the SDK 1000; $same" ]; then
	echo "this has changed" >&2
	exit 1
fi
