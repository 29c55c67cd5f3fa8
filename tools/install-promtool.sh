#!/bin/sh
# promtool for the tests of deploy/alerts.yaml, taken out of Debian's package `prometheus`: installing that one would
# start a server. Only where there is none.
set -eu
cd "$(dirname "$0")/.."

target=node_modules/.cache/promtool
[ -x "$target/promtool" ] && exit 0
command -v promtool >/dev/null 2>&1 && exit 0
if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-deb >/dev/null 2>&1; then
  echo "install-promtool: no promtool, and no Debian to take it from" >&2
  exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
download() { (cd "$work" && apt-get download prometheus) >"$work/log" 2>&1 </dev/null; }
# The list of packages may be missing, or older than what the mirror has.
if ! download && ! { apt-get update >/dev/null 2>&1 </dev/null && download; }; then
  cat "$work/log" >&2
  echo "install-promtool: could not download prometheus" >&2
  exit 1
fi
dpkg-deb --fsys-tarfile "$work"/prometheus_*.deb | tar -x -C "$work" ./usr/bin/promtool
mkdir -p "$target"
mv "$work/usr/bin/promtool" "$target/promtool"
echo "installed: promtool"
