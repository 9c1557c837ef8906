"""Small talk: what people say and tell, simple knowledge, and styles that a system prompt asks for."""

import random
from dataclasses import dataclass
from typing import Callable, Iterator, List, Optional, Sequence

from . import smalltalk_tables as tables
from .dialog import HELD_OUT, Conversation, Question, assistant, careless, system, user
from .facts import FACTS
from .phrasing import (
    GOODBYE_ANSWER,
    GOODBYES,
    GREETING_ANSWER,
    GREETINGS,
    SYSTEM_PROMPTS,
    THANKS,
    THANKS_ANSWER,
    Phrasings,
    dressed,
    lower_first,
    upper_first,
)


@dataclass(frozen=True)
class Turn:
    """What the user says, the answer, and the answer in one word where there is one."""

    asked: str
    answer: str
    short: str = ""


@dataclass(frozen=True)
class Style:
    """A system prompt and what it makes of an answer."""

    prompt: str
    apply: Callable[[Turn], str]
    short: bool = False
    persona: Optional[str] = None


Scene = Callable[[random.Random, str], Turn]


def conversations(rng: random.Random, split: str) -> Iterator[Conversation]:
    """Chats of one to five user turns with mixed topics; many ask later for what was told before."""
    while True:
        roll = rng.random()
        if roll < 0.45:
            yield _remembering(rng, split)
        elif roll < 0.65:
            yield _styled(rng, split)
        elif roll < 0.7:
            yield _series(rng, split)
        elif roll < 0.74:
            yield _knowing(rng, split)
        else:
            yield _mixed(rng, split)


def questions(rng: random.Random) -> Iterator[Question]:
    """Questions for what the user told before, told and asked for in held-out phrasings."""
    while True:
        for memory in rng.sample(tables.MEMORIES, len(tables.MEMORIES)):
            told = memory.draw(rng)
            turns = [_telling(memory, told, rng, HELD_OUT)]
            turns += [_scene(rng, HELD_OUT) for _ in range(rng.choice((0, 0, 1, 1, 2)))]
            asked = _asking(memory, told, rng, HELD_OUT).asked
            messages = _neutral_prompt(rng) + _messages(turns) + [user(asked)]
            yield Question("recall", tuple(messages), (tuple(told.accepted.split()),))


def _mixed(rng: random.Random, split: str) -> Conversation:
    turns = [_scene(rng, split) for _ in range(rng.choice((1, 2, 2, 3, 3, 4)))]
    return Conversation(tuple(_neutral_prompt(rng) + _framed(turns, rng, split)))


def _remembering(rng: random.Random, split: str) -> Conversation:
    """One or two things are told, something else may follow, then one is asked for; at times it was never told."""
    first, second, unknown = rng.sample(tables.MEMORIES, 3)
    messages = _neutral_prompt(rng)
    turns = []
    told = {}
    for memory in (first, second)[: rng.choice((1, 1, 1, 2, 2))]:
        told[memory.key] = memory.draw(rng)
        turns.append(_telling(memory, told[memory.key], rng, split))
    if len(turns) == 2 and rng.random() < 0.5:
        turns = _joined(turns)
    if rng.random() < 0.08:
        told[first.key] = first.draw(rng)
        turns.append(_correcting(first, told[first.key], rng, split))
    turns += [_scene(rng, split) for _ in range(rng.choice((0, 0, 1, 1, 2)))]
    if rng.random() < 0.12:
        turns.append(_asking_in_vain(unknown, rng, split))
    asked = [memory for memory in (first, second) if memory.key in told]
    if rng.random() < 0.6:
        asked = [rng.choice(asked)]
    rng.shuffle(asked)
    turns += [_asking(memory, told[memory.key], rng, split) for memory in asked]
    return Conversation(tuple(messages + _framed(turns, rng, split, greeted=0.1)))


def _series(rng: random.Random, split: str) -> Conversation:
    """A question, and the same one about something else in few words."""
    pairs, table, answer = rng.choice(SERIES)
    chosen = rng.sample(pairs, rng.choice((2, 2, 3)))
    turns = []
    for index, (thing, found) in enumerate(chosen):
        if index == 0:
            asked = dressed(table.pick(rng, split).format(thing), rng, split, share=0.2)
        else:
            asked = careless(upper_first(tables.NEXT_ONE.pick(rng, split).format(thing)), rng)
        turns.append(Turn(asked, upper_first(answer.format(thing, found))))
    return Conversation(tuple(_neutral_prompt(rng) + _framed(turns, rng, split)))


def _knowing(rng: random.Random, split: str) -> Conversation:
    """The system prompt says what the user is called, who asks for it."""
    told = tables.Told(tables.some_name(rng), "")
    turns = [_scene(rng, split) for _ in range(rng.choice((0, 1, 1, 2)))]
    turns.append(_asking(NAME, told, rng, split))
    prompt = tables.USER_NAME.pick(rng, split).format(told.value)
    return Conversation(tuple([system(prompt)] + _messages(turns)))


