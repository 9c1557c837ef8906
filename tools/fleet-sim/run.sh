#!/usr/bin/env bash
# Simulates fleets of replicas: tools/fleet-sim/run.sh --help explains the flags, docs/fleet.md the results.
# Build first: mvn -q package -DskipTests
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
java=
for home in "${VARVE_JAVA_HOME:-}" "${JAVA_HOME:-}" /usr/lib/jvm/* /opt/* "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/*; do
  if [[ -n $home && -x $home/bin/java && -r $home/release ]] && grep -q '^JAVA_VERSION="25' "$home/release"; then
    java=$home/bin/java
    break
  fi
done
if [[ -z $java ]]; then
  echo "tools/fleet-sim/run.sh: no Java 25 found: set VARVE_JAVA_HOME to one" >&2
  exit 1
fi
exec "$java" -Xmx1g -XX:+UseSerialGC -cp "$root/tools/fleet-sim/target/classes:$root/dist/target/varve/lib/*" dev.varve.fleet.FleetSim "$@"
