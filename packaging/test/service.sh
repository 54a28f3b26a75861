# Tests "ccwatchd service" with a program that no package has installed. To be
# sourced by machine.
inside sh -c 'dpkg-deb --fsys-tarfile /debs/ccwatchd_1.0.0-1_amd64.deb | tar -xO ./usr/bin/ccwatchd >/usr/local/bin/ccwatchd'
inside chmod 755 /usr/local/bin/ccwatchd
fresh=$(everything)

service() { # USER ARGUMENT...
  local user=$1
  shift
  if [ "$user" = root ]; then inside ccwatchd service "$@"; else as "$user" ccwatchd service "$@"; fi
}

# output prints the output tokens of a user service, which has no user label.
output() { metric claude_tokens_total 'type="output"'; }

leftovers() { inside find /home/alice -name '*ccwatchd*'; }

echo 'User service'
check 'without a user manager, the error names the remedy' exits 1 service bob install -- 'enable-linger'
inside loginctl enable-linger alice
eventually inside test -S "/run/user/$(inside id -u alice)/systemd/private"
check 'it is not installed' exits 4 service alice status -- 'not installed'
check 'it cannot be started' exits 1 service alice start -- 'ccwatchd service install'
check 'it is installed, and prints how to use it' shows service alice install -- \
  'has read everything' 'metrics +http://localhost:10229/metrics' 'job_name: ccwatchd' 'targets: \[localhost:10229\]'
check 'only the sessions of alice are counted' equals 100 output
check 'its status is printed' shows service alice status -- \
  'alice runs' 'version +1.0.0' 'pid +[0-9]+' 'files +1' 'sessions +1' 'backlog +0 bytes'
check 'an invalid configuration changes nothing' exits 1 service alice install --config.file=/etc/passwd -- '/etc/passwd'
check 'it is updated' shows service alice install --web.listen-address=localhost:10230 -- 'http://localhost:10230/metrics'
port=10230
check 'the counters continue' equals 100 output
check 'it is restarted' shows service alice restart -- 'alice runs'
check 'it is stopped' shows service alice stop -- 'stopped'
check 'its status is stopped' exits 3 service alice status -- 'does not run'
check 'it is started' shows service alice start -- 'alice runs'
halt reboot
boot
check 'it runs after a boot, before she logs in' equals 100 output
port=

echo 'System service'
check 'it requires root' exits 1 service bob install --system -- 'root'
check 'it is installed next to the user service' shows service root install --system -- \
  'Made /etc/ccwatchd/ccwatchd.yml' 'has read everything' 'http://localhost:10229/metrics'
check 'sessions of two users are counted' equals 'alice 100 bob 20' tokens
check 'it runs as its own user' equals ccwatchd property User
check 'any user can query its status' shows service bob status --system -- 'system service runs' 'pid +[0-9]+' 'files +2' 'sessions +2'
pid=$(property MainPID)
check 'it is restarted' shows service root restart --system -- 'system service runs'
check 'it runs in a new process' refuses prints "$pid" property MainPID
check 'it is updated' shows service root install --system -- 'has read everything'
check 'the counters continue' equals 'alice 100 bob 20' tokens
inside loginctl enable-linger bob
eventually inside test -S "/run/user/$(inside id -u bob)/systemd/private"
check 'a second service on the same port is rejected' exits 1 service bob install -- 'address already in use'

echo 'Uninstalled'
check 'the user service is removed' shows service alice uninstall -- 'still in /home/alice/.local/state/ccwatchd'
check 'its state is kept' equals /home/alice/.local/state/ccwatchd leftovers
check 'its state is purged' shows service alice uninstall --purge -- 'is removed'
check 'no file of it is left' equals '' leftovers
check 'the system service is purged' shows service root uninstall --system --purge -- 'stopped and removed'
check 'nothing is left' same "$fresh" "$(everything)"

echo 'Next to a package'
check 'the package installs' inside dpkg --install /debs/ccwatchd_1.0.0-1_amd64.deb
check 'the service of the package is found' shows service root status --system -- 'system service runs' 'unit +(/usr)?/lib/systemd/system'
check 'install does not replace it' exits 1 service root install --system -- 'a package has installed'
check 'uninstall does not remove it' exits 1 service root uninstall --system -- 'package'
inside systemctl --quiet disable --now ccwatchd
check 'the user unit of the package starts' as alice systemctl --user enable --now ccwatchd
check 'it counts the sessions of its user' equals 100 output
as alice systemctl --user disable --now ccwatchd
check 'the package is purged' inside dpkg --purge ccwatchd
inside rm /usr/local/bin/ccwatchd
