#!/usr/bin/env bash
# Makes a release and checks it, step by step. Nothing is published: the folder then has what is to be published.
# docs/releasing.md has the list of what goes before and after.
#
# usage: tools/release/run.sh [--advisories FOLDER] [--key KEY] VERSION FOLDER
#   --advisories   folder with files of the OSV format (the archives of its ecosystems Maven and npm, unpacked);
#                  without it the works of the release are not compared with known vulnerabilities
#   --key          key of gpg that signs SHA256SUMS if all steps succeeded; without it nothing is signed
#   VERSION        that of pom.xml, with a section in CHANGELOG.md
#   FOLDER         a new or empty folder
#
# Exit status: 0 if all steps succeeded or were left out as said above, 1 otherwise. FOLDER/steps.txt lists them.
set -euo pipefail
usage="usage: tools/release/run.sh [--advisories FOLDER] [--key KEY] VERSION FOLDER"
advisories= key=
while [[ ${1:-} == --* ]]; do
  case $1 in
    --advisories) advisories=$(cd "${2:?$usage}" && pwd) ;;
    --key) key=${2:?$usage} ;;
    *) echo "$usage" >&2 && exit 2 ;;
  esac
  shift 2
done
version=${1:?$usage}
mkdir -p "${2:?$usage}"
out=$(cd "$2" && pwd)
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if [[ -n $(ls -A "$out") ]]; then
  echo "run.sh: $out: expected an empty folder" >&2
  exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
readonly first=$work/first second="$work/second folder/varve"
readonly archives=("varve-$version.tar.gz" "varve-$version-linux-x64.tar.gz")
readonly cyclonedx=org.cyclonedx:cyclonedx-maven-plugin:2.9.3

failed=
# Runs a step, a function that prints what is wrong; the steps that follow run nevertheless if they can.
step() {
  local name=$1 status=ok start=$SECONDS
  shift
  echo "== $name"
  # not in a condition, where bash would go on after a command that failed
  set +e
  (
    set -e
    "$@"
  ) 2>&1 | tee "$out/$name.log"
  [[ ${PIPESTATUS[0]} == 0 ]] || status=FAILED failed=yes
  set -e
  [[ -s $out/$name.log ]] || rm -f "$out/$name.log"
  printf '%-16s %-8s %4d s\n' "$name" "$status" $((SECONDS - start)) | tee -a "$out/steps.txt"
}
left_out() {
  printf '%-16s %-8s %s\n' "$1" "left out" "$2" | tee -a "$out/steps.txt"
}

versions() {
  local found
  found=$(grep -m1 -o '<version>[^<]*' "$root/pom.xml" | cut -d'>' -f2)
  [[ $found == "$version" ]] || { echo "pom.xml: version: expected $version, found $found" && return 1; }
  grep -qE "^## ${version//./\\.} \\(2[0-9]{3}-[0-9]{2}-[0-9]{2}\\)$" "$root/CHANGELOG.md" ||
    { echo "CHANGELOG.md: expected a section \"## $version (YYYY-MM-DD)\"" && return 1; }
  [[ -z $(git -C "$root" status --porcelain) ]] || { echo "$root: has changes that are not committed" && return 1; }
}

# Builds the commit that is checked out in a folder of its own.
build() {
  local folder=$1
  mkdir -p "$(dirname "$folder")"
  git clone -q "$root" "$folder"
  (cd "$folder" && mvn -B -q -Pruntime -DskipTests package)
}
build_first() {
  umask 022
  build "$first"
  # the modules of the archives are not deployed, but what they resolve is in the archives
  (cd "$first" && mvn -B -q "$cyclonedx:makeAggregateBom" -DoutputFormat=json -DincludeTestScope=false \
    -Dcyclonedx.skipNotDeployed=false)
  cp "${archives[@]/#/$first/dist/target/}" "$out/"
}
# Folder, file modes, language, time zone and number of cores must not matter.
build_second() {
  umask 077
  export TZ=Asia/Kolkata LC_ALL=C MAVEN_OPTS="-Duser.language=tr -Duser.country=TR -XX:ActiveProcessorCount=1"
  build "$second"
  local archive status=0
  for archive in "${archives[@]}"; do
    if ! cmp "$out/$archive" "$second/dist/target/$archive"; then
      status=1
      differences "$out/$archive" "$second/dist/target/$archive"
    fi
  done
  return "$status"
}
differences() {
  local folder
  folder=$(mktemp -d -p "$work")
  mkdir "$folder/a" "$folder/b"
  tar xzf "$1" -C "$folder/a"
  tar xzf "$2" -C "$folder/b"
  (cd "$folder" && diff -rq a b | head -40) || true
  diff <(tar tvzf "$1") <(tar tvzf "$2") | head -40 || true
}

