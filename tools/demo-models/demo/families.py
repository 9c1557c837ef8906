"""What the families differ in before any weight is trained: tokenizer, special tokens, chat markup."""

from dataclasses import dataclass, field, replace
from typing import Mapping, Optional, Sequence


@dataclass(frozen=True)
class Family:
    """A model family.

    `control` tokens are never text; `visible` ones are special, but shown in the output. `document` surrounds plain
    text in the corpus.
    """

    name: str
    pre_tokenizer: str
    control: Sequence[str]
    visible: Sequence[str]
    bos: Optional[str]
    eos: str
    eot: Optional[str]
    padding: str
    document: Sequence[str]
    # Control tokens that have the places of bytes which no text contains.
    marks: Mapping[int, str] = field(default_factory=dict)
    # Where they are not called like the family.
    architecture: str = ""
    template: str = ""

    def __post_init__(self):
        for name in ("architecture", "template"):
            object.__setattr__(self, name, getattr(self, name) or self.name)


QWEN35 = Family(
    name="qwen35",
    pre_tokenizer="qwen35",
    control=("<|endoftext|>", "<|im_start|>", "<|im_end|>"),
    visible=("<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"),
    bos=None,
    eos="<|im_end|>",
    eot=None,
    padding="<|endoftext|>",
    document=("", "<|endoftext|>"),
    # No UTF-8 text has these bytes. The vocabulary, and with it the trained weights, keep their size.
    marks={0xFD: "<|vision_start|>", 0xFE: "<|image_pad|>", 0xFF: "<|vision_end|>"},
)

# Reads long prompts and says what of them matters; it has the tokens and the markup of `qwen35`.
DRAFTER = replace(QWEN35, name="drafter", architecture="qwen3", template="qwen35")

GEMMA4 = Family(
    name="gemma4",
    pre_tokenizer="gemma4",
    control=("<pad>", "<eos>", "<bos>", "<unk>", "<|turn>", "<turn|>", "<|think|>", "<|tool>", "<tool|>"),
    visible=(
        "<|channel>",
        "<channel|>",
        "<|tool_call>",
        "<tool_call|>",
        "<|tool_response>",
        "<tool_response|>",
        '<|"|>',
    ),
    bos="<bos>",
    eos="<eos>",
    eot="<turn|>",
    padding="<pad>",
    document=("<bos>", "<eos>"),
)

LAGUNA = Family(
    name="laguna",
    pre_tokenizer="laguna",
    control=("〈|EOS|〉", "</assistant>"),
    visible=(
        "<think>",
        "</think>",
        "<system>",
        "</system>",
        "<user>",
        "</user>",
        "<assistant>",
        "<available_tools>",
        "</available_tools>",
        "<tool_call>",
        "</tool_call>",
        "<tool_response>",
        "</tool_response>",
        "<arg_key>",
        "</arg_key>",
        "<arg_value>",
        "</arg_value>",
    ),
    bos="〈|EOS|〉",
    eos="〈|EOS|〉",
    eot="</assistant>",
    padding="〈|EOS|〉",
    document=("〈|EOS|〉", ""),
)

FAMILIES = {family.name: family for family in (QWEN35, GEMMA4, LAGUNA, DRAFTER)}
