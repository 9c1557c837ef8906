"""A client of chat completions that notes when each part of a stream arrives."""

import http.client
import json
import time
from typing import List, NamedTuple, Optional

Message = dict


class Reply(NamedTuple):
    """A response that was read to its end; times are seconds of the monotonic clock."""

    sent: float
    arrivals: List[float]
    ended: float
    text: str
    prompt_tokens: int
    cached_tokens: int
    cache_source: Optional[str]

    @property
    def first(self) -> float:
        """Returns the seconds to the first text; an empty response counts to its end."""
        return (self.arrivals[0] if self.arrivals else self.ended) - self.sent


class ChatFailure(Exception):
    """A request that has no complete response."""


def body(messages: List[Message], tokens: int, model: str = "model") -> dict:
    """Returns a greedy streaming request whose response has exactly some tokens."""
    return {
        "model": model,
        "messages": messages,
        "max_tokens": tokens,
        "temperature": 0,
        "ignore_eos": True,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


class StreamLines:
    """Collects the text, the times and the usage from the lines of a stream."""

    def __init__(self, sent: float) -> None:
        self._sent = sent
        self._arrivals: List[float] = []
        self._text: List[str] = []
        self._usage: Optional[dict] = None
        self._source: Optional[str] = None

    def line(self, line: str, now: float) -> Optional[Reply]:
        """Takes one line; returns the reply with the line that ends it."""
        if not line.startswith("data:"):
            return None
        value = line[5:].strip()
        if value == "[DONE]":
            return self._reply(now)
        event = json.loads(value)
        if "error" in event:
            raise ChatFailure(f"error in the stream: {value[:300]}")
        self._usage = event.get("usage") or self._usage
        self._source = (event.get("timings") or {}).get("cache_source", self._source)
        delta = event["choices"][0].get("delta", {}) if event.get("choices") else {}
        text = delta.get("content") or delta.get("reasoning_content")
        if text:
            self._arrivals.append(now)
            self._text.append(delta.get("content") or "")
        return None

    def _reply(self, now: float) -> Reply:
        if self._usage is None:
            raise ChatFailure("the stream ended without usage")
        cached = (self._usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
        text = "".join(self._text)
        return Reply(self._sent, self._arrivals, now, text, self._usage["prompt_tokens"], cached, self._source)


def ask(address: str, request: dict, seconds: float = 600) -> Reply:
    """Sends a request to HOST:PORT and reads its stream; each request has a connection of its own."""
    host, port = address.rsplit(":", 1)
    connection = http.client.HTTPConnection(host, int(port), timeout=seconds)
    try:
        sent = time.monotonic()
        connection.request("POST", "/v1/chat/completions", json.dumps(request), {"Content-Type": "application/json"})
        response = connection.getresponse()
        if response.status != 200:
            raise ChatFailure(f"status {response.status}: {response.read(500).decode(errors='replace')}")
        lines = StreamLines(sent)
        for line in response:
            reply = lines.line(line.decode(), time.monotonic())
            if reply is not None:
                return reply
        raise ChatFailure("the stream ended without [DONE]")
    except (OSError, http.client.HTTPException) as failure:
        raise ChatFailure(f"{type(failure).__name__}: {failure}") from failure
    finally:
        connection.close()
