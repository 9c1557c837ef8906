#!/usr/bin/env bash
# Compiles libvarve-kernels.so from the sources beside it; with --check only tells whether it is what the source says.
#
# The library lies in the repository, so that nobody needs a C compiler to build Varve. Whoever changes the source
# runs this with gcc 12 and binutils, as Debian 12 has them: other releases make other bytes of the same source.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
library=libvarve-kernels.so
target=$library
if [[ ${1:-} == --check ]]; then
  if [[ $(gcc -dumpversion 2>/dev/null) != 12 ]]; then
    echo "natives/kernels/build.sh: found no gcc 12; cannot check $library" >&2
    exit 0
  fi
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  target=$folder/$library
fi
# What is to be a vector, or to be fused, says so in the source.
gcc -O3 -Wall -Wextra -Werror -std=gnu11 -fPIC -shared -nostdlib -ffreestanding -fvisibility=hidden \
  -fno-stack-protector -fno-tree-vectorize -ffp-contract=off -fno-asynchronous-unwind-tables \
  -s -Wl,--build-id=none -Wl,-z,noexecstack -Wl,-soname,$library -o "$target" columns.c convolution.c delta.c
chmod 644 "$target"
if [[ $target != "$library" ]] && ! cmp "$target" "$library"; then
  echo "natives/kernels/build.sh: $library does not match its source; run natives/kernels/build.sh" >&2
  exit 1
fi
