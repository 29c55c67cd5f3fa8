#!/bin/sh
# Debian packages that demo and tests use on a real kernel; installed only where something is missing.
set -eu

missing=
[ -x /usr/lib/cni/bridge ] && [ -x /usr/lib/cni/host-local ] || missing="$missing containernetworking-plugins"
command -v ip >/dev/null 2>&1 || missing="$missing iproute2"
command -v iptables >/dev/null 2>&1 || missing="$missing iptables"
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
  echo "install-packages: missing:$missing; they are installed only as root on Debian" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086 # a list of words
if ! { apt-get update && apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1 </dev/null; then
  cat "$log" >&2
  echo "install-packages: could not install:$missing" >&2
  exit 1
fi
echo "installed:$missing"
