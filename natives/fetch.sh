#!/usr/bin/env bash
# Fetches the packages that the lock file of a folder pins with npm, once per lock file: the native libraries of a
# backend, or the packages of the web page. The argument is a path relative to the folder of this script.
# A missing npm stops the build with a message, because nothing works without them.
set -euo pipefail
folder=${1:?usage: fetch.sh FOLDER}
cd "$(dirname "$0")/$folder"
digest=$(sha256sum package-lock.json | cut -d' ' -f1)
stamp=node_modules/.varve-stamp
if [[ -f $stamp && $(<"$stamp") == "$digest" ]]; then
  exit 0
fi
if ! command -v npm >/dev/null; then
  echo "$PWD: npm is not installed; it is needed once to fetch $(grep -m1 '"name"' package.json | cut -d'"' -f4)" \
    "(Debian: apt-get install npm)" >&2
  exit 1
fi
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
printf '%s' "$digest" >"$stamp"
