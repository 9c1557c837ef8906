#!/usr/bin/env bash
# Makes an image of OCI from archives with Java inside, without an engine for containers. Needs Python 3, and the folders of
# base.sh. The image has the same bytes wherever it is made from the same folders.
#
# usage: tools/release/oci/make.sh IMAGE.tar ARCHITECTURE BASE ARCHIVE [ARCHITECTURE BASE ARCHIVE]...
#   ARCHITECTURE  amd64 or arm64
#   BASE          folder of base.sh
#   ARCHIVE       varve-VERSION-linux-x64.tar.gz, or that of the architecture
set -euo pipefail
usage="usage: tools/release/oci/make.sh IMAGE.tar ARCHITECTURE BASE ARCHIVE [ARCHITECTURE BASE ARCHIVE]..."
image=${1:?$usage}
shift
(($# > 0 && $# % 3 == 0)) || { echo "$usage" >&2 && exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
platforms=() time=
while (($# > 0)); do
  version=$(basename "$3")
  version=${version#varve-}
  version=${version%%-linux*}
  mkdir "$work/$1"
  tar xzf "$3" -C "$work/$1"
  platforms+=(--platform "$1" "$2/root" "$work/$1/varve-$version")
  time=$(stat -c %Y "$work/$1/varve-$version/bin/varve")
  shift 3
done
python3 "$here/image.py" --version "$version" --time "$time" "${platforms[@]}" "$image"
ls -l "$image"
