# Assertions, sessions as Claude Code writes them, and the metrics of the daemon. To
# be sourced after machine.sh.

# eventually repeats a command until it succeeds, for up to 30 seconds.
eventually() {
  local deadline=$((SECONDS + 30))
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$deadline" ] || return 1
    sleep 0.1
  done
}

# check runs a command and prints the result, with the command's output if it failed.
failed=0
check() { # DESCRIPTION COMMAND...
  local description=$1 output command
  shift
  command=$*
  if output=$("$@" 2>&1); then
    printf '  ok      %s\n' "$description"
  else
    printf '  FAILED  %s\n' "$description"
    printf '          %s\n' "${command:0:200}"
    sed 's/^/          | /' <<<"$output"
    failed=$((failed + 1))
  fi
}

# summarize exits with 1 if any check failed.
summarize() {
  echo
  [ "$failed" = 0 ] || { echo "$failed checks failed." && exit 1; }
  echo 'All checks passed.'
}

# same compares two texts. exits checks the exit status of a command, and that its
# output matches all extended regular expressions; shows does so for status 0.
same() { # TEXT TEXT
  [ "$1" = "$2" ] || { diff <(echo "$1") <(echo "$2"); false; }
}

shows() { # COMMAND... -- PATTERN...
  exits 0 "$@"
}

exits() { # STATUS COMMAND... -- PATTERN...
  local want=$1 status=0 command=() output pattern
  shift
  while [ "$1" != -- ]; do command+=("$1") && shift; done
  shift
  output=$("${command[@]}" 2>&1) || status=$?
  [ "$status" = "$want" ] || { printf 'got exit status %s, want %s:\n%s\n' "$status" "$want" "$output" && return 1; }
  for pattern; do
    grep -qE -- "$pattern" <<<"$output" || { printf '%s not found in:\n%s\n' "$pattern" "$output" && return 1; }
  done
}

refuses() { ! "$@"; }

# equals waits until a command prints a text.
equals() { # TEXT COMMAND...
  eventually prints "$@" || { same "$1" "$("${@:2}" 2>&1)"; }
}

prints() { [ "$("${@:2}")" = "$1" ]; }

# session appends a request to a session that only its user may read.
session() { # USER SESSION REQUEST OUTPUT-TOKENS
  local file=/home/$1/.claude/projects/-home-$1-app/$2.jsonl line
  line='{"type":"assistant","uuid":"'$1-$2-$3'","sessionId":"'$1-$2'","timestamp":"2026-11-21T10:00:00.000Z","cwd":"/home/'$1'/app","version":"2.1.232",'
  line+='"message":{"id":"msg_'$1-$2-$3'","type":"message","role":"assistant","model":"claude-opus-4-6","stop_reason":"end_turn",'
  line+='"content":[{"type":"text","text":"done"}],"usage":{"input_tokens":1,"output_tokens":'$4'}}}'
  inside runuser -u "$1" -- sh -c 'umask 077 && mkdir -p "${1%/*}" && printf "%s\n" "$2" >>"$1"' sh "$file" "$line"
}

# metric prints labels and values of the series of a family, optionally with a label.
metric() { # FAMILY [LABEL]
  exposition | sed -nE "s/^$1(\{.*${2:-}.*\})? //p"
}

# tokens prints the output tokens of every user.
tokens() {
  exposition | sed -nE 's/^claude_tokens_total\{.*type="output",user="([^"]*)".*\} /\1 /p' | sort | paste -sd ' '
}

# fixture_total matches a series with the total of testdata/fixtures/05-subagents,
# and exposes_fixture checks that a daemon on the default port has it.
fixture_total='^claude_tokens_total\{.*type="cache_read"\} 1900$'
exposes_fixture() { # [COMMAND that runs curl]
  "$@" curl -fsS http://127.0.0.1:10229/metrics | grep -E "$fixture_total"
}

exposition() { inside curl -fsS "http://localhost:${port:-10229}/metrics"; }

# property prints a property of the service in systemd.
property() { inside systemctl show --value --property "$1" ccwatchd; }

# everything lists all files, users and groups that a package or the daemon may create.
everything() {
  inside find / -xdev \( -path /debs -o -path /dev -o -path /home -o -path /proc -o -path /run -o -path /sys -o -path /tmp \
    -o -path /var/cache -o -path /var/lib/dpkg -o -path /var/lib/systemd -o -path /var/log -o -path /var/tmp \) -prune \
    -o ! -name '*-' ! -name .pwd.lock -printf '%M %u %g %p\n' | sort
  inside getent passwd
  inside getent group
}
