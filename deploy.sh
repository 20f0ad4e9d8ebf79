#!/bin/bash
# The one door: everything this project does with a machine, from a demo to a board beside the bed. Owns the verbs and
# what they need; how a firmware is built, a board set up or a figure taken lies in board/. Installs only what is
# missing and says so; a failure is one sentence that says what to do.
set -euo pipefail
# Where the person stands: paths they name are from here.
here=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")"

usage() {
  cat <<'END'
./deploy.sh VERB
  demo                 the bridge with a simulated strap, on this machine
  decode FILE...       reads a capture of a strap: btsnoop, hex, JSON, raw frames
  encode COMMAND       prints the frame of a command to a strap
  build [TARGET...]    the firmware, into build/: amd64, arm64 (Debian 12), arm64-trixie (Debian 13), arm64-static (any),
                       armv6-static (any 32-bit Pi)
  install HOST         builds for HOST (user@name, over ssh), installs, starts, shows the status
  test [--full]        every test: Swift, the strap's double, both firmware builds, the virtual machine
  fuzz SECONDS [TARGET]
                       every parser under random bytes and the address sanitizer, then what was reached and counted;
                       fuzz tally: the counts of all runs
  powercut [--sample N] [--seed S]
                       cuts the power of the ring at every write of a script, and looks for what was acknowledged;
                       with --sample only so many cuts
  sizes                figures of what was built, a line each: name, value, unit
  bench                figures of how fast it is, a line each: name, value, unit
  help                 this
END
}

die() { echo "deploy.sh: $*" >&2; exit 1; }

# The toolchain, at least 6.3: the first whose Embedded library links on Linux.
need_swift() {
  local version
  type -P swiftc >/dev/null ||
    die "there is no Swift on the PATH; install Swift 6.3 or newer from https://www.swift.org/install/linux/ and run this again."
  version=$(swiftc --version 2>&1 | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -1)
  [ "$(printf '6.3\n%s\n' "${version:-0}" | sort -V | head -1)" = 6.3 ] ||
    die "Swift ${version:-of an unknown version} is too old; install 6.3 or newer from https://www.swift.org/install/linux/"
}

# Asks the toolchain's own compiler, which is right wherever a distribution keeps its headers.
has_header() {
  local resources
  resources=$(swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
  "$resources/../../bin/clang" -fsyntax-only -x c - 2>/dev/null <<<"#include <$1>"
}

has_command() { type -P "$1" >/dev/null; }

# need KIND NAME PACKAGE ...: installs the Debian packages whose header or command is missing.
need() {
  local missing=() sudo=() id
  while [ $# -gt 0 ]; do
    "has_$1" "$2" || missing+=("$3")
    shift 3
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  has_command apt-get || {
    id=$(. "${OS_RELEASE:-/etc/os-release}" 2>/dev/null && echo "${PRETTY_NAME:-}" || true)
    die "${id:-this distribution} is not one I can install on; install what Debian calls: ${missing[*]}"
  }
  [ "$(id -u)" = 0 ] || {
    has_command sudo || die "packages are missing and there is no sudo; as root run: apt-get install ${missing[*]}"
    sudo=(sudo)
  }
  echo "Installing ${missing[*]}." >&2
  "${sudo[@]}" apt-get -qq update >&2 || die "the package lists could not be fetched; check the network and run this again."
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${missing[@]}" >&2 ||
    die "packages could not be installed; run: apt-get install ${missing[*]}"
}

need_headers() {
  need header sqlite3.h libsqlite3-dev header bluetooth/bluetooth.h libbluetooth-dev header gpiod.h libgpiod-dev
}

native_target() {
  case $(uname -m) in
    x86_64) echo amd64 ;;
    aarch64) echo arm64 ;;
    *) die "firmware is not built on $(uname -m); build on a 64-bit machine, with ./deploy.sh install HOST." ;;
  esac
}

verb_build() {
  local target native
  native=$(native_target)
  need_swift
  [ $# -gt 0 ] || set -- "$native"
  for target; do
    # A cross build brings its own headers.
    [[ $target != "$native"* ]] || need_headers
    board/cross/firmware "$target"
    board/cross/firmware "$target" nightstand-frames
  done
}

verb_demo() {
  local native
  native=$(native_target)
  need_swift
  need_headers
  echo "Building (two minutes the first time)." >&2
  board/cross/firmware "$native" nightstand-demo >/dev/null
  exec "build/nightstand-demo-$native" "$@"
}

# frames VERB ...: reading and writing frames needs no board.
frames() {
  local native project=$PWD
  native=$(native_target)
  need_swift
  need_headers
  board/cross/firmware "$native" nightstand-frames >/dev/null
  cd "$here"
  exec "$project/build/nightstand-frames-$native" "$@"
}

verb_decode() { frames decode "$@"; }
verb_encode() { frames encode "$@"; }

verb_install() {
  [ $# = 1 ] || die "install needs one HOST, such as pi@bedside.local."
  need_swift
  board/install "$1"
}

verb_test() {
  local full=
  [ "${1:-}" != --full ] || full=--full
  need_swift
  need_headers
  need command python3 python3 command qemu-aarch64-static qemu-user-static command valgrind valgrind
  board/test $full
}

verb_fuzz() {
  [ $# -ge 1 ] || die "fuzz needs SECONDS, such as 300, and may have a TARGET."
  [ "$1" != tally ] || exec board/fuzz tally
  need_swift
  need_headers
  need command python3 python3
  board/fuzz run "$@"
}

# The ordinary build, which the tests share.
verb_powercut() {
  need_swift
  need_headers
  swift build --product nightstand-powercut >&2 || die "the power cut could not be built."
  exec "$(swift build --show-bin-path)/nightstand-powercut" "$@"
}

# Builds first (at once when nothing has changed), so that the figures are of this tree.
verb_sizes() {
  local native
  native=$(native_target)
  need command readelf binutils
  if [ "$native" = amd64 ]; then verb_build amd64 arm64 arm64-static >&2; else verb_build "$native" "$native-static" >&2; fi
  board/sizes
}

# The benchmark is built as the firmware is, and prints figures and nothing else.
verb_bench() {
  local native
  native=$(native_target)
  need_swift
  need_headers
  need command valgrind valgrind
  board/cross/firmware "$native" nightstand-bench >/dev/null
  board/bench "build/nightstand-bench-$native"
}

verb=${1:-help}
[ $# = 0 ] || shift
case $verb in
  demo|decode|encode|build|install|test|fuzz|powercut|sizes|bench) "verb_$verb" "$@" ;;
  help|-h|--help) usage ;;
  *) usage >&2; die "there is no verb '$verb'." ;;
esac
