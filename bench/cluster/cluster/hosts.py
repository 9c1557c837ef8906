"""Hosts of a cluster: network namespaces of this machine, joined by a switch, and their processes.

Everything ends with the `with` block, also when it is interrupted. Processes end even if this one is killed; its namespaces
are then removed by the next run.
"""

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Dict, List, Optional

NAMESPACE = "varve-cluster-"
ADDRESS = "10.77.0."
END_SECONDS = 45
HERE = Path(__file__).resolve().parent.parent


class ClusterError(Exception):
    """A part of the cluster did not start or ended early."""


def stale_namespaces(listed: List[str], is_alive) -> List[str]:
    """Returns the namespaces whose process, named by its number, has ended."""
    ours = [name for name in listed if name.startswith(NAMESPACE)]
    return [name for name in ours if not is_alive(int(name[len(NAMESPACE) :].split("-")[0]))]


def _is_alive(process: int) -> bool:
    return Path(f"/proc/{process}").exists()


class Hosts:
    """Namespaces with their processes.

    names: host number to name; the host has the address 10.77.0.NUMBER
    rate: bits per second of a link
    delay: seconds of one way between two hosts
    """

    def __init__(self, names: Dict[int, str], rate: float, delay: float, logs: Path) -> None:
        self._numbers = {name: number for number, name in names.items()}
        self._rate = rate
        self._delay = delay
        self._logs = logs
        self._processes: List[subprocess.Popen] = []
        self._switch: Optional[subprocess.Popen] = None
        self.switch_figures: dict = {}

    def address(self, host: str) -> str:
        return f"{ADDRESS}{self._numbers[host]}"

    def __enter__(self) -> "Hosts":
        try:
            self._open()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _open(self) -> None:
        listed = subprocess.run(["ip", "netns", "list"], check=True, capture_output=True, text=True).stdout
        for name in stale_namespaces([line.split()[0] for line in listed.splitlines() if line], _is_alive):
            subprocess.run(["ip", "netns", "del", name], check=True)
        for name in self._numbers:
            subprocess.run(["ip", "netns", "add", self._namespace(name)], check=True)
        hosts = [f"{number}={self._namespace(name)}" for name, number in self._numbers.items()]
        self._switch = subprocess.Popen(
            [
                *("setpriv", "--pdeathsig", "KILL", "nice", "-n", "-5", sys.executable, "-m", "cluster.switch"),
                *("--rate", str(self._rate), "--delay", str(self._delay), *hosts),
            ],
            cwd=HERE,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        if self._switch.stdout.readline() != "ready\n":
            raise ClusterError("the switch did not start: it needs root, iproute2 and /dev/net/tun")

    def _namespace(self, host: str) -> str:
        return f"{NAMESPACE}{os.getpid()}-{host}"

    def command(self, host: str, arguments: List[str]) -> List[str]:
        """Returns a command line that runs on a host, and ends with this process."""
        inside = ["ip", "netns", "exec", self._namespace(host)]
        return ["setpriv", "--pdeathsig", "KILL", *inside, *(str(each) for each in arguments)]

    def start(self, host: str, name: str, arguments: List[str], core: Optional[int] = None) -> subprocess.Popen:
        """Starts a process on a host, with a log of its own, on one core or on all."""
        pinned = [] if core is None else ["taskset", "-c", str(core)]
        with open(self._logs / f"{name}.log", "w", encoding="utf-8") as log:
            process = subprocess.Popen(
                self.command(host, [*pinned, *arguments]),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        process.name = name
        self._processes.append(process)
        return process

    def run(self, host: str, arguments: List[str], seconds: float) -> str:
        """Runs a program of this folder on a host, and returns what it prints."""
        return self.run_plain(host, [sys.executable, "-m", *arguments], seconds)

    def run_plain(self, host: str, arguments: List[str], seconds: float) -> str:
        """Runs a command on a host, and returns what it prints."""
        done = subprocess.run(
            self.command(host, arguments), cwd=HERE, capture_output=True, text=True, timeout=seconds, check=False
        )
        if done.returncode != 0:
            raise ClusterError(f"{arguments[:3]} failed with {done.returncode}: {done.stderr.strip()[-2000:]}")
        return done.stdout

    def await_http(self, host: str, process: subprocess.Popen, url: str, seconds: float = 180) -> None:
        """Waits until a URL answers 200, as seen from a host."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if process.poll() is not None:
                raise ClusterError(f"{process.name} ended with {process.returncode}; see {self._logs}/{process.name}.log")
            probe = self.command(host, ["curl", "-fsS", "-o", "/dev/null", "--max-time", "2", url])
            if subprocess.run(probe, capture_output=True, check=False).returncode == 0:
                return
            time.sleep(0.3)
        raise ClusterError(f"no answer of {url} within {seconds} s; see {self._logs}/{process.name}.log")

    def read(self, host: str, url: str) -> str:
        """Returns the body of a URL, as seen from a host."""
        probe = self.command(host, ["curl", "-fsS", "--max-time", "10", url])
        return subprocess.run(probe, check=True, capture_output=True, text=True).stdout

    def stop(self, processes: List[subprocess.Popen]) -> None:
        """Ends processes with SIGTERM, and kills those that do not end."""
        for process in processes:
            if process.poll() is None:
                process.terminate()
        for process in processes:
            try:
                process.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._processes = [each for each in self._processes if each not in processes]

    def __exit__(self, *_) -> None:
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()
        self._processes = []
        self._end_switch()
        for name in self._numbers:
            subprocess.run(["ip", "netns", "del", self._namespace(name)], capture_output=True, check=False)

    def _end_switch(self) -> None:
        if self._switch is None:
            return
        try:
            written, _ = self._switch.communicate(timeout=10)
            self.switch_figures = json.loads(written) if written else {}
        except (subprocess.TimeoutExpired, OSError, ValueError):
            self._switch.kill()
            self._switch.wait()
