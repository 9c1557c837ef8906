"""Several servers of one model in network namespaces of this machine; see docs/fleet.md."""
