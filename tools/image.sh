#!/bin/sh
# Builds the image where a builder is there; the base images come from BASE_RUST, BASE_NODE and BASE_RUN.
set -eu
cd "$(dirname "$0")/.."

builder=${BUILDER:-}
for candidate in docker podman buildah; do
  [ -n "$builder" ] || ! command -v "$candidate" >/dev/null 2>&1 || builder=$candidate
done
if [ -z "$builder" ]; then
  echo "image: skipped: no docker, podman or buildah on this machine"
  exit 0
fi
set -- --tag "${IMAGE:-multusd}" --file Dockerfile
[ -z "${BASE_RUST:-}" ] || set -- "$@" --build-arg "BASE_RUST=$BASE_RUST"
[ -z "${BASE_NODE:-}" ] || set -- "$@" --build-arg "BASE_NODE=$BASE_NODE"
[ -z "${BASE_RUN:-}" ] || set -- "$@" --build-arg "BASE_RUN=$BASE_RUN"
exec "$builder" build "$@" .
