"""Measures several servers of one model in network namespaces of this machine; docs/fleet.md explains the figures.

It needs Linux, root, iproute2, curl, openssl, HAProxy, a server of the Redis protocol, and an installation of Varve. All
processes and namespaces end with it, also when it is interrupted.
"""

import argparse
import json
import os
import platform
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Dict, List

from cluster.certificates import Certificates
from cluster.figures import median
from cluster.handoff import HandOffSizes, run_hand_off
from cluster.hosts import ClusterError, Hosts
from cluster.placements import PLACEMENTS, run_placement
from cluster.servers import NAMES, Cluster, Settings
from cluster.simulator import run_simulator
from cluster.workload import Shape

ROOT = Path(__file__).resolve().parents[3]
HAND_OFFS = ("hand-off", "hand-off mTLS")
SIMULATOR = "simulator"
PROGRAMS = ("ip", "curl", "openssl", "haproxy", "setpriv", "taskset")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/run.sh cluster", description=__doc__)
    known = [*PLACEMENTS, *HAND_OFFS, SIMULATOR]
    parser.add_argument("--only", action="append", choices=known, help="measure only this; may be repeated")
    parser.add_argument("--rounds", type=int, default=2, help="rounds over all placements (%(default)s)")
    parser.add_argument("--model", default="demo:qwen35", help="(%(default)s)")
    parser.add_argument("--cache-ram", default="256M", help="host memory for cached prefixes of a server (%(default)s)")
    parser.add_argument("--clients", type=int, default=3, help="clients that send sessions (%(default)s)")
    parser.add_argument("--sessions", type=int, default=Shape().sessions, help="(%(default)s)")
    parser.add_argument("--rate", type=float, default=1e9, help="bits per second of a link (%(default)s)")
    parser.add_argument("--delay", type=float, default=0.001, help="seconds between hosts, one way (%(default)s)")
    parser.add_argument("--prompts", type=int, default=6, help="long prompts, handed off and local (%(default)s)")
    parser.add_argument("--prompt-words", type=int, default=1200, help="of a long prompt (%(default)s)")
    parser.add_argument("--gap-rounds", type=int, default=3, help="(%(default)s)")
    parser.add_argument("--gap-prompts", type=int, default=10, help="long prompts beside streams (%(default)s)")
    parser.add_argument("--simulated-requests", type=int, default=120, help="chats for the simulator (%(default)s)")
    parser.add_argument("--varve", type=Path, default=ROOT / "dist/target/varve/bin/varve", help="(%(default)s)")
    parser.add_argument("--json", type=Path, help="file of the results")
    parser.add_argument("--logs", type=Path, help="folder to keep logs in")
    return parser.parse_args()


def _load() -> List[float]:
    return [round(each, 1) for each in os.getloadavg()]


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def differing(texts: List[str], expected: List[str]) -> int:
    """Returns how many responses have no equal among those of another run of the same workload."""
    return len(set(texts) - set(expected))


class Run:
    """All measurements of one call."""

    def __init__(self, options: argparse.Namespace, cluster: Cluster, work: Path) -> None:
        self._options = options
        self._cluster = cluster
        self._work = work
        self._texts: List[str] = []
        self.placements: Dict[str, List[dict]] = {}
        self.hand_offs: Dict[str, dict] = {}
        self.simulator: dict = {}

    def measure(self) -> None:
        names = self._options.only or [*PLACEMENTS, *HAND_OFFS, SIMULATOR]
        placements = [name for name in PLACEMENTS if name in names]
        for number in range(self._options.rounds):
            for name in placements if number % 2 == 0 else reversed(placements):
                self._placement(name)
        for name in HAND_OFFS:
            if name in names:
                self._hand_off(name)
        if SIMULATOR in names:
            self._simulator()

    def _placement(self, name: str) -> None:
        begin = time.monotonic()
        shape = Shape(sessions=self._options.sessions)
        result = run_placement(self._cluster, PLACEMENTS[name], shape, self._options.clients)
        texts = result.pop("texts")
        self._texts = self._texts or texts
        result["differing_responses"] = differing(texts, self._texts)
        self._report(name, result, begin)
        self.placements.setdefault(name, []).append(result)

    def _hand_off(self, name: str) -> None:
        begin = time.monotonic()
        options = self._options
        sizes = HandOffSizes(
            prompts=options.prompts,
            prompt_words=options.prompt_words,
            rounds=options.gap_rounds,
            gap_prompts=options.gap_prompts,
            streams=3,
            stream_tokens=700,
        )
        certificates = Certificates(self._work) if name.endswith("mTLS") else None
        self.hand_offs[name] = run_hand_off(self._cluster, sizes, certificates)
        self._report(name, self.hand_offs[name], begin)

    def _simulator(self) -> None:
        begin = time.monotonic()
        self.simulator = run_simulator(self._cluster, self._options.simulated_requests)
        self._report(SIMULATOR, self.simulator, begin)

    @staticmethod
    def _report(name: str, result: dict, begin: float) -> None:
        result["load"] = _load()
        print(f"{name} ({time.monotonic() - begin:.0f} s): {json.dumps(result)}", file=sys.stderr, flush=True)

    def medians(self) -> Dict[str, dict]:
        keys = ("hit_rate", "ttft_ms_p50", "ttft_ms_p95")
        return {
            name: {key: round(median([each[key] for each in results]), 4) for key in keys}
            for name, results in self.placements.items()
        }


def _interrupted(number: int, _) -> None:
    sys.exit(128 + number)


def main() -> None:
    """Runs the measurements; 0 for success, 1 if a part failed."""
    options = _options()
    for each in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(each, _interrupted)
    missing = [each for each in PROGRAMS if shutil.which(each) is None]
    if missing or not (shutil.which("redis-server") or shutil.which("valkey-server")):
        sys.exit(f"not found: {', '.join(missing) or 'redis-server or valkey-server'}")
    with tempfile.TemporaryDirectory(prefix="varve-cluster-") as folder:
        work = Path(folder)
        logs = options.logs or work
        logs.mkdir(parents=True, exist_ok=True)
        hosts = Hosts(NAMES, options.rate, options.delay, logs)
        settings = Settings(options.varve, options.model, options.cache_ram, work)
        run = Run(options, Cluster(hosts, settings), work)
        try:
            with hosts:
                run.measure()
        except ClusterError as failure:
            sys.exit(str(failure))
        finally:
            # an interrupted run has results, too
            if run.placements or run.hand_offs or run.simulator:
                _write(options, run, hosts)


def _write(options: argparse.Namespace, run: Run, hosts: Hosts) -> None:
    result = {
        "machine": {"processor": _processor(), "cores": os.cpu_count(), "shared_by_all_hosts": True},
        "link": {"bits_per_second": options.rate, "delay_ms_one_way": 1e3 * options.delay},
        "model": options.model,
        "cache_ram": options.cache_ram,
        "workload": {**Shape(sessions=options.sessions)._asdict(), "clients": options.clients},
        "medians": run.medians(),
        "placements": run.placements,
        "hand_off": run.hand_offs,
        "simulator": run.simulator,
        "switch": hosts.switch_figures,
    }
    text = json.dumps(result, indent=1) + "\n"
    if options.json:
        options.json.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