def _styled(rng: random.Random, split: str) -> Conversation:
    """A system prompt asks for a style or says who the assistant is; the answers follow it."""
    style = rng.choice((_one_word, _always_ending, _always_beginning, _calling_user, _persona))(rng, split)
    scenes = SHORT_SCENES if style.short else SCENES
    turns = [rng.choice(scenes)(rng, split) for _ in range(rng.choice((1, 2, 2, 3)))]
    if style.persona and rng.random() < 0.8:
        asked = careless(tables.ASK_PERSONA.pick(rng, split), rng)
        turns.insert(rng.randrange(len(turns)), Turn(asked, style.persona))
    elif rng.random() < 0.3:
        turns += _told_and_asked(rng, split)
    messages = [system(style.prompt)]
    for turn in turns:
        messages += [user(turn.asked), assistant(style.apply(turn))]
    return Conversation(tuple(messages))


def _told_and_asked(rng: random.Random, split: str) -> List[Turn]:
    memory = rng.choice(tables.MEMORIES)
    told = memory.draw(rng)
    return [_telling(memory, told, rng, split), _asking(memory, told, rng, split)]


def _framed(turns: Sequence[Turn], rng: random.Random, split: str, greeted: float = 0.2) -> List[dict]:
    """The turns as messages, with a greeting before and a farewell after some of them."""
    turns = list(turns)
    if rng.random() < greeted:
        turns.insert(0, _greeting(rng, split))
    if rng.random() < 0.08:
        turns.append(_thanks(rng, split))
    elif rng.random() < 0.06:
        turns.append(_goodbye(rng, split))
    return _messages(turns)


def _messages(turns: Sequence[Turn]) -> List[dict]:
    return [message for turn in turns for message in (user(turn.asked), assistant(turn.answer))]


def _neutral_prompt(rng: random.Random) -> List[dict]:
    return [system(rng.choice(SYSTEM_PROMPTS))] if rng.random() < 0.3 else []


# Styles


def _one_word(rng: random.Random, split: str) -> Style:
    return Style(tables.ONE_WORD.pick(rng, split), lambda turn: turn.short or turn.answer, short=True)


def _always_ending(rng: random.Random, split: str) -> Style:
    word = upper_first(_exclamation(rng))
    return Style(tables.ENDING.pick(rng, split).format(word), lambda turn: f"{turn.answer} {word}!")


def _always_beginning(rng: random.Random, split: str) -> Style:
    word = upper_first(_exclamation(rng))
    return Style(tables.BEGINNING.pick(rng, split).format(word), lambda turn: f"{word}! {turn.answer}")


def _calling_user(rng: random.Random, split: str) -> Style:
    title = rng.choice(tables.TITLES) if rng.random() < 0.5 else tables.some_name(rng)
    return Style(tables.CALL_USER.pick(rng, split).format(title), lambda turn: _addressed(turn.answer, title))


def _persona(rng: random.Random, split: str) -> Style:
    name, job = tables.some_name(rng), rng.choice(tables.JOBS)
    prompt = tables.PERSONA.pick(rng, split).format(name=name, job=job)
    return Style(prompt, lambda turn: turn.answer, persona=f"I am {name}, {job}.")


def _exclamation(rng: random.Random) -> str:
    return rng.choice(tables.EXCLAMATIONS) if rng.random() < 0.6 else tables.made_up_name(rng)


def _addressed(answer: str, title: str) -> str:
    """The answer with the title before its final mark."""
    if answer[-1:] in ".!?":
        return f"{answer[:-1]}, {title}{answer[-1]}"
    return f"{answer}, {title}"


# What the user tells, and asks for later


def _telling(memory: tables.Memory, told: tables.Told, rng: random.Random, split: str) -> Turn:
    text = memory.tell.pick(rng, split)
    asked = told.put_into(careless(text, rng)) if rng.random() < 0.4 else upper_first(told.put_into(text))
    return Turn(asked, upper_first(told.put_into(memory.noted)), "Okay.")


def _joined(turns: Sequence[Turn]) -> List[Turn]:
    """Two things that the user tells, in one sentence where that reads well."""
    first, second = turns
    if not first.asked.endswith(".") or not second.asked.startswith(tables.SECOND_PARTS):
        return list(turns)
    return [Turn(f"{first.asked[:-1]} and {lower_first(second.asked)}", first.answer, first.short)]


def _correcting(memory: tables.Memory, told: tables.Told, rng: random.Random, split: str) -> Turn:
    text = lower_first(memory.tell.pick(rng, split))
    asked = upper_first(f"{tables.CORRECTIONS.pick(rng, split)} {told.put_into(text)}")
    return Turn(asked, upper_first(told.put_into(memory.noted)), "Okay.")


