#!/usr/bin/env bash
# Makes the folder with the files of Debian that an image needs: bash, coreutils and the C and C++ libraries, unpacked from
# packages whose signatures debootstrap checks, without their scripts. Needs root, debootstrap and dpkg-deb.
#
# usage: tools/release/oci/base.sh [--mirror URL] ARCHITECTURE FOLDER
#   --mirror      for example http://snapshot.debian.org/archive/debian/20261101T000000Z, which has the packages of a day
#   ARCHITECTURE  of Debian and of OCI: amd64 or arm64
#   FOLDER        gets root/, and packages.txt with the versions and digests
set -euo pipefail
usage="usage: tools/release/oci/base.sh [--mirror URL] ARCHITECTURE FOLDER"
mirror=http://deb.debian.org/debian
if [[ ${1:-} == --mirror ]]; then
  mirror=${2:?$usage}
  shift 2
fi
architecture=${1:?$usage}
mkdir -p "${2:?$usage}"
out=$(cd "$2" && pwd)
readonly suite=trixie
# What the launcher runs, and what Java and ggml's libraries load.
readonly packages=(
  base-files bash coreutils dash findutils gcc-14-base grep libacl1 libattr1 libc-bin libc6 libcap2 libgcc-s1 libgmp10
  libpcre2-8-0 libselinux1 libssl3t64 libstdc++6 libsystemd0 libtinfo6 libzstd1 sed tzdata zlib1g)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
debootstrap --variant=minbase --download-only --arch="$architecture" \
  --include=libssl3t64,libstdc++6,tzdata "$suite" "$work/download" "$mirror" >"$work/log" 2>&1 ||
  { cat "$work/log" >&2 && exit 1; }

rm -rf "$out/root" "$out/packages.txt"
root=$out/root
mkdir -p "$root/var/lib/dpkg/status.d"
folders=(bin lib sbin)
[[ $architecture != amd64 ]] || folders+=(lib64)
for name in "${folders[@]}"; do
  mkdir -p "$root/usr/$name"
  ln -s "usr/$name" "$root/$name"
done
for package in "${packages[@]}"; do
  files=("$work/download/var/cache/apt/archives/${package}_"*.deb)
  [[ -f ${files[0]} ]] || { echo "base.sh: $package: not a package of $suite for $architecture" >&2 && exit 1; }
  dpkg-deb --fsys-tarfile "${files[0]}" | tar x -C "$root" --keep-directory-symlink --no-same-owner
  # Scanners read the versions here.
  dpkg-deb --field "${files[0]}" >"$root/var/lib/dpkg/status.d/$package"
  echo "$package $(dpkg-deb --field "${files[0]}" Version) $(sha256sum <"${files[0]}" | cut -d' ' -f1)" >>"$out/packages.txt"
done
rm -rf "$root"/usr/share/{man,info,locale,lintian,bash-completion,doc-base,bug,menu,gdb} "$root"/usr/share/zoneinfo/right
find "$root/usr/share/doc" ! -type d ! -name copyright -delete
find "$root/usr/share/doc" -type d -empty -delete
find "$root" -type f -perm /6000 -exec chmod ug-s {} +
