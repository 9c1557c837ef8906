#!/usr/bin/env bash
# Fetches the pinned packages of one folder with npm, once per lock file, and runs none of their scripts.
# If Node is missing or too old, it fetches nothing, and the tests that need it are skipped.
set -euo pipefail
folder=${1:?usage: fetch.sh FOLDER}
least=20
cd "$(dirname "$0")/$folder"
digest=$(sha256sum package-lock.json | cut -d' ' -f1)
stamp=node_modules/.varve-stamp
if [[ -f $stamp && $(<"$stamp") == "$digest" ]]; then
  exit 0
fi
version=$(node --version 2>/dev/null || echo v0)
major=${version#v}
major=${major%%.*}
if ! command -v npm >/dev/null || ((major < least)); then
  echo "client-node/$folder: npm and Node $least or newer are not installed; tests of Node clients are skipped" >&2
  exit 0
fi
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
printf '%s' "$digest" >"$stamp"
