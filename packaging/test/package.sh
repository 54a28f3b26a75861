# Tests the life cycle of the package; every check depends on the checks before.
# To be sourced by machine.
config=/etc/ccwatchd/ccwatchd.yml
state=/var/lib/ccwatchd

install() { # VERSION
  inside dpkg --install --force-confold "/debs/ccwatchd_$1-1_amd64.deb"
}

listeners() { inside awk '$4 == "0A" { print $2 }' /proc/net/tcp /proc/net/tcp6; }

# probe runs a command with the sandbox of the service and prints its output.
probe() { # SHELL-COMMAND
  local unit=/run/systemd/system/ccwatchd-probe.service
  inside mkdir -p $unit.d
  inside cp /usr/lib/systemd/system/ccwatchd.service $unit
  inside tee /run/probe <<<"$1" >/dev/null
  inside tee $unit.d/probe.conf >/dev/null <<'EOF'
[Service]
Type=oneshot
ExecStart=
ExecStart=/bin/sh /run/probe
ExecReload=
Restart=no
WatchdogSec=0
StandardOutput=file:/run/probe.output
StandardError=null
EOF
  inside systemctl daemon-reload
  inside rm -f /run/probe.output
  local status=0
  inside systemctl start ccwatchd-probe || status=$?
  inside cat /run/probe.output
  return $status
}

# Prints all writable files, and all directories where a file can be created.
writable='find / -path /proc -prune -o -path /var/lib/ccwatchd -prune -print -o -type f -writable -print -o -type d -print 2>/dev/null | while read -r path; do
  [ -d "$path" ] || { echo "$path" && continue; }
  (: >"$path/.probe") 2>/dev/null && rm "$path/.probe" && echo "$path"
done; true'

fresh=$(everything)
alice=/home/alice/.claude/projects/-home-alice-app/one.jsonl

echo 'Installed'
check 'the package installs' install 1.0.0
check 'the service is active' equals active property ActiveState
check 'the service is enabled' equals enabled property UnitFileState
check 'it runs as its own user' equals ccwatchd inside ps -o user= -C ccwatchd
check 'it listens on loopback only' equals 0100007F:27F5 listeners
check 'sessions of two users are counted' equals 'alice 100 bob 20' tokens
session alice one 2 11
check 'a new request is counted' equals 'alice 111 bob 20' tokens

echo 'Confined'
check 'its exposure level is at most 2.0' inside systemd-analyze security --threshold=20 --no-pager ccwatchd
check 'it can read a session' shows probe "cat $alice" -- msg_alice-one-1
check 'it cannot write to a session' refuses probe "echo >>$alice"
check 'it can write only to its state' equals "$state" probe "$writable"

echo 'Reloaded'
reloads() { # SUCCESSFUL
  local pid
  pid=$(property MainPID)
  inside systemctl reload ccwatchd && equals "$1" metric ccwatchd_config_last_reload_successful && equals "$pid" property MainPID
}
printf '  - path: /home/*/shared\n    labels: {user: shared}\nintervals: {zero_window: 2s}\n' | inside tee -a "$config" >/dev/null
inside runuser -u bob -- mkdir -m 700 /home/bob/shared
inside cp --preserve=all "$alice" /home/bob/shared/
inside sed -i 's/msg_alice/msg_shared/' /home/bob/shared/one.jsonl
check 'a changed configuration is loaded' reloads 1
check 'its new source is counted' equals 'alice 111 bob 20 shared 111' tokens
echo 'nonsense: 1' | inside tee -a "$config" >/dev/null
check 'an invalid configuration is rejected' reloads 0
inside sed -i '/^nonsense/d' "$config"
check 'the corrected configuration is loaded' reloads 1

echo 'Killed'
inside rm "$alice"
inside systemctl kill --signal=KILL ccwatchd
check 'the service is restarted' equals 1 property NRestarts
check 'the counters continue, including those of a deleted session' equals 'alice 111 bob 20 shared 111' tokens
session alice two 1 1000
check 'a new session is counted' equals 'alice 1111 bob 20 shared 111' tokens

echo 'Rebooted'
halt reboot
boot
check 'the service is active' equals active property ActiveState
check 'the counters continue' equals 'alice 1111 bob 20 shared 111' tokens

echo 'Upgraded'
pid=$(property MainPID)
check 'the new package installs' install 1.0.1
check 'the new version runs' equals 1 metric ccwatchd_build_info 'version="1.0.1"'
check 'it runs in a new process' refuses prints "$pid" property MainPID
check 'the configuration is kept' inside grep -q 'user: shared' "$config"
check 'the counters continue' equals 'alice 1111 bob 20 shared 111' tokens
inside systemctl --quiet disable --now ccwatchd
check 'the package is reinstalled' install 1.0.1
check 'a disabled service stays stopped' equals inactive property ActiveState
inside systemctl --quiet enable --now ccwatchd

echo 'Removed'
check 'the package is removed' inside dpkg --remove ccwatchd
check 'no process is left' refuses inside pgrep ccwatchd
check 'the program is deleted' refuses inside test -e /usr/bin/ccwatchd
check 'configuration and state are kept' inside test -e "$config" -a -e "$state"
check 'the package installs again' install 1.0.1
check 'the counters continue' equals 'alice 1111 bob 20 shared 111' tokens

echo 'Purged'
check 'the package is purged' inside dpkg --purge ccwatchd
check 'nothing is left' same "$fresh" "$(everything)"
