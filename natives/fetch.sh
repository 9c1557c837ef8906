#!/usr/bin/env bash
# Fetches the pinned native libraries of one backend with npm, once per lock file.
# A missing npm stops the build with a message, because nothing works without the natives.
set -euo pipefail
backend=${1:?usage: fetch.sh BACKEND}
cd "$(dirname "$0")/$backend"
digest=$(sha256sum package-lock.json | cut -d' ' -f1)
stamp=node_modules/.varve-stamp
if [[ -f $stamp && $(<"$stamp") == "$digest" ]]; then
  exit 0
fi
if ! command -v npm >/dev/null; then
  echo "natives/$backend: npm is not installed; it is needed once to fetch the ggml libraries (Debian: apt-get install npm)" >&2
  exit 1
fi
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
printf '%s' "$digest" >"$stamp"
