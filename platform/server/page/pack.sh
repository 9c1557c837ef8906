#!/usr/bin/env bash
# Puts what the web page needs of others beside its own files, and lists all of them: a jar cannot be asked.
set -euo pipefail
page=${1:?usage: pack.sh FOLDER-OF-THE-PAGE}
packages=$(dirname "$0")/node_modules
mkdir -p "$page/lib"
# Without the last line of each, which names a map that is not there.
sed '/^\/\/# sourceMappingURL=/d' "$packages/marked/lib/marked.esm.js" >"$page/lib/marked.js"
sed '/^\/\/# sourceMappingURL=/d' "$packages/dompurify/dist/purify.es.mjs" >"$page/lib/purify.js"
cp "$packages/marked/LICENSE" "$page/lib/marked-license.txt"
cp "$packages/dompurify/LICENSE" "$page/lib/purify-license.txt"
cd "$page"
find . -type f ! -name files.txt ! -name '*.class' -printf '%P\n' | LC_ALL=C sort >files.txt
