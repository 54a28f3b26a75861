# Functions for a machine of its own with a real systemd, which nothing outlives:
# all of it is in namespaces and in memory. To be sourced.

outside() { [ -z "${machine_groups:-}" ]; }

# enter_namespaces runs this script once more, where its mounts and processes are
# seen by nobody else and end with it. Its control groups are its own, too: two
# machines in one would take each other's processes for theirs.
enter_namespaces() { # SCRIPT ARGUMENT...
  if ! outside; then
    for group in $machine_groups; do echo 0 >"$group/cgroup.procs"; done
    return
  fi
  machine_groups=$(make_groups)
  machine_groups=$machine_groups unshare --mount --propagation private --pid --mount-proc --fork --kill-child "$@" &
  local inner=$! status=0
  # It heeds no milder signal, and nothing in there is worth one.
  trap 'kill -KILL "$inner" 2>/dev/null || true; eventually remove_groups 2>/dev/null' EXIT
  trap 'exit 1' INT TERM
  wait "$inner" || status=$?
  exit "$status"
}

# make_groups makes a control group below each that this script is in and that
# systemd cares about: of version 2, and of version 1 where that is in use.
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

remove_groups() { # which is refused until the last process in them is gone
  local group
  for group in $machine_groups; do
    [ ! -d "$group" ] || find "$group" -depth -type d -exec rmdir {} + || return
  done
}

# make_machine lays memory, for what the machine will write, over a root that
# stays as it is.
make_machine() { # ROOT
  work=/mnt
  mount -t tmpfs tmpfs $work
  mkdir $work/{upper,work,root}
  mount -t overlay -o "lowerdir=$1,upperdir=$work/upper,workdir=$work/work" overlay $work/root
  # What an installer of Debian writes.
  echo '127.0.0.1 localhost' >$work/root/etc/hosts
  # Where nspawn keeps notes of its own.
  mkdir -p /run/systemd
  mount -t tmpfs tmpfs /run/systemd
}

# boot starts the machine and waits until it is up.
boot() {
  systemd-nspawn --quiet --register=no --keep-unit --private-network --directory=$work/root \
    --machine=ccwatchd-test --console=passive --bind-ro="$debs:/debs" --boot </dev/null >>$work/console 2>&1 &
  machine=$!
  eventually is_up || { cat $work/console && echo "the machine does not start" && exit 1; }
}

is_up() {
  leader=$(<"/proc/$machine/task/$machine/children")
  leader=${leader%% *}
  [ -n "$leader" ] && [[ $(inside systemctl is-system-running) =~ ^(running|degraded)$ ]]
}

# halt powers the machine off, or has it do what a boot can follow.
halt() { # poweroff|reboot
  inside systemctl --no-block "$1"
  wait "$machine" || true
}

# inside runs a command in the machine, as root; as runs one as a user, who is
# logged in as far as systemd is concerned.
inside() {
  nsenter --target "$leader" --all --wdns=/ env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 "$@"
}

as() { # USER COMMAND...
  local user=$1
  shift
  inside runuser -u "$user" -- env HOME="/home/$user" XDG_RUNTIME_DIR="/run/user/$(inside id -u "$user")" "$@"
}
