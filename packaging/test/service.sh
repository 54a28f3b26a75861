# The commands "ccwatchd service", of a program that no package has installed.
# To be sourced by machine.
inside sh -c 'dpkg-deb --fsys-tarfile /debs/ccwatchd_1.0.0-1_amd64.deb | tar -xO ./usr/bin/ccwatchd >/usr/local/bin/ccwatchd'
inside chmod 755 /usr/local/bin/ccwatchd
fresh=$(everything)

service() { # USER ARGUMENT...
  local user=$1
  shift
  if [ "$user" = root ]; then inside ccwatchd service "$@"; else as "$user" ccwatchd service "$@"; fi
}

# output prints all output tokens, which are without the user in that one's own service.
output() { metric claude_tokens_total 'type="output"'; }

left() { inside find /home/alice -name '*ccwatchd*'; }

echo 'Service of a user'
check 'one whose manager does not run is told what to do' exits 1 service bob install -- 'enable-linger'
inside loginctl enable-linger alice
eventually inside test -S "/run/user/$(inside id -u alice)/systemd/private"
check 'there is none yet' exits 4 service alice status -- 'not installed'
check 'nothing to start, either' exits 1 service alice start -- 'ccwatchd service install'
check 'it is installed, and says what to do with it' shows service alice install -- \
  'has read everything' 'metrics +http://localhost:10229/metrics' 'job_name: ccwatchd' 'targets: \[localhost:10229\]'
check 'her sessions are counted, and nobody else'"'s" equals 100 output
check 'how it fares is told' shows service alice status -- \
  'alice runs' 'version +1.0.0' 'pid +[0-9]+' 'files +1' 'sessions +1' 'backlog +0 bytes' 'last error +none'
check 'a configuration that is wrong changes nothing' exits 1 service alice install --config.file=/etc/passwd -- '/etc/passwd'
check 'it is updated' shows service alice install --web.listen-address=localhost:10230 -- 'http://localhost:10230/metrics'
port=10230
check 'the counters go on' equals 100 output
check 'it is restarted' shows service alice restart -- 'alice runs'
check 'it is stopped' shows service alice stop -- 'stopped'
check 'that is told, too' exits 3 service alice status -- 'does not run'
check 'it is started' shows service alice start -- 'alice runs'
halt reboot
boot
check 'it runs after a boot, before she logs in' equals 100 output
port=

echo 'Service of the system'
check 'it takes root' exits 1 service bob install --system -- 'root'
check 'it is installed beside hers' shows service root install --system -- \
  'Made /etc/ccwatchd/ccwatchd.yml' 'has read everything' 'http://localhost:10229/metrics'
check 'sessions of two users are counted' equals 'alice 100 bob 20' tokens
check 'it runs as its own user' equals ccwatchd property User
check 'how it fares is told to anybody' shows service bob status --system -- 'system runs' 'pid +[0-9]+' 'files +2' 'sessions +2'
pid=$(property MainPID)
check 'it is restarted' shows service root restart --system -- 'system runs'
check 'in a new process' refuses says "$pid" property MainPID
check 'it is updated' shows service root install --system -- 'has read everything'
check 'the counters go on' equals 'alice 100 bob 20' tokens
inside loginctl enable-linger bob
eventually inside test -S "/run/user/$(inside id -u bob)/systemd/private"
check 'another cannot take its place' exits 1 service bob install -- 'address already in use'

echo 'Uninstalled'
check 'hers goes' shows service alice uninstall -- 'still in /home/alice/.local/state/ccwatchd'
check 'but for its state' equals /home/alice/.local/state/ccwatchd left
check 'which can go, too' shows service alice uninstall --purge -- 'is removed'
check 'nothing of it is left' equals '' left
check 'that of the system goes, with its state' shows service root uninstall --system --purge -- 'stopped and removed'
check 'nothing of it is left' same "$fresh" "$(everything)"

echo 'Beside a package'
check 'the package installs' inside dpkg --install /debs/ccwatchd_1.0.0-1_amd64.deb
check 'its service is found' shows service root status --system -- 'system runs' 'unit +(/usr)?/lib/systemd/system'
check 'and left alone' exits 1 service root install --system -- 'a package has installed'
check 'so is it when uninstalled' exits 1 service root uninstall --system -- 'package'
inside systemctl --quiet disable --now ccwatchd
check 'a user can have its unit instead' as alice systemctl --user enable --now ccwatchd
check 'which counts the sessions of that user' equals 100 output
as alice systemctl --user disable --now ccwatchd
check 'the package goes' inside dpkg --purge ccwatchd
inside rm /usr/local/bin/ccwatchd
