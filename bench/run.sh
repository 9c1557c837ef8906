#!/usr/bin/env bash
# Compares Varve with libllama; arguments go to dev.varve.bench.CompareBench. Build first: mvn -q package -DskipTests
# BENCH=PlanBench bench/run.sh ... compares the predictions of varve plan with measurements.
# BENCH=InstallationBench bench/run.sh --before DIR --after DIR -- FLAGS compares varve bench of two installations in turn.
# BENCH=SplitBench, CurveBench, CacheBench and RequestBench measure splits, concurrent clients, the prefix cache, and the overhead of a
# request beside computing.
# BENCH=PagingBench measures cost and gain of a bounded KV cache.
# BENCH=ScanBench compares scoring the tokens of a prompt with plain prefill of the same model.
# BENCH=CompressionBench measures how much earlier the first token of a compressed prompt arrives.
# BENCH=SpeculationBench measures the gain of draft tokens for a given share of accepted ones.
# BENCH=FormBench measures cost and gain of structured output.
# BENCH=DialectBench bench/run.sh URL compares the time to the first token in Messages and Responses with chat completions.
# BENCH=StepBench measures what a decode step costs beside the device.
# BENCH=MetricsBench bench/run.sh [URL] measures the cost of metrics per token, and the time of a scrape while the server generates.
# BENCH=StoreBench bench/run.sh FOLDER measures the store of cached prefixes on the disk of that folder; BENCH=DiskBench measures cost and gain
# of the disk tier.
# BENCH=SharedBench measures the gain of a store that several servers share, over loopback.
# bench/run.sh reliability ... sends many mixed requests and compares each response with that of a plain server: docs/reliability.md.
# bench/run.sh store-kills ... kills processes while they write the disk cache and checks what it serves afterwards.
# bench/run.sh fleet --server URL ... compares the fleet simulator with running servers: docs/fleet.md.
# bench/run.sh cluster ... measures several servers behind a router, a shared store and a hand-off, in network namespaces: docs/fleet.md.
# bench/run.sh http ... measures running servers over HTTP; bench/run.sh http --help explains it, docs/performance.md its results.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
if [[ ${1:-} == cluster ]]; then
  shift
  PYTHONPATH=$root/bench/cluster exec "${PYTHON:-python3}" -m cluster.main "$@"
fi
java=
for home in "${VARVE_JAVA_HOME:-}" "${JAVA_HOME:-}" /usr/lib/jvm/* /opt/* "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/*; do
  if [[ -n $home && -x $home/bin/java && -r $home/release ]] && grep -q '^JAVA_VERSION="25' "$home/release"; then
    java=$home/bin/java
    break
  fi
done
if [[ -z $java ]]; then
  echo "bench/run.sh: no Java 25 found: set VARVE_JAVA_HOME to one" >&2
  exit 1
fi
classes=$(printf '%s:' "$root"/{api,platform}/*/target/classes "$root"/{plugin-cpu,plugin-decoders,plugin-qwen3,plugin-qwen35,plugin-gemma4,plugin-laguna,testkit,bench}/target/classes)
if [[ ${1:-} == http ]]; then
  shift
  # few threads and little memory, so that the measured server has the machine
  exec "$java" -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
    -cp "$root/bench/target/classes:$root/dist/target/varve/lib/*" dev.varve.bench.http.HttpBench "$@"
fi
if [[ ${1:-} == fleet ]]; then
  shift
  exec "$java" -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
    -cp "$root/bench/target/classes:$root/tools/fleet-sim/target/classes:$root/dist/target/varve/lib/*" dev.varve.bench.fleet.FleetReplay "$@"
fi
if [[ ${1:-} == reliability ]]; then
  shift
  exec "$java" -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
    -cp "$root/bench/target/classes:$root/dist/target/varve/lib/*" dev.varve.bench.reliability.ReliabilityRun \
    --varve "$root/dist/target/varve/bin/varve" "$@"
fi
if [[ ${1:-} == store-kills ]]; then
  shift
  plugin=$root/dist/target/varve/plugins/varve-plugin-chronicle
  exec "$java" -Xmx64m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 @"$plugin/java.options" \
    -cp "$root/bench/target/classes:$root/plugin-chronicle/target/classes/META-INF/generated:$root/plugin-chronicle/target/classes:$plugin/lib/*:$root/dist/target/varve/lib/*" \
    dev.varve.bench.kill.StoreKillRun "$@"
fi
if [[ ${BENCH:-} == RequestBench ]]; then
  exec "$java" -Xmx256m -XX:+UseSerialGC -Djava.util.logging.config.file=/dev/null \
    -cp "$root/bench/target/classes:$root/testkit/target/classes:$root/dist/target/varve/lib/*" dev.varve.bench.RequestBench "$@"
fi
if [[ ${BENCH:-} == InstallationBench ]]; then
  exec "$java" -Xmx64m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
    -cp "$root/bench/target/classes:$root/dist/target/varve/lib/*" dev.varve.bench.InstallationBench "$@"
fi
if [[ ${BENCH:-} == MetricsBench ]]; then
  exec "$java" -Xmx256m -XX:+UseSerialGC \
    -cp "$root/bench/target/classes:$root/dist/target/varve/lib/*" dev.varve.bench.MetricsBench "$@"
fi
options=(--enable-native-access=ALL-UNNAMED -Xmx1g -XX:+UseSerialGC)
if [[ ${BENCH:-CompareBench} == CompareBench || ${BENCH:-} == StepBench ]]; then
  # as an installation starts Java
  mapfile -t own < <(grep -v -e '^#' -e '^$' "$root/dist/src/main/conf/java.options")
  options=(--enable-native-access=ALL-UNNAMED "${own[@]}")
  read -ra own <<<"${VARVE_JAVA_OPTS:-}"
  options+=("${own[@]}")
fi
if [[ ${BENCH:-} == StoreBench || ${BENCH:-} == DiskBench ]]; then
  plugin=$root/dist/target/varve/plugins/varve-plugin-chronicle
  options+=(@"$plugin/java.options" -Djava.util.logging.config.file=/dev/null)
  classes+=$root/plugin-chronicle/target/classes/META-INF/generated:$root/plugin-chronicle/target/classes:$plugin/lib/*:$root/dist/target/varve/lib/*
fi
if [[ ${BENCH:-} == SharedBench ]]; then
  options+=(-Djava.util.logging.config.file=/dev/null)
  classes+=$root/plugin-valkey/target/classes:$root/dist/target/varve/plugins/varve-plugin-valkey/lib/*:$root/dist/target/varve/lib/*
fi
if [[ ${BENCH:-} == FormBench ]]; then
  classes+=$root/dist/target/varve/lib/*
fi
exec "$java" "${options[@]}" \
  -Dvarve.test.natives="$root/natives/cpu/node_modules/@node-llama-cpp/linux-x64/bins/linux-x64" \
  -cp "$classes" "dev.varve.bench.${BENCH:-CompareBench}" "$@"
