#!/usr/bin/env bash
# ccusage charges the higher price of long prompts for the excess alone, and of each kind apart.
#
# Subject:  ccusage 20.0.24 (native binary) and 18.0.11, --offline
# Expected: the list price of Sonnet 4.5 with a context of 1M: "If your request exceeds 200K
#           input tokens, all tokens incur premium pricing." Cache reads and writes are input.
#           ccusage calculates a cost from LiteLLM's prices, which have both rates.
# Seen:     each kind of tokens is compared with 200,000 by itself, and only what is above costs
#           more. 240,000 cache reads, 10,000 input and 1,000 output tokens cost 0.129 dollars,
#           not 0.2265; 190,000 reads and 60,000 input tokens get no higher price at all.
# So:       long sessions read most of their prompt from the cache, so most of the surcharge is
#           missing, up to half of the cost. Totals of tokens are right, so a comparison of
#           tokens finds nothing. Models with one price, as Sonnet 4.6, are right.
# How seen: a session file with one answer for each case. The controls are @pydantic/genai-prices
#           0.1.8, which prices the whole request, Sonnet 4.6 (one price), and a short prompt.
# Needs:    node, npm, linux on x86-64.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
mkdir new old
npm install --prefix new --silent --no-audit --no-fund ccusage@20.0.24 \
	@ccusage/ccusage-linux-x64@20.0.24 @pydantic/genai-prices@0.1.8
npm install --prefix old --silent --no-audit --no-fund ccusage@18.0.11
cat >new/write.mjs <<'JS'
import { calcPrice } from '@pydantic/genai-prices'
import fs from 'node:fs'
const [home, model, input, read] = process.argv.slice(2)
const usage = { input_tokens: +input, cache_read_input_tokens: +read, output_tokens: 1000,
  cache_creation_input_tokens: 0 }
const folder = `${home}/.claude/projects/-work`
fs.mkdirSync(folder, { recursive: true })
fs.writeFileSync(`${folder}/00000000-0000-4000-8000-000000000001.jsonl`, JSON.stringify({
  type: 'assistant', uuid: '00000000-0000-4000-8000-000000000002', cwd: '/work',
  sessionId: '00000000-0000-4000-8000-000000000001', version: '2.1.332', requestId: 'req_1',
  timestamp: '2026-11-20T12:00:00.000Z', message: { id: 'msg_1', type: 'message', model, usage,
    role: 'assistant', content: [{ type: 'text', text: 'hello' }], stop_reason: 'end_turn' } }) + '\n')
const { total_price } = calcPrice({ input_tokens: +input + +read, cache_read_tokens: +read,
  output_tokens: 1000 }, model, { providerId: 'anthropic' })
console.log(`list ${total_price.toFixed(4)}`)
JS
cost() { # PREFIX: the cost in dollars that its ccusage reports
	HOME=$tmp/home "$1/node_modules/.bin/ccusage" daily --json --offline |
		node -e 'console.log(JSON.parse(require("fs").readFileSync(0)).totals.totalCost.toFixed(4))'
}
costs() { # MODEL INPUT READ: the costs of an answer with so many tokens
	rm -rf home
	list=$(node new/write.mjs home "$@")
	echo "$*: $list, ccusage 20 $(cost new), ccusage 18 $(cost old)"
}
echo "model, input and cache reads: dollars"
seen=$(for tokens in '10000 240000' '60000 190000' '10000 180000'; do
	# shellcheck disable=SC2086 # two arguments
	costs claude-sonnet-4-5 $tokens
done; costs claude-sonnet-4-6 10000 240000)
echo "$seen"
if [ "$seen" != 'claude-sonnet-4-5 10000 240000: list 0.2265, ccusage 20 0.1290, ccusage 18 0.1290
claude-sonnet-4-5 60000 190000: list 0.4965, ccusage 20 0.2520, ccusage 18 0.2520
claude-sonnet-4-5 10000 180000: list 0.0990, ccusage 20 0.0990, ccusage 18 0.0990
claude-sonnet-4-6 10000 240000: list 0.1170, ccusage 20 0.1170, ccusage 18 0.1170' ]; then
	echo "this has changed" >&2
	exit 1
fi
