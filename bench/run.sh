#!/usr/bin/env bash
# Compares Varve with libllama; arguments go to dev.varve.bench.CompareBench. Build first: mvn -q package -DskipTests
# BENCH=PlanBench bench/run.sh ... compares what varve plan foretells with what is measured.
# BENCH=SplitBench, CurveBench, CacheBench and RequestBench measure splits, clients that come at once, the prefix cache, and what a request
# costs beside computing.
# BENCH=PagingBench measures what a bounded attention cache costs and brings.
# BENCH=ScanBench measures what scoring the tokens of a prompt costs beside plain prefill of the same model.
# BENCH=CompressionBench measures how much sooner the first token of a compressed prompt comes.
# BENCH=SpeculationBench measures what guesses bring where so many of them are right.
# BENCH=FormBench measures what the form of an answer costs and brings.
# BENCH=DialectBench bench/run.sh URL measures how much later the first token comes in Messages and Responses than in chats.
# BENCH=MetricsBench bench/run.sh [URL] measures what metrics cost a token, and how long a scrape of a server takes while it answers.
# BENCH=StoreBench bench/run.sh FOLDER measures the store of prompts on the disk of that folder, BENCH=DiskBench what it saves and costs
# behind the prefix cache.
# BENCH=SharedBench measures what a store saves that several servers share, over loopback.
# bench/run.sh reliability ... sends many mixed requests and compares each answer with a plain server's: docs/reliability.md.
# bench/run.sh http ... measures running servers over HTTP; bench/run.sh http --help explains it, docs/performance.md its figures.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
java=${VARVE_JAVA_HOME:-${JAVA_HOME:-/usr}}/bin/java
classes=$(printf '%s:' "$root"/{api,platform}/*/target/classes "$root"/{plugin-cpu,plugin-qwen3,plugin-qwen35,plugin-gemma4,plugin-laguna,testkit,bench}/target/classes)
if [[ ${1:-} == http ]]; then
  shift
  # few threads and little memory: the server that is measured needs the machine
  exec "$java" -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
    -cp "$root/bench/target/classes:$root/dist/target/varve/lib/*" dev.varve.bench.http.HttpBench "$@"
fi
if [[ ${1:-} == reliability ]]; then
  shift
  exec "$java" -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
    -cp "$root/bench/target/classes:$root/dist/target/varve/lib/*" dev.varve.bench.reliability.ReliabilityRun \
    --varve "$root/dist/target/varve/bin/varve" "$@"
fi
if [[ ${BENCH:-} == RequestBench ]]; then
  exec "$java" -Xmx256m -XX:+UseSerialGC -Djava.util.logging.config.file=/dev/null \
    -cp "$root/bench/target/classes:$root/testkit/target/classes:$root/dist/target/varve/lib/*" dev.varve.bench.RequestBench "$@"
fi
if [[ ${BENCH:-} == MetricsBench ]]; then
  exec "$java" -Xmx256m -XX:+UseSerialGC \
    -cp "$root/bench/target/classes:$root/dist/target/varve/lib/*" dev.varve.bench.MetricsBench "$@"
fi
options=(--enable-native-access=ALL-UNNAMED -Xmx1g -XX:+UseSerialGC)
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
