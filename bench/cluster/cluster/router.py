"""Configuration of HAProxy as the router of several servers."""

from typing import Dict

# Room for a whole request, since the hash needs its first messages.
BUFFER_BYTES = 1 << 20

BASE = f"""
global
  maxconn 256
  tune.bufsize {BUFFER_BYTES}
defaults
  mode http
  timeout connect 5s
  timeout client 600s
  timeout server 600s
  timeout http-request 60s
  option redispatch
  retries 3
"""

# A client may name its prefix, in a header or as OpenAI's clients do; otherwise it is the first two messages.
PREFIX_RULES = """
  option http-buffer-request
  acl names_prefix req.hdr(X-Prefix) -m found
  acl has_cache_key req.body,json_query('$.prompt_cache_key') -m found
  http-request set-header X-Prefix %[req.body,json_query('$.prompt_cache_key')] if !names_prefix has_cache_key
  http-request set-var(txn.first) req.body,json_query('$.messages[0].content')
  http-request set-var(txn.second) req.body,json_query('$.messages[1].content')
  http-request set-header X-Prefix %[var(txn.first),concat(|,txn.second),xxh64] if !names_prefix
"""

BALANCE = {
    "roundrobin": "balance roundrobin",
    "hash": "balance hdr(X-Prefix)\n  hash-type consistent sdbm avalanche",
}


def configuration(listen: str, balance: str, servers: Dict[str, str]) -> str:
    """Returns a configuration.

    listen: HOST:PORT
    balance: a key of BALANCE
    servers: name to HOST:PORT
    """
    rules = PREFIX_RULES if balance == "hash" else ""
    lines = "\n".join(f"  server {name} {address} check" for name, address in servers.items())
    return (
        f"{BASE}\nfrontend chats\n  bind {listen}\n{rules}  default_backend servers\n"
        f"\nbackend servers\n  {BALANCE[balance]}\n  option httpchk GET /health\n{lines}\n"
    )