def _asking(memory: tables.Memory, told: tables.Told, rng: random.Random, split: str) -> Turn:
    asked = dressed(told.put_into(memory.ask.pick(rng, split)), rng, split, share=0.15)
    return Turn(asked, told.put_into(memory.answer), upper_first(f"{told.value}."))


def _asking_in_vain(memory: tables.Memory, rng: random.Random, split: str) -> Turn:
    told = memory.draw(rng)
    asked = dressed(told.put_into(memory.ask.pick(rng, split)), rng, split, share=0.15)
    return Turn(asked, tables.NOT_TOLD, "Unknown.")


# Scenes: one turn each


def _scene(rng: random.Random, split: str) -> Turn:
    return rng.choice(SCENES)(rng, split)


def _fixed(table: Phrasings, answer: str, short: str = "") -> Scene:
    return lambda rng, split: Turn(careless(table.pick(rng, split), rng), answer, short)


_greeting = _fixed(GREETINGS, GREETING_ANSWER, "Hello!")
_thanks = _fixed(THANKS, THANKS_ANSWER, "Welcome!")
_goodbye = _fixed(GOODBYES, GOODBYE_ANSWER, "Goodbye!")
_how_are_you = _fixed(tables.HOW_ARE_YOU, "I am fine, thank you!", "Fine.")
_human = _fixed(tables.HUMAN, "I am a computer program, not a human.")
_compliment = _fixed(tables.COMPLIMENTS, "Thank you, that is kind!", "Thanks!")
_insult = _fixed(tables.INSULTS, "I am sorry. I am still very small.", "Sorry.")
_agreement = _fixed(tables.AGREEMENTS, "Good. What else can I do for you?", "Good.")


def _joke(rng: random.Random, split: str) -> Turn:
    return Turn(dressed(tables.ASK_JOKE.pick(rng, split), rng, split, share=0.15), rng.choice(tables.JOKES))


def _feeling(rng: random.Random, split: str) -> Turn:
    answer, table = rng.choice(tables.FEELINGS)
    return Turn(careless(table.pick(rng, split), rng), answer)


def _lookup(rng: random.Random, split: str) -> Turn:
    asked = tables.LOOKUPS.pick(rng, split).format(city=tables.some_city(rng))
    return Turn(dressed(asked, rng, split, share=0.2), tables.NO_TOOL, "Unknown.")


def _unknown(rng: random.Random, split: str) -> Turn:
    asked = tables.UNKNOWN.pick(rng, split).format(name=tables.some_name(rng), city=tables.made_up_city(rng))
    return Turn(dressed(asked, rng, split, share=0.2), tables.DO_NOT_KNOW, "Unknown.")


def _liking(rng: random.Random, split: str) -> Turn:
    thing = rng.choice(tables.THINGS_TO_LIKE)
    asked = dressed(tables.ASK_LIKING.pick(rng, split).format(thing), rng, split, share=0.15)
    return Turn(asked, f"Many people like {thing}, but I have no feelings.")


def _own_favourite(rng: random.Random, split: str) -> Turn:
    thing = rng.choice(tables.KINDS_OF_FAVOURITES)
    asked = dressed(tables.ASK_OWN_FAVOURITE.pick(rng, split).format(thing), rng, split, share=0.15)
    return Turn(asked, f"I have no favourite {thing}. What is yours?", "None.")


def _self(rng: random.Random, split: str) -> Turn:
    chosen = rng.choice(SELF)
    return Turn(dressed(chosen.asks.pick(rng, split), rng, split, share=0.15), chosen.answer)


def _general(rng: random.Random, split: str) -> Turn:
    answer, short, table = rng.choice(tables.GENERAL)
    return Turn(dressed(table.pick(rng, split), rng, split, share=0.2), answer, short)


def _capital(rng: random.Random, split: str) -> Turn:
    country, capital = rng.choice(tables.CAPITALS)
    asked = dressed(tables.ASK_CAPITAL.pick(rng, split).format(country), rng, split, share=0.2)
    return Turn(asked, f"The capital of {country} is {capital}.", f"{capital}.")


def _country(rng: random.Random, split: str) -> Turn:
    country, capital = rng.choice(tables.CAPITALS)
    asked = dressed(tables.ASK_COUNTRY.pick(rng, split).format(capital), rng, split, share=0.2)
    return Turn(asked, f"{capital} is the capital of {country}.", f"{upper_first(country)}.")


def _opposite(rng: random.Random, split: str) -> Turn:
    pair = list(rng.choice(tables.OPPOSITES))
    rng.shuffle(pair)
    asked = dressed(tables.ASK_OPPOSITE.pick(rng, split).format(pair[0]), rng, split, share=0.2)
    return Turn(asked, f"The opposite of {pair[0]} is {pair[1]}.", f"{upper_first(pair[1])}.")


