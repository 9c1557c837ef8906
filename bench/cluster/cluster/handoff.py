"""Hand-off of long prompts between two servers, against a third one that computes them itself."""

import json
from typing import List, NamedTuple, Optional

from cluster.certificates import Certificates
from cluster.figures import median
from cluster.servers import CLIENT, PREFILL_PORT, SERVERS, Cluster

DECODE, PREFILL, LOCAL = SERVERS
SECONDS = 3000
METRICS = ("varve_hand_off_prompts_total", "varve_hand_off_tokens_total", "varve_hand_off_read_bytes_total")


class HandOffSizes(NamedTuple):
    """Numbers of prompts and rounds, and the length of prompts in words."""

    prompts: int
    prompt_words: int
    rounds: int
    gap_prompts: int
    streams: int
    stream_tokens: int


def run_hand_off(cluster: Cluster, sizes: HandOffSizes, certificates: Optional[Certificates]) -> dict:
    """Starts a decode server, its prefill server, and a plain one; returns times, bytes and gaps."""
    processes: List = []
    try:
        prefill, decode = _flags(cluster, certificates)
        own = ("--parallel", "8")
        processes += cluster.servers([PREFILL], *prefill, *own, core=1).values()
        processes += cluster.servers([DECODE], *decode, *own, core=0).values()
        processes += cluster.servers([LOCAL], *own, core=0).values()
        _await_peer(cluster)
        first_token = _first_tokens(cluster, sizes)
        gaps = _gaps(cluster, sizes) if sizes.rounds else {}
        metrics = {name: _by_outcome(cluster, name) for name in METRICS}
        return {"first_token": first_token, "gaps": gaps, "metrics": metrics}
    finally:
        cluster.hosts.stop(processes)


def _flags(cluster: Cluster, certificates: Optional[Certificates]) -> tuple:
    scheme = "grpcs" if certificates else "grpc"
    address = f"{scheme}://{cluster.hosts.address(PREFILL)}:{PREFILL_PORT}"
    secured = (lambda name: certificates.flags(name, cluster.hosts.address(name))) if certificates else (
        lambda _: ["--shard-insecure"]
    )
    prefill = ["--role", "prefill", "--prefill-listen", address, *secured(PREFILL)]
    decode = ["--role", "decode", "--prefill-peer", address, "--hand-off", "always", *secured(DECODE)]
    return prefill, decode


def _await_peer(cluster: Cluster) -> None:
    url = f"http://{cluster.address(DECODE)}/metrics"
    probe = ["sh", "-c", f"for i in $(seq 100); do curl -s {url} | grep -q '^varve_hand_off_peers.* 1' && exit 0; sleep 0.2; done; exit 1"]
    cluster.hosts.run_plain(CLIENT, probe, 60)


def _by_outcome(cluster: Cluster, name: str) -> dict:
    lines = cluster.hosts.read(CLIENT, f"http://{cluster.address(DECODE)}/metrics").splitlines()
    values = {}
    for line in lines:
        if line.startswith((f"{name} ", f"{name}{{")) and not line.endswith((" 0", " 0.0")):
            label = line[len(name) : line.rindex(" ")]
            values[label] = float(line.rsplit(" ", 1)[1])
    return values


def _first_tokens(cluster: Cluster, sizes: HandOffSizes) -> dict:
    arguments = [
        *("cluster.prompts", f"handed={cluster.address(DECODE)}=same", f"local={cluster.address(LOCAL)}=same"),
        # the prefill server has cached the other prompts
        f"there={cluster.address(PREFILL)}=own",
        *("--count", str(sizes.prompts), "--words", str(sizes.prompt_words)),
    ]
    results = json.loads(cluster.hosts.run(CLIENT, arguments, SECONDS))
    return first_token_figures(results)


def first_token_figures(results: dict) -> dict:
    """Returns the times of all sides, the ratios to handed prompts, and whether responses were equal.

    `local` is a server that computes the same prompts, `there` the prefill server with prompts of its own clients. The first
    prompts compile code and measure the network, so they are left out of the ratios.
    """
    pairs = list(zip(results["handed"], results["local"]))
    return {
        "prompt_tokens": pairs[0][0]["prompt_tokens"],
        "handed_ms": [handed["ttft_ms"] for handed, _ in pairs],
        "local_ms": [local["ttft_ms"] for _, local in pairs],
        "there_ms": [there["ttft_ms"] for there in results["there"]],
        "handed_to_local": _ratio(results["handed"], results["local"]),
        "handed_to_there": _ratio(results["handed"], results["there"]),
        "sources": [handed["source"] for handed, _ in pairs],
        "different_responses": sum(handed["text"] != local["text"] for handed, local in pairs),
    }


def _ratio(side: List[dict], other: List[dict]) -> float:
    return round(median([one["ttft_ms"] / two["ttft_ms"] for one, two in zip(side[1:], other[1:])]), 3)


def _gaps(cluster: Cluster, sizes: HandOffSizes) -> dict:
    shape = {
        "streams": sizes.streams,
        "stream_tokens": sizes.stream_tokens,
        "prompt_words": sizes.prompt_words,
        "at_once": sizes.gap_prompts,
    }
    phases = [
        f"idle={cluster.address(DECODE)}=0",
        f"handed={cluster.address(DECODE)}={sizes.gap_prompts}",
        f"local={cluster.address(LOCAL)}={sizes.gap_prompts}",
    ]
    arguments = ["cluster.gaps", *phases, "--rounds", str(sizes.rounds), "--sizes", json.dumps(shape)]
    results = json.loads(cluster.hosts.run(CLIENT, arguments, SECONDS))
    return {**gap_ratios(results), "rounds": results}


def gap_ratios(results: dict) -> dict:
    """Returns the medians over the rounds, of the longest gap and of the 99th percentile, and their ratios to idle."""
    figures: dict = {}
    for key in ("longest_gap_ms", "gap_ms_p99"):
        medians = {name: median([each[key] for each in rounds]) for name, rounds in results.items()}
        figures[key] = medians
        figures[f"{key}_ratio"] = {name: round(value / medians["idle"], 2) for name, value in medians.items()}
    return figures
