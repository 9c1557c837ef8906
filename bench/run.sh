#!/usr/bin/env bash
# Compares Varve with libllama; arguments go to dev.varve.bench.CompareBench. Build first: mvn -q package -DskipTests
# BENCH=PlanBench bench/run.sh ... compares what varve plan foretells with what is measured.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
java=${VARVE_JAVA_HOME:-${JAVA_HOME:-/usr}}/bin/java
classes=$(printf '%s:' "$root"/{api,platform,plugin-cpu,plugin-qwen35,plugin-gemma4,plugin-laguna,testkit,bench}/target/classes)
exec "$java" --enable-native-access=ALL-UNNAMED -Xmx1g -XX:+UseSerialGC \
  -Dvarve.test.natives="$root/natives/cpu/node_modules/@node-llama-cpp/linux-x64/bins/linux-x64" \
  -cp "$classes" "dev.varve.bench.${BENCH:-CompareBench}" "$@"
