"""What several sources share: the split of a table of phrasings, first names, and the framing of a chat."""

import random
from typing import Sequence

from .dialog import HELD_OUT, Conversation, assistant, careless, system, user

SYSTEMS = (
    "You are a helpful assistant.",
    "You are a friendly assistant.",
    "You are a small language model.",
    "Answer briefly.",
    "Be brief and correct.",
)

OPENERS = (
    "Hi! ",
    "Hello! ",
    "Hey! ",
    "Hi. ",
    "Please: ",
    "Quick question: ",
    "One question: ",
    "Next: ",
    "And now: ",
    "Okay. ",
    "Good. ",
    "Thanks. ",
)

ENDINGS = (" Please.", " Thanks.", " Thank you!", " Be brief.", " Just the answer, please.")

COMMON_NAMES = (
    "Anna Ben Carla David Emma Felix Grace Henry Ida Jonas Kim Laura Mira Noah Olga Paul Rosa Sam Tina Uma Victor "
    "Wanda Yara Zoe Lena Max Nina Oscar Peter Ruth Tom Alice Bob Clara Daniel Eva Frank Hanna Ivan Julia Leo Maria "
    "Nico Sara Theo Vera Lukas Marta Hugo Elsa"
).split()
NAME_STARTS = (
    "Ma Mi Mo Ra Ri Ro Ta Ti To Le La Lo Sa Se So Ka Ke Ki Na Ne Ni Da De Do Ba Be Bo Fa Fi Ga Ha He Ja Jo Va Vi Wa Wi "
    "Ya Ze El Al An Ar Is Or Ul Am"
).split()
NAME_ENDS = (
    "ra na la ma da lia nia ria sa ta ka vin lin rin don ton mon ro lo no ko rek nik lek bert mund dra bel sel ven ren "
    "mis ris las nas vo mi"
).split()


def of_split(table: Sequence, split: str) -> list:
    """A table's entries for training, or those held out: the last one of each six."""
    return [entry for place, entry in enumerate(table) if (place % 6 == 5) == (split == HELD_OUT)]


def name(rng: random.Random) -> str:
    """A first name, more often a made-up one than a common one."""
    if rng.random() < 0.35:
        return rng.choice(COMMON_NAMES)
    return rng.choice(NAME_STARTS) + rng.choice(NAME_ENDS)


def two_names(rng: random.Random) -> tuple[str, str]:
    first = name(rng)
    second = name(rng)
    while second == first:
        second = name(rng)
    return first, second


def article(noun: str) -> str:
    """A noun with its indefinite article."""
    return ("an " if noun[0].lower() in "aeiou" else "a ") + noun


def asked(text: str, rng: random.Random) -> str:
    """A user's text with an opener or an ending now and then, half the time typed in a hurry."""
    if rng.random() < 0.15:
        text = rng.choice(OPENERS) + text
    if rng.random() < 0.06 and text[-1:] in ".?!":
        text += rng.choice(ENDINGS)
    return careless(text, rng) if rng.random() < 0.5 else text


def chat(turns: Sequence[tuple[str, str]], rng: random.Random) -> Conversation:
    """A conversation of questions and answers, one in ten of them under a system's message."""
    messages = [system(rng.choice(SYSTEMS))] if rng.random() < 0.1 else []
    for question, answer in turns:
        messages += [user(question), assistant(answer)]
    return Conversation(messages)
