#!/usr/bin/env bash
# Copies third-party files of the web page beside its own files, and lists all files, since a jar cannot list a folder.
set -euo pipefail
page=${1:?usage: pack.sh FOLDER-OF-THE-PAGE}
packages=$(dirname "$0")/node_modules
lib=$page/lib
rm -rf "$lib"
mkdir -p "$lib/languages" "$lib/fonts"

# Copies a module without its last line, which names a source map that is not included.
module() {
  sed '/^\/\/# sourceMappingURL=/d' "$packages/$1" >"$lib/$2"
}

# Makes a module of a script that exports its value as Node's modules do.
script() {
  {
    echo 'const module = {exports: {}}, exports = module.exports;'
    sed '/^\/\/# sourceMappingURL=/d' "$packages/$1"
    echo 'export default module.exports;'
  } >"$lib/$2"
}

# Parts of the first load.
module marked/lib/marked.esm.js marked.js
script dompurify/dist/purify.min.js purify.js

# Loaded when a message has mathematics: the style sheet names fonts in other formats, too.
script katex/dist/katex.min.js katex.js
sed -E 's/,url\([^)]*\.woff\) format\("woff"\),url\([^)]*\.ttf\) format\("truetype"\)//g' \
  "$packages/katex/dist/katex.min.css" >"$lib/katex.css"
cp "$packages"/katex/dist/fonts/*.woff2 "$lib/fonts/"

# Loaded when a message has code, each language with its first block.
module @highlightjs/cdn-assets/es/core.min.js highlight.js
languages="bash c clojure cmake cpp csharp css dart diff dockerfile elixir erlang fortran fsharp go gradle graphql groovy
  haskell http ini java javascript json julia kotlin latex less lisp lua makefile markdown matlab nginx nix
  objectivec ocaml perl php powershell properties protobuf python r ruby rust scala scheme scss sql swift
  typescript verilog vhdl vim wasm x86asm xml yaml"
for language in $languages; do
  module "@highlightjs/cdn-assets/es/languages/$language.min.js" "languages/$language.js"
done
echo "export default '$(echo $languages)'.split(' ');" >"$lib/languages.js"

# Loaded when a user attaches a PDF file.
module pdfjs-dist/legacy/build/pdf.min.mjs pdf.js
module pdfjs-dist/legacy/build/pdf.worker.min.mjs pdf-worker.js

cp "$packages/marked/LICENSE" "$lib/marked-license.txt"
cp "$packages/dompurify/LICENSE" "$lib/purify-license.txt"
cp "$packages/katex/LICENSE" "$lib/katex-license.txt"
cp "$packages/@highlightjs/cdn-assets/LICENSE" "$lib/highlight-license.txt"
cp "$packages/pdfjs-dist/LICENSE" "$lib/pdf-license.txt"
cd "$page"
find . -type f ! -name files.txt ! -name '*.class' -printf '%P\n' | LC_ALL=C sort >files.txt
