#!/bin/sh
# Runs what cnitool of the real libcni does and what multusctl cni does side by side; see test/conformance/README.md.
set -eu
cd "$(dirname "$0")/.."

version=v1.3.0

skip() {
  echo "conformance: SKIPPED, nothing was compared with the real libcni: $1" >&2
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
}

find_go() {
  command -v go && return
  for candidate in /usr/local/go/bin/go /usr/lib/go/bin/go; do
    [ -x "$candidate" ] && echo "$candidate" && return
  done
  return 1
}

if [ -z "${CNITOOL:-}" ]; then
  go=$(find_go) || skip "there is no Go to build cnitool with (or set CNITOOL to a cnitool $version)"
  bin=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/multusd/cnitool-$version
  if [ ! -x "$bin/cnitool" ]; then
    echo "conformance: installing cnitool $version into $bin"
    mkdir -p "$bin"
    GOBIN=$bin GOFLAGS=-buildvcs=false "$go" install "github.com/containernetworking/cni/cnitool@$version"
  fi
  CNITOOL=$bin/cnitool
fi
export CNITOOL

[ "$(id -u)" -eq 0 ] || skip "each side needs a mount namespace of its own, which only root can make"
unshare --mount true 2>/dev/null || skip "mount namespaces are not allowed here"
command -v cc >/dev/null 2>&1 || skip "there is no C compiler for the recording plugin"

# Where cnitool keeps results, whatever it is told; each side has its own directory mounted there.
if [ ! -d /var/lib/cni ]; then
  mkdir -p /var/lib/cni
  trap 'rmdir /var/lib/cni 2>/dev/null || true' EXIT
fi

node test/conformance/main.ts
