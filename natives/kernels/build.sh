#!/usr/bin/env bash
# Compiles libvarve-kernels.so from the sources beside it; with --check it only reports whether the library matches them.
#
# The repository contains the library, so that a build of Varve needs no C compiler. After a change of the source run this
# script with gcc 12 and binutils of Debian 12: other releases generate other bytes from the same source.
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
# The source states explicitly which operations are vectors or fused.
gcc -O3 -Wall -Wextra -Werror -std=gnu11 -fPIC -shared -nostdlib -ffreestanding -fvisibility=hidden \
  -fno-stack-protector -fno-tree-vectorize -ffp-contract=off -fno-asynchronous-unwind-tables \
  -s -Wl,--build-id=none -Wl,-z,noexecstack -Wl,-soname,$library -o "$target" columns.c convolution.c delta.c
chmod 644 "$target"
if [[ $target != "$library" ]] && ! cmp "$target" "$library"; then
  echo "natives/kernels/build.sh: $library does not match its source; run natives/kernels/build.sh" >&2
  exit 1
fi
