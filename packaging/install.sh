#!/bin/sh
# Installs or upgrades ccwatchd for the current user, without root:
#
#   curl -fsSL https://github.com/ccwatchd/ccwatchd/releases/latest/download/install.sh | sh
#
# --help lists the options. Everything is in functions, and the last line runs
# only when it is complete: a truncated download does nothing.
set -eu

usage() {
  cat <<'END'
usage: install.sh [--version VERSION] [--dir DIRECTORY]

Downloads a release of ccwatchd for this system, verifies its SHA-256 checksum
and installs the program. An installed version is replaced atomically.

  --version VERSION  release to install, such as 0.1.0; default: the latest
                     (environment: CCWATCHD_VERSION)
  --dir DIRECTORY    where to install ccwatchd; default: ~/.local/bin
                     (environment: CCWATCHD_INSTALL_DIR)

CCWATCHD_BASE_URL replaces https://github.com/ccwatchd/ccwatchd/releases, for a
mirror with the same layout.
END
}

fail() {
  printf 'install.sh: %s\n' "$*" >&2
  exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

parse_arguments() {
  version=${CCWATCHD_VERSION:-}
  dir=${CCWATCHD_INSTALL_DIR:-}
  base=${CCWATCHD_BASE_URL:-https://github.com/ccwatchd/ccwatchd/releases}
  while [ $# -gt 0 ]; do
    case $1 in
      --version=*) version=${1#*=} ;;
      --dir=*) dir=${1#*=} ;;
      --version | --dir)
        [ $# -gt 1 ] || fail "$1 needs a value"
        if [ "$1" = --dir ]; then dir=$2; else version=$2; fi
        shift
        ;;
      --help)
        usage
        exit
        ;;
      *) fail "unknown argument $1; see --help" ;;
    esac
    shift
  done
  version=${version#v}
  case $version in *[!0-9A-Za-z.+-]*) fail "invalid version $version" ;; esac
  [ -n "$dir" ] || dir=${HOME:?is not set: choose a directory with --dir}/.local/bin
}

# detect_platform sets platform as the names of the archives have it.
detect_platform() {
  os=$(uname -s) arch=$(uname -m)
  # A shell under Rosetta sees an Intel processor.
  if [ "$os $arch" = 'Darwin x86_64' ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null)" = 1 ]; then
    arch=arm64
  fi
  case $arch in
    x86_64 | amd64) arch=amd64 ;;
    aarch64 | arm64) arch=arm64 ;;
    armv7* | armv8*) arch=armv7 ;;
  esac
  case $os in
    Linux) platform=linux-$arch ;;
    Darwin) platform=darwin-$arch ;;
    FreeBSD) platform=freebsd-$arch ;;
    *) platform=$os-$arch ;;
  esac
  case $platform in
    linux-amd64 | linux-arm64 | linux-armv7 | darwin-amd64 | darwin-arm64 | freebsd-amd64 | freebsd-arm64) ;;
    *) fail "no archive for $os on $arch: see https://github.com/ccwatchd/ccwatchd/blob/main/docs/install.md" ;;
  esac
}

download() { # URL FILE
  if has curl; then
    curl -fsSL --retry 3 --proto-redir =https -o "$2" "$1"
  elif has wget; then
    wget -q -O "$2" "$1"
  elif has fetch; then
    fetch -q -o "$2" "$1"
  else
    fail 'curl, wget or fetch is required'
  fi || fail "cannot download $1: check the version and the network connection"
}

checksum() { # FILE
  if has sha256sum; then
    sha256sum "$1" | cut -d ' ' -f 1
  elif has shasum; then
    shasum -a 256 "$1" | cut -d ' ' -f 1
  elif has sha256; then
    sha256 -q "$1"
  else
    fail 'sha256sum, shasum or sha256 is required to verify the download'
  fi
}

# fetch_program leaves the verified program in $work/$name/ccwatchd.
fetch_program() {
  release=$base/latest/download
  [ -z "$version" ] || release=$base/download/v$version
  download "$release/SHA256SUMS" "$work/SHA256SUMS"

  line=$(grep "^[0-9a-f]*  ccwatchd-${version:-[0-9A-Za-z.+-]*}\.$platform\.tar\.gz\$" "$work/SHA256SUMS") ||
    fail "release ${version:-latest} has no archive for $platform"
  want=${line%% *} archive=${line##* }
  name=${archive%.tar.gz}
  version=${name#ccwatchd-}
  version=${version%."$platform"}

  # "latest" may have moved to a newer release since.
  download "$base/download/v$version/$archive" "$work/archive"
  got=$(checksum "$work/archive")
  [ "$got" = "$want" ] || fail "checksum of $archive is $got, want $want: nothing was installed"
  tar -xzf "$work/archive" -C "$work" "$name/ccwatchd" || fail "cannot unpack $archive"
}

# replace_program moves the program into place, which is atomic within a directory.
replace_program() {
  mkdir -p "$dir" || fail "cannot create $dir: choose another directory with --dir"
  dir=$(CDPATH='' cd -- "$dir" && pwd)
  program=$dir/ccwatchd
  [ ! -d "$program" ] || fail "$program is a directory"
  new=$(mktemp "$dir/.ccwatchd.XXXXXX") || fail "cannot write to $dir: choose another directory with --dir"
  cat "$work/$name/ccwatchd" >"$new" || fail "cannot write to $dir"
  chmod 755 "$new"
  "$new" --version >/dev/null 2>&1 || fail "the program for $platform does not run on this system"
  upgrade=
  [ ! -e "$program" ] || upgrade=yes
  mv -f "$new" "$program"
}

# explain_service prints how to install or restart the service.
explain_service() {
  if [ "$os" != Darwin ] && ! has systemctl; then
    echo "To run it: $ccwatchd"
  elif [ -n "$upgrade" ]; then
    echo "If it runs as a service, restart it: $ccwatchd service restart"
  else
    echo "To run it as a service: $ccwatchd service install"
  fi
}

explain() {
  echo "Installed ccwatchd $version as $program"
  case :$PATH: in
    *:"$dir":*) ccwatchd=ccwatchd ;;
    *)
      ccwatchd=$program
      echo "$dir is not in PATH. To add it: export PATH=\"$dir:\$PATH\""
      ;;
  esac
  explain_service
}

main() {
  parse_arguments "$@"
  detect_platform
  new=
  work=$(mktemp -d "${TMPDIR:-/tmp}/ccwatchd.XXXXXX")
  trap 'rm -rf "$work" ${new:+"$new"}' EXIT
  trap 'exit 1' HUP INT TERM
  fetch_program
  replace_program
  explain
}

{ main "$@"; }
