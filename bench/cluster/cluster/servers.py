"""Starts the servers, the store and the router of a cluster."""

import os
import subprocess
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Sequence

from cluster.hosts import Hosts
from cluster.router import configuration

PORT = 8080
STORE_PORT = 6379
EVENTS_PORT = 5557
PREFILL_PORT = 7800
STORE, ROUTER, CLIENT = "store", "router", "client"
SERVERS = ("server1", "server2", "server3")
NAMES = {11: "server1", 12: "server2", 13: "server3", 20: STORE, 30: ROUTER, 40: CLIENT}


class Settings(NamedTuple):
    """What all placements have in common."""

    varve: Path
    model: str
    cache_ram: str
    work: Path
    flags: Sequence[str] = ()


class Cluster:
    """Starts processes on hosts with the settings of a run."""

    def __init__(self, hosts: Hosts, settings: Settings) -> None:
        self.hosts = hosts
        self.settings = settings

    def address(self, server: str) -> str:
        return f"{self.hosts.address(server)}:{PORT}"

    def servers(self, names: Sequence[str], *flags: str, core: Optional[int] = None) -> Dict[str, subprocess.Popen]:
        """Starts servers with some flags and waits until they answer; {host} in a flag is the server's address."""
        started = {name: self._server(name, flags, core) for name in names}
        for name, process in started.items():
            self.hosts.await_http(CLIENT, process, f"http://{self.address(name)}/health")
        return started

    def _server(self, name: str, flags: Sequence[str], core: Optional[int]) -> subprocess.Popen:
        address = self.hosts.address(name)
        own = [flag.replace("{host}", address) for flag in (*self.settings.flags, *flags)]
        arguments = [
            *(str(self.settings.varve), "serve", "--model", self.settings.model, "--model-name", "model"),
            *("--host", address, "--port", str(PORT), "--allowed-host", self.hosts.address(ROUTER)),
            *("--insecure", "--threads", "1", "--draft", "off", "--cache-ram", self.settings.cache_ram, *own),
        ]
        return self.hosts.start(name, name, arguments, core)

    def store(self) -> subprocess.Popen:
        """Starts an empty store."""
        address = self.hosts.address(STORE)
        program = "redis-server" if _found("redis-server") else "valkey-server"
        arguments = [
            *(program, "--bind", address, "--port", str(STORE_PORT), "--save", "", "--appendonly", "no"),
            *("--protected-mode", "no", "--maxmemory", "2gb", "--maxmemory-policy", "allkeys-lru"),
        ]
        return self.hosts.start(STORE, STORE, arguments)

    def store_flags(self) -> List[str]:
        return ["--shared-cache", f"redis://{self.hosts.address(STORE)}:{STORE_PORT}/0"]

    def router(self, balance: str, servers: Sequence[str]) -> subprocess.Popen:
        """Starts HAProxy and waits until it reaches a server."""
        listen = f"{self.hosts.address(ROUTER)}:{PORT}"
        file = self.settings.work / f"haproxy-{balance}.cfg"
        text = configuration(listen, balance, {name: self.address(name) for name in servers})
        file.write_text(text, encoding="utf-8")
        process = self.hosts.start(ROUTER, ROUTER, ["haproxy", "-db", "-f", str(file)])
        self.hosts.await_http(CLIENT, process, f"http://{listen}/health")
        return process

    def metric(self, server: str, name: str) -> float:
        """Returns the sum of a metric over its labels."""
        lines = self.hosts.read(CLIENT, f"http://{self.address(server)}/metrics").splitlines()
        values = [line for line in lines if line.startswith((f"{name} ", f"{name}{{"))]
        return sum(float(line.rsplit(" ", 1)[1]) for line in values)


def _found(program: str) -> bool:
    return any(os.access(Path(folder, program), os.X_OK) for folder in os.environ["PATH"].split(":"))