release_tool() {
  local class_path=$work/class-path
  if [[ ! -s $class_path ]]; then
    (cd "$first" && mvn -B -q -pl tools/release dependency:build-classpath -DincludeScope=runtime \
      -Dmdep.outputFile="$class_path")
  fi
  PATH=$(jdk_25)/bin:$PATH java -cp "$first/tools/release/target/classes:$(<"$class_path")" \
    dev.varve.release.ReleaseTool "$@"
}
jdk_25() {
  local home
  for home in "${JAVA_HOME:-}" "${JAVA25_HOME:-}" /usr/lib/jvm/* /opt/* "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/*; do
    if [[ -n $home && -r $home/release ]] && grep -q '^JAVA_VERSION="25' "$home/release"; then
      echo "$home"
      return
    fi
  done
}
sbom() {
  local archive folder
  for archive in "${archives[@]}"; do
    folder=$(mktemp -d -p "$work")
    tar xzf "$out/$archive" -C "$folder"
    release_tool sbom --version "$version" --sources "$first" --resolved "$first/target/bom.json" \
      --installation "$folder/varve-$version" --output "$out/${archive%.tar.gz}.cdx.json"
  done
}
vulnerabilities() {
  release_tool vulnerabilities --sbom "$out/varve-$version-linux-x64.cdx.json" --advisories "$advisories"
}

# Packages of another folder have the same bytes.
packages() {
  local file archive=$out/varve-$version-linux-x64.tar.gz
  "$root/tools/release/packages/make.sh" "$archive" "$out"
  (umask 077 && TZ=Asia/Kolkata "$root/tools/release/packages/make.sh" "$archive" "$work/packages")
  for file in "$work"/packages/*; do
    cmp "$file" "$out/${file##*/}"
  done
}

# An image of another place and umask has the same bytes.
image() {
  local archive=$out/varve-$version-linux-x64.tar.gz image=$out/varve-$version-oci.tar
  "$root/tools/release/oci/base.sh" amd64 "$work/base"
  "$root/tools/release/oci/make.sh" "$image" amd64 "$work/base" "$archive"
  (umask 077 && TZ=Asia/Kolkata "$root/tools/release/oci/make.sh" "$work/image.tar" amd64 "$work/base" "$archive")
  cmp "$work/image.tar" "$image"
  rm "$work/image.tar"
  cp "$work/base/packages.txt" "$out/varve-$version-oci.packages.txt"
}

sums() {
  (cd "$out" && sha256sum ./*.tar.gz ./*.cdx.json $(ls ./*.deb ./*.rpm ./*-oci.* 2>/dev/null) | sed 's#\./##' >SHA256SUMS && sha256sum -c --quiet SHA256SUMS)
}
sign() {
  gpg --batch --yes --armor --local-user "$key" --output "$out/SHA256SUMS.asc" --detach-sign "$out/SHA256SUMS"
  gpg --batch --verify "$out/SHA256SUMS.asc" "$out/SHA256SUMS"
}

# The archive with Java runs where there is none.
first_response() {
  local folder found
  folder=$(mktemp -d -p "$work")
  tar xzf "$out/varve-$version-linux-x64.tar.gz" -C "$folder"
  found=$(env -i PATH=/usr/bin:/bin HOME="$folder" "$folder/varve-$version/bin/varve" --version)
  [[ $found == *"$version"* ]] || { echo "varve --version: expected $version, found $found" && return 1; }
  found=$(env -i PATH=/usr/bin:/bin HOME="$folder" "$folder/varve-$version/bin/varve" generate --model demo:qwen35 \
    --chat "What is 7 + 5?" --temp 0 2>/dev/null)
  [[ $found == *12* ]] || { echo "7 + 5: expected 12, found $found" && return 1; }
}

step versions versions
step build build_first
if [[ -n $failed && ! -d $first/dist/target/varve ]]; then
  exit 1
fi
step reproduce build_second
step sbom sbom
if [[ -n $advisories ]]; then
  step vulnerabilities vulnerabilities
else
  left_out vulnerabilities "no --advisories"
fi
step first-response first_response
if command -v dpkg-deb >/dev/null && command -v rpmbuild >/dev/null; then
  step packages packages
else
  left_out packages "no dpkg-deb or no rpmbuild"
fi
if [[ $(id -u) == 0 && -f $out/varve_${version}_amd64.deb ]] && command -v debootstrap >/dev/null; then
  step installation "$root/tools/release/packages/try.sh" "$out/varve_${version}_amd64.deb" "$work/chroot"
else
  left_out installation "no package, no debootstrap, or not root"
fi
if [[ $(id -u) == 0 ]] && command -v debootstrap >/dev/null && command -v dpkg-deb >/dev/null && command -v python3 >/dev/null; then
  step image image
else
  left_out image "no debootstrap, no dpkg-deb, no Python 3, or not root"
fi
if [[ -f $out/varve-$version-oci.tar ]]; then
  step container "$root/tools/release/oci/try.sh" "$out/varve-$version-oci.tar" "$work/container"
else
  left_out container "no image"
fi
step sums sums
if [[ -n $failed ]]; then
  left_out sign "a step failed"
elif [[ -n $key ]]; then
  step sign sign
else
  left_out sign "no --key"
fi
[[ -z $failed ]]
