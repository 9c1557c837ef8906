"""Renders conversations with the chat templates that the model files carry, and finds the assistant's parts."""

import json
import re
from pathlib import Path
from typing import Iterator, Sequence

import jinja2

from demo.corpus.dialog import Tool

TEMPLATES = Path(__file__).parent.parent / "templates"

# What the assistant itself writes in a rendered conversation, with the mark that ends it.
ANSWERS = {
    "qwen35": re.compile(r"(?<=<\|im_start\|>assistant\n).*?<\|im_end\|>", re.S),
    "gemma4": re.compile(
        r"(?:(?<=<\|turn>model\n)|(?<=<tool_response\|>)(?!<\|tool_response>)).*?(?:<turn\|>|<\|tool_response>)", re.S
    ),
    "laguna": re.compile(r"(?<=<assistant>\n</think>\n).*?</assistant>", re.S),
}


class ChatTemplate:
    """A family's chat template."""

    def __init__(self, family: str):
        self.source = (TEMPLATES / f"{family}.jinja").read_text(encoding="utf-8").rstrip("\n")
        environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)
        environment.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
        environment.globals["raise_exception"] = _refuse
        self._template = environment.from_string(self.source)
        self._answers = ANSWERS[family]

    def render(self, messages: Sequence[dict], tools: Sequence[Tool] = (), answer_follows: bool = False) -> str:
        declarations = [tool.declaration() for tool in tools] or None
        return self._template.render(messages=messages, tools=declarations, add_generation_prompt=answer_follows)

    def answers(self, rendered: str) -> Iterator[tuple]:
        """Begin and end of each part that the assistant wrote."""
        return (match.span() for match in self._answers.finditer(rendered))


def _refuse(message: str):
    raise ValueError(message)
