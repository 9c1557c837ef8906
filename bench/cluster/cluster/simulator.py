"""Compares the fleet simulator with three servers: bench/run.sh fleet, started on the clients' host."""

from pathlib import Path
from typing import List

from cluster.servers import CLIENT, SERVERS, Cluster

RUN = Path(__file__).resolve().parents[2] / "run.sh"
SECONDS = 1800


def run_simulator(cluster: Cluster, requests: int) -> dict:
    """Starts the servers, replays chats against them and the simulator, and returns both figures."""
    processes: List = []
    try:
        processes += cluster.servers(SERVERS, "--parallel", "8").values()
        servers = [part for name in SERVERS for part in ("--server", f"http://{cluster.address(name)}")]
        command = ["bash", str(RUN), "fleet", *servers, "--requests", str(requests)]
        return compared(cluster.hosts.run_plain(CLIENT, command, SECONDS))
    finally:
        cluster.hosts.stop(processes)


def compared(table: str) -> dict:
    """Reads the table of measured and simulated figures, whose deviations are in percent."""
    figures: dict = {}
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 4 and cells[3].endswith("%") and cells[0] != "figure":
            measured, simulated, deviation = (float(cell.rstrip(" %")) for cell in cells[1:])
            figures[cells[0]] = {"measured": measured, "simulated": simulated, "deviation_percent": deviation}
    return figures
