#!/usr/bin/env bash
# Installs, upgrades, removes and purges the package for Debian in a chroot, and runs what it installs. Needs root,
# debootstrap, and its mirror once: the chroot of a folder is used again.
#
# usage: tools/release/packages/try.sh PACKAGE.deb FOLDER
set -euo pipefail
usage="usage: tools/release/packages/try.sh PACKAGE.deb FOLDER"
package=$(realpath "${1:?$usage}")
mkdir -p "${2:?$usage}"
root=$(cd "$2" && pwd)/root
[[ -x $root/usr/bin/dpkg ]] || debootstrap --variant=minbase --include=libstdc++6,libgcc-s1,adduser bookworm "$root" >/dev/null
cp "$package" "$root/varve.deb"
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
trap 'umount "$root/proc"' EXIT

inside() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"
}
check() {
  local what=$1
  shift
  if "$@"; then
    echo "ok      $what"
  else
    echo "FAILED  $what"
    exit 1
  fi
}
says() {
  local expected=$1 found
  shift
  found=$(inside "$@" 2>&1) || true
  [[ $found == *"$expected"* ]] || { echo "expected $expected, found: $found" && return 1; }
}
same_as() { [[ $(inside cat "$1") == "$2" ]]; }
missing() { ! inside test -e "$1"; }

inside dpkg --purge varve 2>/dev/null || true
check "install" inside dpkg --install /varve.deb
check "varve --version" says varve varve --version
check "a response of the demo model" says 12 varve generate --model demo:qwen35 --chat "What is 7 + 5?" --temp 0
check "the user of the service" says varve getent passwd varve
check "the user runs it" says 12 runuser -u varve -- env VARVE_CACHE=/tmp/varve-cache varve generate --model demo:qwen35 \
  --chat "What is 7 + 5?" --temp 0
check "manual page" inside test -s /usr/share/man/man1/varve-serve.1.gz
inside sh -c 'echo "VARVE_FLAGS=--port=8081" >/etc/varve/varve.conf'
check "upgrade" inside dpkg --force-confold --install /varve.deb
check "configuration is kept by an upgrade" same_as /etc/varve/varve.conf VARVE_FLAGS=--port=8081
inside touch /var/lib/varve/models/mine.gguf
check "remove" inside dpkg --remove varve
check "configuration is kept by a removal" same_as /etc/varve/varve.conf VARVE_FLAGS=--port=8081
check "purge" inside dpkg --purge varve
check "nothing of it is left" missing /usr/lib/varve
check "its configuration is gone" missing /etc/varve
check "models are kept" inside test -e /var/lib/varve/models/mine.gguf
inside rm -r /var/lib/varve