def _neighbour(kind: str, names: Sequence[str]) -> Scene:
    """The day or month after or before another one."""

    def scene(rng: random.Random, split: str) -> Turn:
        index, (side, step) = rng.randrange(len(names)), rng.choice((("after", 1), ("before", -1)))
        name, found = names[index], names[(index + step) % len(names)]
        table = tables.ASK_AFTER if step > 0 else tables.ASK_BEFORE
        asked = dressed(table.pick(rng, split).format(kind=kind, name=name), rng, split, share=0.2)
        return Turn(asked, f"The {kind} {side} {name} is {found}.", f"{found}.")

    return scene


def _colour(rng: random.Random, split: str) -> Turn:
    thing, colour = rng.choice(tables.COLOURS_OF_THINGS)
    asked = dressed(tables.ASK_COLOUR.pick(rng, split).format(thing), rng, split, share=0.2)
    return Turn(asked, upper_first(f"{thing} is {colour}."), f"{upper_first(colour)}.")


def _plural(rng: random.Random, split: str) -> Turn:
    one, many = rng.choice(tables.PLURALS)
    asked = dressed(tables.ASK_PLURAL.pick(rng, split).format(one), rng, split, share=0.2)
    return Turn(asked, f"The plural of {one} is {many}.", f"{upper_first(many)}.")


def _sound(rng: random.Random, split: str) -> Turn:
    animal, sound = rng.choice(tables.SOUNDS)
    asked = dressed(tables.ASK_SOUND.pick(rng, split).format(animal), rng, split, share=0.2)
    return Turn(asked, upper_first(f"{animal} says {sound}."), f"{upper_first(sound)}.")


def _claim(rng: random.Random, split: str) -> Turn:
    claim, correct = rng.choice(tables.CLAIMS)
    asked = upper_first(tables.ASK_CLAIM.pick(rng, split).format(claim))
    short = "Yes" if claim == correct else "No"
    return Turn(dressed(asked, rng, split, share=0.15), f"{short}, {correct}.", f"{short}.")


def _spelling(rng: random.Random, split: str) -> Turn:
    word = rng.choice(tables.SHORT_WORDS) if rng.random() < 0.6 else tables.made_up_name(rng).lower()
    letters = "-".join(word)
    asked = dressed(tables.ASK_SPELLING.pick(rng, split), rng, split, share=0.15).format(word)
    return Turn(asked, f"{letters}.", f"{letters}.")


def _repetition(rng: random.Random, split: str) -> Turn:
    words = [rng.choice(tables.WORDS_TO_REPEAT) for _ in range(rng.randint(1, 5))]
    if rng.random() < 0.4:
        words[rng.randrange(len(words))] = tables.made_up_name(rng)
    text = " ".join(words)
    asked = careless(tables.ASK_REPETITION.pick(rng, split), rng).format(text)
    return Turn(asked, text, text)


def _counting(rng: random.Random, split: str) -> Turn:
    last = rng.randint(3, 10)
    asked = dressed(tables.ASK_COUNTING.pick(rng, split).format(last), rng, split, share=0.2)
    return Turn(asked, ", ".join(str(number) for number in range(1, last + 1)) + ".")


def _fact(rng: random.Random, split: str) -> Turn:
    chosen = rng.choice(FACTS)
    return Turn(dressed(chosen.asks.pick(rng, split), rng, split, share=0.2), chosen.answer)


NAME = tables.MEMORIES[0]

# Pairs, how one is asked for, and the answer.
SERIES = (
    (tables.CAPITALS, tables.ASK_CAPITAL, "The capital of {} is {}."),
    (tables.OPPOSITES, tables.ASK_OPPOSITE, "The opposite of {} is {}."),
    (tables.PLURALS, tables.ASK_PLURAL, "The plural of {} is {}."),
    (tables.COLOURS_OF_THINGS, tables.ASK_COLOUR, "{} is {}."),
)

SELF = tuple(chosen for chosen in FACTS if chosen.key in ("who", "abilities", "mistakes"))

SHORT_SCENES = (
    _general,
    _capital,
    _capital,
    _country,
    _opposite,
    _opposite,
    _neighbour("day", tables.DAYS),
    _neighbour("month", tables.MONTHS),
    _colour,
    _colour,
    _plural,
    _plural,
    _sound,
    _claim,
)

SCENES = SHORT_SCENES + (
    _spelling,
    _repetition,
    _repetition,
    _counting,
    _greeting,
    _thanks,
    _how_are_you,
    _human,
    _compliment,
    _insult,
    _agreement,
    _joke,
    _feeling,
    _feeling,
    _lookup,
    _lookup,
    _unknown,
    _liking,
    _own_favourite,
    _self,
    _fact,
    _fact,
    _general,
)
