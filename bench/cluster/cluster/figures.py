"""Figures of replies."""

import math
from typing import List, Sequence

from cluster.chat import Reply


def percentile(values: Sequence[float], percent: float) -> float:
    """Returns the smallest value that is not below some percent of all; nothing is interpolated."""
    return sorted(values)[max(1, math.ceil(percent / 100 * len(values))) - 1]


def median(values: Sequence[float]) -> float:
    """Returns the median, the mean of the middle two of an even number."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def gaps(reply: Reply, begin: float = 0, end: float = math.inf) -> List[float]:
    """Returns the times between two parts of a stream that meet an interval, in their order."""
    pairs = zip(reply.arrivals, reply.arrivals[1:])
    return [after - before for before, after in pairs if before < end and after > begin]


def summary(replies: List[Reply]) -> dict:
    """Returns the hit rate and the times to the first token."""
    prompts = sum(each.prompt_tokens for each in replies)
    cached = sum(each.cached_tokens for each in replies)
    sources: dict = {}
    for each in replies:
        name = each.cache_source or "none"
        sources[name] = sources.get(name, 0) + 1
    firsts = [each.first for each in replies]
    return {
        "requests": len(replies),
        "prompt_tokens": prompts,
        "cached_tokens": cached,
        "hit_rate": round(cached / prompts, 4),
        "ttft_ms_p50": round(1e3 * percentile(firsts, 50), 1),
        "ttft_ms_p95": round(1e3 * percentile(firsts, 95), 1),
        "sources": sources,
    }
