#!/usr/bin/env bash
# Unpacks an image of OCI and runs it in a chroot as an engine would: with its user, environment and command, a read-only
# root file system, and writable volumes. Needs root, Python 3, curl and unshare.
#
# usage: tools/release/oci/try.sh IMAGE.tar FOLDER
set -euo pipefail
usage="usage: tools/release/oci/try.sh IMAGE.tar FOLDER"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [[ ${1:-} != --inside ]]; then
  image=$(realpath "${1:?$usage}")
  mkdir -p "${2:?$usage}"
  folder=$(cd "$2" && pwd)
  rm -rf "$folder/root" "$folder/config.json"
  python3 "$here/unpack.py" "$image" "$(dpkg --print-architecture)" "$folder"
  # Mounts end with the processes.
  exec unshare --mount --pid --fork --kill-child "${BASH_SOURCE[0]}" --inside "$folder"
fi
folder=$2
root=$folder/root

# value KEY...: of the configuration, arrays as lines.
value() {
  python3 -c 'import json, sys
found = json.load(open(sys.argv[1]))["config"]
for key in sys.argv[2:]:
    found = found[key]
print(found if isinstance(found, str) else "\n".join(found))' "$folder/config.json" "$@"
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
mapfile -t environment < <(value Env)
mapfile -t entrypoint < <(value Entrypoint)
mapfile -t command < <(value Cmd)
user=$(value User)

mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -t tmpfs -o size=16k tmpfs "$root/dev"
for device in null zero random urandom; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
while read -r volume; do
  mkdir -p "$folder/volumes$volume"
  chown --reference="$root$volume" "$folder/volumes$volume"
  mount --bind "$folder/volumes$volume" "$root$volume"
done < <(value Volumes)
mount -o remount,bind,ro "$root"

readonly inside=(env -i "${environment[@]}" chroot --userspec="$user" "$root")
fails() { ! "$@" 2>/dev/null; }
says() {
  local expected=$1 found
  shift
  found=$("$@" 2>&1) || true
  [[ $found == *"$expected"* ]] || { echo "expected $expected, found: $found" && return 1; }
}
responds() {
  says 12 curl -sS --max-time 120 "http://127.0.0.1:$1/v1/chat/completions" -H 'Content-Type: application/json' \
    -d '{"model": "varve-demo-qwen35", "temperature": 0, "messages": [{"role": "user", "content": "What is 7 + 5?"}]}'
}
# Waits up to a minute until a command succeeds while process $1 runs.
await() {
  local process=$1 tries
  shift
  for ((tries = 0; tries < 600; tries++)); do
    ! "$@" || return 0
    kill -0 "$process" 2>/dev/null || break
    sleep 0.1
  done
  cat "$folder/serve.log"
  return 1
}
# Sets port to that which the server reports.
find_port() {
  port=$(sed -n 's#.*listening on http://127\.0\.0\.1:\([0-9]*\).*#\1#p' "$folder/serve.log" | head -n 1)
  [[ -n $port ]]
}
ends_by_signal() {
  local status=0
  wait "$1" || status=$?
  [[ $status == 143 ]] && grep -q 'INFO  stopped' "$folder/serve.log"
}
is_loaded() { curl -sf -o "$folder/health.json" "http://127.0.0.1:$port/health"; }

check "varve --version is that of the label" says "$(value Labels org.opencontainers.image.version)" "${inside[@]}" "${entrypoint[@]}" --version
check "the user has a name" says varve "${inside[@]}" id -un
check "programs find their libraries" fails grep -q 'not found' <("${inside[@]}" ldd /usr/bin/{bash,stat,find,sed,sha256sum,grep} \
  /opt/varve/jre/bin/java /opt/varve/jre/lib/server/libjvm.so)
check "the root file system is read-only" fails "${inside[@]}" touch /opt/varve/new
check "a response of the demo model" says 12 "${inside[@]}" "${entrypoint[@]}" generate --model demo:qwen35 --chat "What is 7 + 5?" --temp 0
"${inside[@]}" "${entrypoint[@]}" "${command[@]}" --model demo:qwen35 --port 0 >"$folder/serve.log" 2>&1 &
server=$!
check "the server starts" await "$server" find_port
check "the model is loaded" await "$server" is_loaded
check "a response of the server" responds "$port"
kill -TERM "$server"
check "the server ends on SIGTERM, which is its status" ends_by_signal "$server"
check "libraries are unpacked into the volume" test -n "$(ls -A "$folder/volumes/var/cache/varve")"
