#!/usr/bin/env bash
# Copies the libraries of a plugin into the jar's resources and lists them in a manifest.
set -euo pipefail
usage="usage: pack.sh FROM TO FILE-PATTERN..."
from=${1:?$usage}
to=${2:?$usage}
shift 2
mkdir -p "$to"
cd "$from"
files=()
for pattern in "$@"; do
  # shellcheck disable=SC2206  # a pattern names several files
  files+=($pattern)
done
manifest=$(for file in "${files[@]}"; do
  printf '%s %s %s\n' "$(sha256sum "$file" | cut -d' ' -f1)" "$(stat -c %s "$file")" "$file"
done)
if [[ -f $to/manifest.txt && $(<"$to/manifest.txt") == "$manifest" ]]; then
  exit 0
fi
rm -f "$to"/*
cp "${files[@]}" "$to/"
chmod 644 "$to"/*
printf '%s\n' "$manifest" >"$to/manifest.txt"
