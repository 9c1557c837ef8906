#!/usr/bin/env bash
# Unpacks what pack.sh made, and checks and measures Varve on a device. Needs bash, coreutils, tar and xz; no network and no
# Java. Each step has a time limit, and its result is written at once: summary.txt has all of them, STEP.json the outcome,
# STEP.jsonl the measured values, STEP.err what was logged.
#
# usage: run.sh FOLDER RESULTS [--device cuda:0] [--quick] [--minutes 8] [--work FOLDER] [--only STEP,STEP...]
#   FOLDER      where the parts are
#   --device    device to meet; cpu:0 tries the kit itself, with four times the time for each step
#   --quick     only the smallest model and short texts
#   --minutes   time for all steps; those that would begin later are skipped
#   --work      where the kit is unpacked and models are written (default: a new temporary folder, deleted at the end); what
#               an earlier run left there is used again
#   --only      runs these steps only, by their names in summary.txt, and writes the models that they need
#
# Exit status: 0 if no step failed, 1 if one failed or timed out, 2 for a wrong argument, 130 after an interruption.
set -uo pipefail
usage="usage: run.sh FOLDER RESULTS [--device cuda:0] [--quick] [--minutes 8] [--work FOLDER] [--only STEP,...]"
parts=$(cd "${1:?$usage}" && pwd) || exit 2
mkdir -p "${2:?$usage}" || exit 2
results=$(cd "$2" && pwd)
shift 2
device=cuda:0 quick= minutes=8 work= keeps= only=
while (($#)); do
  case $1 in
    --device) device=${2:?$usage} && shift ;;
    --minutes) minutes=${2:?$usage} && shift ;;
    --work) work=${2:?$usage} keeps=yes && shift ;;
    --only) only=${2:?$usage} && shift ;;
    --quick) quick=yes ;;
    *) echo "run.sh: unknown option $1; $usage" >&2 && exit 2 ;;
  esac
  shift
