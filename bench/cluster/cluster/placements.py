"""Placements of a workload: how many servers, which routing, with a store or without."""

import json
from typing import Dict, List, NamedTuple, Sequence

from cluster.servers import CLIENT, EVENTS_PORT, PORT, ROUTER, SERVERS, Cluster
from cluster.workload import Shape

REPLAY_SECONDS = 1800
EVENTS = "events"


class Placement(NamedTuple):
    """Servers behind HAProxy, or behind a client that routes by their events."""

    servers: Sequence[str]
    balance: str
    store: bool = False


PLACEMENTS: Dict[str, Placement] = {
    "one": Placement(SERVERS[:1], "roundrobin"),
    "round robin": Placement(SERVERS, "roundrobin"),
    "hash": Placement(SERVERS, "hash"),
    "round robin + store": Placement(SERVERS, "roundrobin", store=True),
    "hash + store": Placement(SERVERS, "hash", store=True),
    "events": Placement(SERVERS, EVENTS),
}


def run_placement(cluster: Cluster, placement: Placement, shape: Shape, clients: int) -> dict:
    """Starts a placement with empty caches, replays the workload and returns its figures."""
    processes: List = []
    try:
        processes += [cluster.store()] if placement.store else []
        processes += cluster.servers(placement.servers, *_flags(cluster, placement)).values()
        addresses = _addresses(cluster, placement, processes)
        _warm_up(cluster, placement.servers)
        result = _replay(cluster, addresses, shape, clients)
        result["per_server"] = {name: _server_figures(cluster, name, placement.store) for name in placement.servers}
        return result
    finally:
        cluster.hosts.stop(processes)


def _flags(cluster: Cluster, placement: Placement) -> List[str]:
    events = ["--kv-events", f"tcp://{{host}}:{EVENTS_PORT}"] if placement.balance == EVENTS else []
    return [*events, *(cluster.store_flags() if placement.store else [])]


def _addresses(cluster: Cluster, placement: Placement, processes: List) -> List[str]:
    """Returns where clients send requests; starts a router if there is one."""
    if placement.balance == EVENTS:
        hosts = {name: cluster.hosts.address(name) for name in placement.servers}
        return [f"{cluster.address(name)}={host}:{EVENTS_PORT}" for name, host in hosts.items()]
    processes.append(cluster.router(placement.balance, placement.servers))
    return [f"{cluster.hosts.address(ROUTER)}:{PORT}"]


def _replay(cluster: Cluster, addresses: List[str], shape: Shape, clients: int) -> dict:
    arguments = ["cluster.replay", *addresses, "--clients", str(clients), "--shape", json.dumps(shape._asdict())]
    return json.loads(cluster.hosts.run(CLIENT, arguments, REPLAY_SECONDS))


def _warm_up(cluster: Cluster, servers: Sequence[str]) -> None:
    """Lets the servers compile their code, with texts that share nothing with the workload."""
    for name in servers:
        _replay(cluster, [cluster.address(name)], Shape(sessions=4, turns=3, seed=1000), 2)


def _server_figures(cluster: Cluster, name: str, store: bool) -> dict:
    figures = {"prompt_tokens": int(cluster.metric(name, "varve_prompt_tokens_total"))}
    if store:
        for key in ("read", "written"):
            metric = f"varve_prefix_shared_{key}_bytes_total"
            figures[f"store_{key}_bytes"] = int(cluster.metric(name, metric))
        figures["evictions"] = int(cluster.metric(name, "varve_prefix_cache_evictions_total"))
    return figures
