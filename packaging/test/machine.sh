# Functions that run a system with systemd in namespaces and in memory, so that it
# leaves nothing behind. To be sourced.

outside() { [ -z "${machine_groups:-}" ]; }

# enter_namespaces runs this script again in new mount and PID namespaces, and in
# control groups of its own: two systemd in one group would manage each other's processes.
enter_namespaces() { # SCRIPT ARGUMENT...
  if ! outside; then
    for group in $machine_groups; do echo 0 >"$group/cgroup.procs"; done
    return
  fi
  machine_groups=$(make_groups)
  machine_groups=$machine_groups unshare --mount --propagation private --pid --mount-proc --fork --kill-child "$@" &
  local inner=$! status=0
  # PID 1 of a namespace ignores other signals.
  trap 'kill -KILL "$inner" 2>/dev/null || true; eventually remove_groups 2>/dev/null' EXIT
  trap 'exit 1' INT TERM
  wait "$inner" || status=$?
  exit "$status"
}

# make_groups creates a control group below each group of this script that systemd
# uses: version 2, and version 1 where that is in use.
make_groups() {
  local name path
  while IFS=: read -r _ name path; do
    case $name in
    name=systemd) name=/sys/fs/cgroup/systemd ;;
    '') [ -d /sys/fs/cgroup/unified ] && name=/sys/fs/cgroup/unified || name=/sys/fs/cgroup ;;
    *) continue ;;
    esac
    mkdir "$name$path/ccwatchd-test.$$"
    echo "$name$path/ccwatchd-test.$$"
  done </proc/self/cgroup
}

remove_groups() { # fails until the last process in them has exited
  local group
  for group in $machine_groups; do
    [ ! -d "$group" ] || find "$group" -depth -type d -exec rmdir {} + || return
  done
}

# make_machine mounts an overlay in memory over a root directory.
make_machine() { # ROOT
  work=/mnt
  mount -t tmpfs tmpfs $work
  mkdir $work/{upper,work,root}
  mount -t overlay -o "lowerdir=$1,upperdir=$work/upper,workdir=$work/work" overlay $work/root
  echo '127.0.0.1 localhost' >$work/root/etc/hosts
  # Used by systemd-nspawn itself.
  mkdir -p /run/systemd
  mount -t tmpfs tmpfs /run/systemd
}

# boot starts the machine and waits until systemd has started.
boot() {
  systemd-nspawn --quiet --register=no --keep-unit --private-network --directory=$work/root \
    --machine=ccwatchd-test --console=passive --bind-ro="$debs:/debs" --boot </dev/null >>$work/console 2>&1 &
  machine=$!
  eventually is_up || { cat $work/console && echo "the machine did not start" && exit 1; }
}

is_up() {
  leader=$(<"/proc/$machine/task/$machine/children")
  leader=${leader%% *}
  [ -n "$leader" ] && [[ $(inside systemctl is-system-running) =~ ^(running|degraded)$ ]]
}

# halt powers the machine off, or reboots it, to be followed by boot.
halt() { # poweroff|reboot
  inside systemctl --no-block "$1"
  wait "$machine" || true
}

# inside runs a command in the machine as root, as runs one as a user with the
# user's systemd manager.
inside() {
  nsenter --target "$leader" --all --wdns=/ env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 "$@"
}

as() { # USER COMMAND...
  local user=$1
  shift
  inside runuser -u "$user" -- env HOME="/home/$user" XDG_RUNTIME_DIR="/run/user/$(inside id -u "$user")" "$@"
}
