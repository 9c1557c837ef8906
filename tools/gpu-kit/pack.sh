#!/usr/bin/env bash
# Packs Varve, a Java and the benchmarks for a machine with an NVIDIA card and neither network nor Java.
# Build first: mvn -q package -DskipTests -Pcuda
#
# usage: tools/gpu-kit/pack.sh [--arch 90] FOLDER
#   --arch   CUDA architecture whose device code the kit contains; 90 is that of an H100 or H200
set -euo pipefail
usage="usage: pack.sh [--arch 90] FOLDER"
arch=90
if [[ ${1:-} == --arch ]]; then
  arch=${2:?$usage}
  shift 2
fi
mkdir -p "${1:?$usage}"
out=$(cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)

readonly limit=$((60 << 20)) # bytes of a part

fail() {
  echo "pack.sh: $*" >&2
  exit 1
}

jdk=
for home in "${VARVE_JAVA_HOME:-}" "${JAVA_HOME:-}" /usr/lib/jvm/* /opt/* "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/*; do
  if [[ -n $home && -x $home/bin/jlink && -r $home/release ]] && grep -q '^JAVA_VERSION="25' "$home/release"; then
    jdk=$home
    break
  fi
done
[[ -n $jdk ]] || fail "no JDK 25 found: set VARVE_JAVA_HOME to one"

# The only file of a pattern.
one() {
  local files=("$@")
  [[ ${#files[@]} == 1 && -f ${files[0]} ]] || fail "expected one file, found $*; build with: mvn -q package -DskipTests -Pcuda"
  echo "${files[0]}"
}

installed=$root/dist/target/varve
natives=$root/natives/cpu/node_modules/@node-llama-cpp/linux-x64/bins/linux-x64
cuda=$(one "$installed"/plugins/varve-plugin-cuda-*.jar)
bench=$(one "$root"/bench/target/varve-bench-*.jar)
testkit=$(one "$installed"/testkit/varve-testkit-*.jar)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "pack.sh: linking a Java"
"$jdk/bin/jlink" @"$root/dist/src/main/docker/java.jlink" --compress zip-0 --output "$work/java"

echo "pack.sh: reducing the CUDA library to architecture $arch"
mkdir -p "$work/jar" "$work/varve/plugins" "$work/bench"
(cd "$work/jar" && "$jdk/bin/jar" xf "$cuda")
library=$work/jar/natives/linux-x64-cuda/libggml-cuda.so
"$jdk/bin/java" -cp "$bench" dev.varve.bench.kit.FatbinReducer "$library" "$work/reduced.so" "$arch"
mv "$work/reduced.so" "$library"
printf '%s %s %s\n' "$(sha256sum "$library" | cut -d' ' -f1)" "$(stat -c %s "$library")" libggml-cuda.so \
  >"${library%/*}/manifest.txt"
# without compression: xz compresses the zeros better
(cd "$work/jar" && "$jdk/bin/jar" cf0M "$work/varve/plugins/${cuda##*/}" .)
rm -r "$work/jar"

# pack NAME FOLDER...: a part with folders of $work, which are deleted.
pack() {
  local name=$1 file=$out/$1.tar.xz bytes
  shift
  tar -C "$work" -c "$@" | xz -T0 -6 >"$file"
  bytes=$(stat -c %s "$file")
  ((bytes <= limit)) || fail "$file has $bytes bytes, more than the $limit of a part"
  echo "pack.sh: $file: $((bytes >> 20)) MiB"
  (cd "$work" && rm -r "$@")
}

rm -f "$out"/part-*.tar.xz
pack part-1-cuda varve
cp "$bench" "$work/bench/bench.jar"
cp "$testkit" "$work/bench/testkit.jar"
mkdir "$work/natives"
# libllama contains no code for devices. That of the package for CUDA needs a registry library of another name; a process has
# one registry, which Varve and libllama share here.
cp "$natives/libggml.v0.5.0.so" "$natives/libllama.v0.5.0.so" "$work/natives/"
pack part-2-java java bench natives
mkdir -p "$work/varve/plugins"
cp -r "$installed"/{bin,conf,lib,models} "$work/varve/"
for plugin in cpu decoders embedders qwen3 qwen35 gemma4 laguna; do
  cp "$(one "$installed/plugins/varve-plugin-$plugin"-[0-9]*.jar)" "$work/varve/plugins/"
done
cp -r "$installed/plugins/varve-plugin-chronicle" "$work/varve/plugins/"
pack part-3-varve varve
cp "$here/run.sh" "$here/README.md" "$out/"
