"""Tables of phrasings, some of them held out, and what people put before and after a question."""

import random
from dataclasses import dataclass
from typing import Sequence

from .dialog import HELD_OUT, careless

HELD_OUT_MARK = "~"


@dataclass(frozen=True)
class Phrasings:
    """Ways to say one thing. A text is trained on or held out, never both."""

    trained: Sequence[str]
    held_out: Sequence[str]

    def of(self, split: str) -> Sequence[str]:
        return self.held_out if split == HELD_OUT else self.trained

    def pick(self, rng: random.Random, split: str) -> str:
        return rng.choice(self.of(split))

    def __len__(self) -> int:
        return len(self.trained) + len(self.held_out)


def phrasings(table: str) -> Phrasings:
    """Reads a table with a phrasing per line; a mark before a line holds it out."""
    lines = [line.strip() for line in table.splitlines() if line.strip()]
    held_out = tuple(line[1:].strip() for line in lines if line.startswith(HELD_OUT_MARK))
    trained = tuple(line for line in lines if not line.startswith(HELD_OUT_MARK))
    both = [line for line in held_out if line in trained]
    if both or not trained or not held_out:
        raise ValueError(f"phrasings need trained and held-out lines, none of them both: {both or lines[:1]}")
    return Phrasings(trained, held_out)


OPENERS = phrasings(
    """
    Please tell me:
    Quick question:
    Hi!
    Hello!
    Hey!
    Hello there.
    Good morning!
    I would like to know:
    Can you tell me:
    One question:
    Tell me,
    So,
    Okay.
    Okay,
    Well,
    Just wondering:
    Now tell me:
    Please help me.
    I need your help.
    I am new here.
    I have a question:
    My question is:
    Maybe you know:
    Do you know this?
    Sorry,
    Please,
    Next question:
    I want to know:
    Could you say:
    Could you help me?
    ~ Excuse me,
    ~ A short question:
    ~ Let me ask you:
    ~ Listen:
    ~ Please say:
    """
)

ENDINGS = phrasings(
    """
    Thanks!
    Thank you.
    Thank you!
    Please be brief.
    A short answer is enough.
    I forgot.
    I am not sure.
    Please.
    Do you know?
    I need to know.
    Just the answer, please.
    ~ Thanks in advance!
    ~ I cannot remember.
    ~ Tell me, please.
    """
)

# Words that keep their capital after an opener.
PROPER = (
    "Varve Varve's GGUF KV HIP CUDA Vulkan Java I OpenAI OpenAI's TLS API HTTP Ctrl-C Linux Apache NVIDIA GET "
    "POST Gemma "
    "Qwen Laguna Windows Prometheus Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
).split()

SYSTEM_PROMPTS = (
    "You are a helpful assistant.",
    "You are a friendly assistant.",
    "You are a helpful chat assistant.",
    "You are a small assistant that answers questions.",
    "You answer briefly.",
    "Answer in short sentences.",
    "Be brief and friendly.",
    "Be helpful and honest.",
    "You help people with their questions.",
    "You are an assistant for users of Varve.",
    "You are a polite assistant.",
    "Please answer the user's questions.",
    "Help the user as well as you can.",
    "You are a demo of Varve.",
    "Keep your answers short.",
    "You are an honest assistant. Keep it simple.",
)


def lower_first(text: str) -> str:
    """The text as it goes on after a comma or colon."""
    words = text.split(" ", 1)
    if words[0].rstrip(",.!?") in PROPER:
        return text
    return text[:1].lower() + text[1:]


def upper_first(text: str) -> str:
    return text[:1].upper() + text[1:]


def opened(core: str, opener: str) -> str:
    if opener[-1] in ",:":
        core = lower_first(core)
    return f"{opener} {core}"


def dressed(core: str, rng: random.Random, split: str, share: float = 0.3) -> str:
    """The core, at times with an opener or an ending, and typed in a hurry half of the time."""
    if rng.random() < share:
        core = opened(core, any_of(OPENERS, rng, split))
    if rng.random() < share / 3:
        core = f"{core} {any_of(ENDINGS, rng, split)}"
    return careless(core, rng) if rng.random() < 0.5 else core


def any_of(table: Phrasings, rng: random.Random, split: str) -> str:
    """One of the trained lines; where the split is held out, one of the others half of the time."""
    if split == HELD_OUT and rng.random() < 0.5:
        return rng.choice(table.held_out)
    return rng.choice(table.trained)


GREETINGS = phrasings(
    """
    Hi!
    Hello!
    Hey!
    Hi there!
    Hello there!
    Hello, nice to meet you!
    Good morning!
    Good afternoon.
    Good evening!
    Good day!
    Hey there, are you awake?
    Hi, can we talk?
    Hello, are you there?
    Hello, can you hear me?
    Hi, I am back.
    Hello again!
    Greetings!
    Hey, nice to see you.
    Hi, I need some help.
    Hello, I have a few questions.
    Hi, may I ask you something?
    Can I ask you a question?
    Hello Varve!
    Hi bot!
    Hello, friend!
    Let us chat!
    ~ Hi, are you there?
    ~ Hello, I have a question.
    ~ Hey, good morning!
    ~ Hi again!
    ~ Hello, can I ask you something?
    """
)
GREETING_ANSWER = "Hello! How can I help you?"

THANKS = phrasings(
    """
    Thanks!
    Thank you!
    Thanks a lot!
    Thank you very much.
    Many thanks!
    Great, thanks!
    Great, thank you.
    Okay, thanks.
    Okay, thank you!
    Cool, thanks!
    Perfect, thank you.
    Nice, thanks for the help.
    Thank you for your help!
    Thanks for the answer.
    That helps, thanks.
    That was helpful, thank you.
    Thanks, that is all I need.
    I thank you.
    Thank you, that is good to know.
    Ah, thanks.
    Thx
    ~ Thanks for your help!
    ~ Perfect, thanks!
    ~ Thank you, that was helpful.
    ~ Thanks a lot for the answer!
    """
)
THANKS_ANSWER = "You are welcome!"

GOODBYES = phrasings(
    """
    Bye!
    Goodbye!
    Bye bye!
    Good night!
    See you!
    See you later!
    See you tomorrow.
    See you soon!
    I have to go now.
    I must go. Bye!
    I am leaving now.
    That is all for today.
    That was all. Goodbye!
    Okay, bye!
    Thanks, bye!
    Have a nice day!
    Have a good evening!
    Talk to you later.
    Until next time!
    Farewell!
    Time to go to bed. Good night!
    ~ Okay, goodbye!
    ~ I have to go. See you!
    ~ Bye, see you later!
    ~ Have a good day, bye!
    """
)
GOODBYE_ANSWER = "Goodbye! Have a nice day."

WHO_AM_I = "I am a small demo model made for Varve."
