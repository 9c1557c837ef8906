"""Asks a model closed questions that its training never saw, and counts right answers."""

import json
import re
from collections import Counter
from typing import Iterable, List, NamedTuple, Sequence

import torch

from demo.chat import ChatTemplate
from demo.corpus.dialog import Call, Question, says
from demo.model import Model
from demo.tokenizer import Tokenizer

# An answer that has not ended by then is wrong: calls and objects are long.
MOST_TOKENS = {"tool": 160, "json": 160}
MOST_TOKENS_OF_OTHERS = 48
_ENDS = ("<|im_end|>", "<turn|>", "<|tool_response>", "</assistant>")


class Answer(NamedTuple):
    question: Question
    text: str
    right: bool


def answers(model: Model, tokenizer: Tokenizer, questions: Sequence[Question], batch: int = 25) -> List[Answer]:
    """Greedy answers to all questions."""
    template = ChatTemplate(tokenizer.family.template)
    result = []
    for kind, part in _batches(questions, batch):
        most = MOST_TOKENS.get(kind, MOST_TOKENS_OF_OTHERS)
        prompts = [tokenizer.encode(template.render(q.messages, q.tools, answer_follows=True)) for q in part]
        for question, ids in zip(part, _generate(model, tokenizer, prompts, most)):
            text = tokenizer.decode(ids)
            result.append(Answer(question, text, is_right(question, text, tokenizer.family.template)))
    return result


def _batches(questions, size):
    """Questions of a kind together, since long ones would pad short ones, and with their kind."""
    for kind in sorted({question.kind for question in questions}):
        alike = [question for question in questions if question.kind == kind]
        for begin in range(0, len(alike), size):
            yield kind, alike[begin : begin + size]


def _generate(model, tokenizer, prompts, most):
    """Greedy continuations, all at once: short prompts are padded behind, which causal models never see."""
    stops = {tokenizer.ids[token] for token in _ENDS if token in tokenizer.ids}
    sequences = [list(prompt) for prompt in prompts]
    open_ones = list(range(len(prompts)))
    for _ in range(most):
        longest = max(len(sequences[index]) for index in open_ones)
        padded = torch.tensor([sequences[i] + [0] * (longest - len(sequences[i])) for i in open_ones])
        with torch.no_grad():
            hidden = model.hidden(padded)
            last = torch.stack([hidden[row, len(sequences[index]) - 1] for row, index in enumerate(open_ones)])
            chosen = model.head(last).argmax(-1).tolist()
        for index, token in zip(open_ones, chosen):
            sequences[index].append(token)
        open_ones = [index for index in open_ones if sequences[index][-1] not in stops]
        if not open_ones:
            break
    return [sequence[len(prompt) :] for sequence, prompt in zip(sequences, prompts)]


def is_right(question: Question, text: str, family: str) -> bool:
    if question.call is not None:
        return parse_call(text, family) == (question.call.name, _as_text(question.call))
    if question.kind == "json" and not _is_object(text):
        return False
    return any(says(text, accepted) for accepted in question.accepted)


def _is_object(text: str) -> bool:
    """Whether the answer, without the token that ends it, is a JSON object and nothing else."""
    for end in _ENDS:
        text = text.split(end)[0]
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _as_text(call: Call) -> dict:
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in call.arguments.items()
    }


def parse_call(text: str, family: str):
    """Name and arguments (as text) of the first call in an answer; None without one."""
    if family == "qwen35":
        match = re.search(r"<tool_call>\n<function=([^>]+)>\n(.*?)</function>", text, re.S)
        pairs = re.findall(r"<parameter=([^>]+)>\n(.*?)\n</parameter>", match[2], re.S) if match else []
    elif family == "laguna":
        match = re.search(r"<tool_call>([^\n]+)\n(.*?)</tool_call>", text, re.S)
        pairs = re.findall(r"<arg_key>(.*?)</arg_key>\n<arg_value>(.*?)</arg_value>", match[2], re.S) if match else []
    else:
        match = re.search(r"<\|tool_call>call:([^{]+)\{(.*?)\}<tool_call\|>", text, re.S)
        found = re.findall(r'([^,:{]+):(?:<\|"\|>(.*?)<\|"\|>|([^,]*))', match[2], re.S) if match else []
        pairs = [(name, quoted or plain) for name, quoted, plain in found]
    return (match[1], dict(pairs)) if match else None


def report(given: Iterable[Answer]) -> str:
    asked, right = Counter(), Counter()
    for answer in given:
        asked[answer.question.kind] += 1
        right[answer.question.kind] += answer.right
    kinds = ", ".join(f"{kind} {right[kind]} of {asked[kind]}" for kind in sorted(asked))
    return f"{sum(right.values())} of {sum(asked.values())} right: {kinds}"
