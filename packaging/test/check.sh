# What is checked, and how that is told; what Claude Code would write in a machine,
# and what is counted of it. To be sourced after machine.sh.

# eventually tries a command until it succeeds, for half a minute.
eventually() {
  local deadline=$((SECONDS + 30))
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$deadline" ] || return 1
    sleep 0.1
  done
}

# check prints whether something holds, and what the command said if it does not.
failed=0
check() { # WHAT COMMAND...
  local what=$1 said command
  shift
  command=$*
  if said=$("$@" 2>&1); then
    printf '  ok      %s\n' "$what"
  else
    printf '  FAILED  %s\n' "$what"
    printf '          %s\n' "${command:0:200}"
    sed 's/^/          | /' <<<"$said"
    failed=$((failed + 1))
  fi
}

# same, exits and shows are what to check: that two texts are equal, what a
# command ends with, and that all of some extended regular expressions are in
# what it says.
same() { # TEXT TEXT
  [ "$1" = "$2" ] || { diff <(echo "$1") <(echo "$2"); false; }
}

shows() { # COMMAND... -- PATTERN...
  exits 0 "$@"
}

exits() { # STATUS COMMAND... -- PATTERN...
  local want=$1 status=0 command=() said pattern
  shift
  while [ "$1" != -- ]; do command+=("$1") && shift; done
  shift
  said=$("${command[@]}" 2>&1) || status=$?
  [ "$status" = "$want" ] || { printf 'exits with %s, not %s:\n%s\n' "$status" "$want" "$said" && return 1; }
  for pattern; do
    grep -qE -- "$pattern" <<<"$said" || { printf 'no %s in:\n%s\n' "$pattern" "$said" && return 1; }
  done
}

refuses() { ! "$@"; }

# equals checks what a command prints, which may become so in a while.
equals() { # TEXT COMMAND...
  eventually says "$@" || { same "$1" "$("${@:2}" 2>&1)"; }
}

says() { [ "$("${@:2}")" = "$1" ]; }

# session appends a request to a session of a user, who alone may read it.
session() { # USER SESSION REQUEST OUTPUT-TOKENS
  local file=/home/$1/.claude/projects/-home-$1-app/$2.jsonl line
  line='{"type":"assistant","uuid":"'$1-$2-$3'","sessionId":"'$1-$2'","timestamp":"2026-11-21T10:00:00.000Z","cwd":"/home/'$1'/app","version":"2.1.232",'
  line+='"message":{"id":"msg_'$1-$2-$3'","type":"message","role":"assistant","model":"claude-opus-4-6","stop_reason":"end_turn",'
  line+='"content":[{"type":"text","text":"done"}],"usage":{"input_tokens":1,"output_tokens":'$4'}}}'
  inside runuser -u "$1" -- sh -c 'umask 077 && mkdir -p "${1%/*}" && printf "%s\n" "$2" >>"$1"' sh "$file" "$line"
}

# metric prints the series of a family that have a label, without its name.
metric() { # FAMILY [LABEL]
  exposition | sed -nE "s/^$1(\{.*${2:-}.*\})? //p"
}

# tokens prints the output tokens of every user.
tokens() {
  exposition | sed -nE 's/^claude_tokens_total\{.*type="output",user="([^"]*)".*\} /\1 /p' | sort | paste -sd ' '
}

exposition() { inside curl -fsS "http://localhost:${port:-10229}/metrics"; }

# property prints one that the manager of services knows of the service.
property() { inside systemctl show --value --property "$1" ccwatchd; }

# everything lists all that a package or the daemon could have left.
everything() {
  inside find / -xdev \( -path /debs -o -path /dev -o -path /home -o -path /proc -o -path /run -o -path /sys -o -path /tmp \
    -o -path /var/cache -o -path /var/lib/dpkg -o -path /var/lib/systemd -o -path /var/log -o -path /var/tmp \) -prune \
    -o ! -name '*-' ! -name .pwd.lock -printf '%M %u %g %p\n' | sort
  inside getent passwd
  inside getent group
}
