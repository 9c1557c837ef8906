#!/usr/bin/env bash
# Copies the libraries that plugin-cpu carries into the jar's resources and lists them in a manifest.
set -euo pipefail
from=${1:?usage: pack.sh FROM TO}
to=${2:?usage: pack.sh FROM TO}
mkdir -p "$to"
manifest=$(cd "$from" && for file in libggml-base.so libggml.v*.so libggml-cpu-*.so; do
  printf '%s %s %s\n' "$(sha256sum "$file" | cut -d' ' -f1)" "$(stat -c %s "$file")" "$file"
done)
if [[ -f $to/manifest.txt && $(<"$to/manifest.txt") == "$manifest" ]]; then
  exit 0
fi
rm -f "$to"/*
(cd "$from" && cp libggml-base.so libggml.v*.so libggml-cpu-*.so "$to/")
chmod 644 "$to"/*
printf '%s\n' "$manifest" >"$to/manifest.txt"