done
steps=(devices check families families-random {speed,drafts}-{0.8B,4B,27B,35B-A3B} drafts-mtp paging restore graphs-off)
for name in ${only//,/ }; do
  [[ " ${steps[*]} " == *" $name "* ]] || { echo "run.sh: --only: expected ${steps[*]}, found $name" >&2 && exit 2; }
done
umask 077
if [[ -n $work ]]; then mkdir -p "$work" && work=$(cd "$work" && pwd); else work=$(mktemp -d); fi
[[ -d $work ]] || exit 2
threads=$(nproc)
patience=1 # multiple of the time limits of steps, which are those of a card
[[ $device == cuda:* ]] || patience=4
deadline=$((SECONDS + 60 * minutes))
child= faults=0
summary=$results/summary.txt
: >"$summary"

say() { printf '%s\n' "$*" | tee -a "$summary"; }

clean() { [[ -n $keeps ]] || rm -rf "$work"; }

stop() {
  trap '' INT TERM HUP
  if [[ -n $child ]]; then
    kill -TERM "$child" 2>/dev/null
    wait "$child" 2>/dev/null
  fi
  say "interrupted after $SECONDS s; what was measured is above"
  clean
  exit 130
}
trap stop INT TERM HUP

# Prints a text as a JSON string.
json() {
  local text=$1
  text=${text//\\/\\\\}
  text=${text//\"/\\\"}
  text=${text//$'\t'/ }
  printf '"%s"' "${text//[[:cntrl:]]/}"
}

# outcome STEP STATUS SECONDS DETAIL: writes the result of a step.
outcome() {
  local step=$1 status=$2 seconds=$3 detail=$4 line separator=
  [[ $status == ok || $status == skipped ]] || faults=1
  say "$step: $status in $seconds s${detail:+: $detail}"
  {
    printf '{"step":%s,"device":%s,"status":%s,"seconds":%s,"detail":%s,"lines":[' "$(json "$step")" "$(json "$device")" \
      "$(json "$status")" "$seconds" "$(json "$detail")"
    if [[ -r $results/$step.out ]]; then
      while IFS= read -r line; do
        printf '%s%s' "$separator" "$(json "$line")"
        separator=,
      done <"$results/$step.out"
    fi
    printf ']}\n'
  } >"$results/$step.json"
}

# wanted STEP...: whether one of these steps, or a model for one, is to run.
wanted() {
  local name
  for name; do
    [[ -n $only && $name != model-* && ,$only, != *,$name,* ]] || return 0
  done
  return 1
}

# skip REASON STEP...: reports that these steps do not run, unless others were chosen.
skip() {
  local reason=$1 name
  shift
  for name; do
    wanted "$name" || continue
    rm -f "$results/$name".{out,err,jsonl}
    outcome "$name" skipped 0 "$reason"
  done
}

# step NAME LIMIT COMMAND...: runs a command for at most so many seconds; fails if it did.
step() {
  local name=$1 limit=$2 begin=$SECONDS left=$((deadline - SECONDS)) status reader fd
  shift 2
  limit=$((limit * patience))
  wanted "$name" || return 0
  if ((left < 5)); then
    skip "no time left" "$name"
    return 1
  fi
  ((limit <= left)) || limit=$left
  rm -f "$results/$name".{out,err,jsonl}
  exec {fd}> >(while IFS= read -r line; do
    printf '%s\n' "$line" >>"$results/$name.out"
    say "  $line"
  done)
  reader=$!
  timeout -k 5 "$limit" "$@" >&"$fd" 2>"$results/$name.err" &
  child=$!
  exec {fd}>&-
  wait "$child"
  status=$?
  child=
  wait "$reader" 2>/dev/null
  case $status in
    0) outcome "$name" ok $((SECONDS - begin)) "" ;;
    124 | 137) outcome "$name" "timed out" $((SECONDS - begin)) "limit $limit s" ;;
    *) outcome "$name" failed $((SECONDS - begin)) "status $status: $(tail -n 1 "$results/$name.err" | cut -c 1-200)" ;;
  esac
  return "$status"
}

# Folders of CUDA's runtime libraries that the dynamic loader does not search, one a line.
cuda_folders() {
  local folder prefix prefixes=("${VIRTUAL_ENV:-/nonexistent}" "${CONDA_PREFIX:-/nonexistent}")
  shopt -s nullglob
  while IFS= read -r -d : folder; do
    [[ $folder == /*/bin && -e $folder/python3 ]] && prefixes+=("${folder%/bin}")
  done <<<"${PATH:-}:"
  prefixes+=("${own_home:-/nonexistent}/.local" /usr/local /usr /opt/* /opt/*/*)
  for folder in "${CUDA_HOME:-/nonexistent}"/lib64 /usr/local/cuda*/{lib64,targets/x86_64-linux/lib}; do
    [[ -e $folder/libcudart.so.13 || -e $folder/libcublas.so.13 ]] && printf '%s\n' "$folder"
  done
  for prefix in "${prefixes[@]}"; do
    for folder in "$prefix"/lib{,64}/python3*/{site,dist}-packages/nvidia/*/lib; do
      [[ -e $folder/libcudart.so.13 || -e $folder/libcublas.so.13 ]] && printf '%s\n' "$folder"
    done
  done
  shopt -u nullglob
}

say "Varve's kit on $device, $threads threads, $minutes minutes${quick:+, quick}"
for part in "$parts"/part-*.tar.xz; do
  [[ -r $part ]] || { say "run.sh: no parts in $parts" && clean && exit 2; }
done
unpack() {
  local part
  [[ ! -e $work/unpacked ]] || return 0
  for part in "$parts"/part-*.tar.xz; do tar -C "$work" -xJf "$part" || return; done
  "$work/java/bin/java" -cp "$work/bench/bench.jar" dev.varve.bench.kit.NativeUnpacker "$work/natives" \
    "$work"/varve/plugins/varve-plugin-{cpu,cuda}-*.jar && : >"$work/unpacked"
}
begin=$SECONDS
unpack || { outcome unpack failed $((SECONDS - begin)) "a part is damaged, or $work is full" && clean && exit 1; }
outcome unpack ok $((SECONDS - begin)) ""

own_home=${HOME:-}
export VARVE_JAVA_HOME=$work/java HOME=$work VARVE_CACHE=$work/cache TMPDIR=$work/tmp LC_ALL=C.UTF-8
mkdir -p "$VARVE_CACHE" "$TMPDIR"
if [[ $device == cuda:* ]]; then
  while IFS= read -r folder; do
    say "  CUDA libraries in $folder"
    LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$folder
  done < <(cuda_folders)
  [[ -z ${LD_LIBRARY_PATH:-} ]] || export LD_LIBRARY_PATH
  if command -v nvidia-smi >/dev/null; then nvidia-smi >"$results/nvidia-smi.txt" 2>&1; fi
fi

varve=$work/varve/bin/varve
plugins=$work/varve/plugins
classes=$work/bench/bench.jar:$work/bench/testkit.jar:$work/varve/lib/*:$plugins/*:$plugins/varve-plugin-chronicle/*
classes+=:$plugins/varve-plugin-chronicle/lib/*
# bench CLASS ARGUMENT...: puts the command of a benchmark into the array "command".
bench() {
  local class=$1
  shift
  command=("$work/java/bin/java" @"$plugins/varve-plugin-chronicle/java.options" --enable-native-access=ALL-UNNAMED -Xmx2g
    -XX:+UseSerialGC -Djava.util.logging.config.file=/dev/null -Dvarve.test.natives="$work/natives" -cp "$classes"
    "dev.varve.bench.$class" "$@")
}

on_device=(--device "$device" --threads "$threads")
starts=(--launcher "$varve")

step devices 30 "$varve" devices
step check 120 "$varve" check --device "$device" --report "$results/check-report"

bench FamilyBench "${on_device[@]}" --json "$results/families.jsonl" \
  --models "$work/varve/models/varve-demo-qwen35.gguf,$work/varve/models/varve-demo-gemma4.gguf,$work/varve/models/varve-demo-laguna.gguf"
step families 60 "${command[@]}"
bench FamilyBench "${on_device[@]}" --random "$work/families" -n 16 --json "$results/families-random.jsonl"
step families-random 60 "${command[@]}"

# model LABEL TYPE GIGABYTES: writes a model unless the disk is too full.
model() {
  local label=$1 type=$2 gigabytes=$3 free
  [[ ! -e $work/$label.gguf ]] || return 0
  free=$(($(df --output=avail -B1 "$work" | tail -n 1) / 1000000000))
  if ((free <= gigabytes)); then
    skip "needs $gigabytes GB of disk in $work, $free GB are free" "model-$label"
    return 1
  fi
  bench kit.LargeModelWriter "$label" "$type" "$work/$label.partial"
  if step "model-$label" 60 "${command[@]}"; then
    mv "$work/$label.partial" "$work/$label.gguf"
  else
    rm -f "$work/$label.partial"
    return 1
  fi
}

# speed LABEL LIMIT SECONDS PLACEMENTS PROMPTS: against libllama, each placement for so many seconds.
speed() {
  bench DeviceBench "${on_device[@]}" "${starts[@]}" --model "$work/$1.gguf" --label "$1" --seconds "$3" --placements "$4" \
    --prompts "$5" --json "$results/speed-$1.jsonl"
  step "speed-$1" "$2" "${command[@]}"
}

# drafts LABEL TOKENS PAIRS TARGET: draft tokens of which a set share is right.
drafts() {
  wanted "drafts-$1" || return 0
  bench SpeculationBench --model "$work/$1.gguf" --folder "$work" --chance 0.77 --depth 7 -n "$2" --pairs "$3" \
    --devices "$device" --draft-device "$device" --differing accept --threads "$threads" "${starts[@]}"
  [[ $device != cuda:* ]] || say "  target, from the project's goals for one H100: $4 tokens/s with draft tokens"
  step "drafts-$1" 60 "${command[@]}"
}

# mtp TOKENS PAIRS: draft tokens of a block for multi-token prediction, of which a set share is right.
mtp() {
  bench SpeculationBench --network mtp --model "$work/0.8B-MTP.gguf" --folder "$work" --chance 0.77 --depth 3 -n "$1" --pairs "$2" \
    --devices "$device" --draft-device "$device" --differing accept --threads "$threads" "${starts[@]}"
  step drafts-mtp 60 "${command[@]}"
}

all=plain,twice,processor,process
missing="no model was written"
if wanted speed-0.8B drafts-0.8B paging restore graphs-off && model 0.8B Q4_K 1; then
  if [[ -n $quick ]]; then speed 0.8B 200 25 "$all" 128; else speed 0.8B 90 10 "$all" 512,4096; fi
else
  skip "$missing" speed-0.8B
fi
largest=0.8B
if [[ -n $quick ]]; then
  skip "--quick" speed-{4B,27B,35B-A3B} drafts-{4B,27B,35B-A3B}
else
  if wanted speed-4B drafts-4B restore && model 4B Q4_K 3; then
    largest=4B
    speed 4B 90 12 "$all" 512,4096
    drafts 4B 256 3 600
  else
    skip "$missing" speed-4B drafts-4B
  fi
  for label in 27B 35B-A3B; do
    target=$([[ $label == 27B ]] && echo 190 || echo 450)
    if wanted "speed-$label" "drafts-$label" && model "$label" Q4_K 23; then
      speed "$label" 75 15 plain,twice 512,4096
      drafts "$label" 128 2 "$target"
    else
      skip "$missing" "speed-$label" "drafts-$label"
    fi
    rm -f "$work/$label.gguf"
  done
fi
if wanted drafts-mtp && model 0.8B-MTP Q4_K 1; then
  if [[ -n $quick ]]; then mtp 48 1; else mtp 256 3; fi
  rm -f "$work/0.8B-MTP.gguf"
else
  skip "$missing" drafts-mtp
fi

if [[ -r $work/$largest.gguf ]]; then
  bench RestoreBench "${on_device[@]}" "${starts[@]}" --model "$work/$largest.gguf" --store "$work" \
    -p "$([[ -n $quick ]] && echo 512 || echo 8192)" --json "$results/restore.jsonl"
  step restore 90 "${command[@]}"
else
  skip "$missing" restore
fi

if [[ ! -r $work/0.8B.gguf ]]; then
  skip "$missing" drafts-0.8B paging graphs-off
else
  if [[ -n $quick ]]; then drafts 0.8B 48 1 "1,000"; else drafts 0.8B 256 3 "1,000"; fi

  if [[ -n $quick ]]; then
    paging=(--context 4096 --pool 1024 --far 2500 --near 1500 -n 16 --pairs 2)
  else
    paging=(--context 65536 --pool 4096 --far 64000 --near 8000 -n 64 --pairs 5)
  fi
  bench PagingBench "${on_device[@]}" --model "$work/0.8B.gguf" --only decode "${paging[@]}"
  step paging 90 "${command[@]}"

  if [[ $device == cuda:* ]]; then
    bench DeviceBench "${on_device[@]}" --model "$work/0.8B.gguf" --label "0.8B without CUDA graphs" --placements plain \
      --prompts 512 --seconds 10 --json "$results/graphs-off.jsonl"
    GGML_CUDA_DISABLE_GRAPHS=1 step graphs-off 40 "${command[@]}"
  else
    skip "$device has no CUDA graphs" graphs-off
  fi
fi

say "done in $SECONDS s; results in $results"
clean
exit "$faults"
