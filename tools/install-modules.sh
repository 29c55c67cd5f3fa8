#!/bin/sh
# node_modules as the lock file says, and in it the Node that the project pins. Does nothing where that is so already.
set -eu
cd "$(dirname "$0")/.."

stamp=node_modules/.multusd-lock
want=$(sha256sum package.json package-lock.json | sha256sum | cut -d' ' -f1)
major=$(cat .node-version)

node_runs() {
  [ -x "$1" ] && case $("$1" --version 2>/dev/null) in "v$major."*) return 0 ;; esac
  return 1
}

if [ "$(cat "$stamp" 2>/dev/null)" != "$want" ]; then
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  if ! npm ci --no-audit --no-fund --loglevel=error >"$log" 2>&1 </dev/null; then
    cat "$log" >&2
    exit 1
  fi
fi

# An npm that keeps install scripts back, or a cache of another machine, leaves the package without its binary.
node=node_modules/node/bin/node
if ! node_runs "$node"; then
  for candidate in node_modules/node-linux-*/bin/node node_modules/node/node_modules/node-linux-*/bin/node; do
    if node_runs "$candidate"; then
      mkdir -p "${node%/*}"
      ln -f "$candidate" "$node"
      break
    fi
  done
fi
if ! node_runs "$node"; then
  (cd node_modules/node && node installArchSpecificPackage) >/dev/null </dev/null
fi
if ! node_runs "$node"; then
  echo "install-modules: $node is not Node $major; does npm hold the install script of the package \"node\" back?" >&2
  exit 1
fi
echo "$want" >"$stamp"
