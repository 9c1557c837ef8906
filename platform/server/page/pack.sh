#!/usr/bin/env bash
# Copies third-party files of the web page beside its own files, and lists all files, since a jar cannot list a folder.
set -euo pipefail
page=${1:?usage: pack.sh FOLDER-OF-THE-PAGE}
packages=$(dirname "$0")/node_modules
mkdir -p "$page/lib"
# Removes the last line of each, which names a source map that is not included.
sed '/^\/\/# sourceMappingURL=/d' "$packages/marked/lib/marked.esm.js" >"$page/lib/marked.js"
sed '/^\/\/# sourceMappingURL=/d' "$packages/dompurify/dist/purify.es.mjs" >"$page/lib/purify.js"
cp "$packages/marked/LICENSE" "$page/lib/marked-license.txt"
cp "$packages/dompurify/LICENSE" "$page/lib/purify-license.txt"
cd "$page"
find . -type f ! -name files.txt ! -name '*.class' -printf '%P\n' | LC_ALL=C sort >files.txt
