"""Sums and small arithmetic with numbers from 0 to 999: chats, questions to evaluate with, and drills.

Held out are phrasings of every kind, and for additions and subtractions also a tenth of all pairs of operands: training
meets neither, whichever form the sum takes. An answer to a sum always restates it, as in `17 + 25 = 42.`
"""

import random
from typing import Iterator

from .dialog import HELD_OUT, Conversation, Question, user
from .framing import asked, chat, of_split, two_names

ADDITIONS = (
    "What is {a} + {b}?",
    "{a} + {b}",
    "{a} plus {b}?",
    "Add {a} and {b}.",
    "How much is {a} + {b}?",
    "Tell me what {a} + {b} is.",
    "What is {a} plus {b}?",
    "{a}+{b}=",
    "How much is {a} and {b} together?",
    "What is the sum of {a} and {b}?",
    "Compute {a} + {b}.",
    "What does {a} plus {b} equal?",
    "Calculate {a} + {b}.",
    "{a} + {b} = ?",
    "{a}+{b}",
    "How much is {a} plus {b}?",
    "Sum of {a} and {b}?",
    "Please work out {a} + {b}.",
    "What do {a} and {b} make?",
    "Can you add {a} and {b}?",
    "What do you get if you add {a} and {b}?",
    "{a} + {b}?",
    "Please add {b} to {a}.",
    "Please add the numbers {a} and {b}.",
    "Give me the sum of {a} and {b}.",
    "What is the total of {a} and {b}?",
    "{a} and {b} together?",
    "Add {b} to {a}.",
    "Solve {a} + {b}.",
    "Could you tell me the sum of {a} and {b}?",
    "What's {a} + {b}?",
    "What's {a} plus {b}?",
    "What is {a}+{b}?",
    "How many are {a} and {b}?",
    "Work out {a} plus {b}.",
    "Do you know how much {a} + {b} is?",
    "I need the sum of {a} and {b}.",
    "Can you compute {a} + {b}?",
    "Compute {a}+{b}",
    "Please calculate {a} plus {b}.",
    "Do you know what {a} + {b} is?",
    "I have to add {a} and {b}. What is the sum?",
    "Tell me {a} plus {b}.",
    "How much do {a} and {b} make together?",
    "The sum of {a} and {b}, please.",
    "What is {b} added to {a}?",
    "If I add {a} and {b}, what do I get?",
    "What is the result if I add {b} to {a}?",
    "What is the result of {a} + {b}?",
    "{a} plus {b} equals what?",
    "{a} plus {b} is how much?",
    "What does {a} + {b} make?",
    "Which number is {a} + {b}?",
    "Which number do I get for {a} plus {b}?",
    "Find the sum of {a} and {b}.",
    "Could you add {a} and {b}, please?",
    "I want to know {a} + {b}.",
    "Add these numbers: {a}, {b}.",
    "Sum up {a} and {b}.",
    "Sum up these two numbers: {a} and {b}.",
    "What is {a} and {b}?",
    "Can you tell me what {a} plus {b} is?",
    "Let us add: {a} + {b}.",
    "{a} plus {b}, please.",
    "Take {a} and add {b}.",
    "Start with {a} and add {b}. What is the result?",
    "What is {b} more than {a}?",
    "Which number is {b} more than {a}?",
    "Math: {a} + {b}",
    "How much is the sum of {a} and {b}?",
    "Can you do {a} + {b}?",
    "Can you do this sum: {a} + {b}?",
    "Increase {a} by {b}.",
    "Help me with {a} + {b}.",
    "My homework says {a} + {b}. What is it?",
    "Total of {a} and {b}?",
    "Put {a} and {b} together. How much is it?",
    "For my homework: how much is {a} plus {b}?",
    "{a} and {b} make?",
    "Add up {a} and {b}.",
    "Please sum {a} and {b}.",
    "What number is {a} plus {b}?",
    "Solve this: {a}+{b}=?",
    "Solve this sum for me: {a} + {b}.",
)

SUBTRACTIONS = (
    "What is {a} - {b}?",
    "{a} - {b}",
    "{a} minus {b}?",
    "Subtract {b} from {a}.",
    "How much is {a} - {b}?",
    "Tell me what {a} - {b} is.",
    "What is {a} minus {b}?",
    "{a}-{b}=",
    "Take {b} away from {a}.",
    "What is the difference between {a} and {b}?",
    "Compute {a} - {b}.",
    "What does {a} minus {b} equal?",
    "Calculate {a} - {b}.",
    "{a} - {b} = ?",
    "{a}-{b}",
    "How much is {a} minus {b}?",
    "What is {a} take away {b}?",
    "Please work out {a} - {b}.",
    "Can you subtract {b} from {a}?",
    "What do you get if you subtract {b} from {a}?",
    "{a} - {b}?",
    "What's {a} - {b}?",
    "Work out {a} minus {b}.",
    "Can you tell me what {a} minus {b} is?",
    "What's {a} minus {b}?",
    "What is {b} less than {a}?",
    "Solve {a} - {b}.",
    "What is left if I take {b} from {a}?",
    "{a} take away {b}?",
    "What is left if you take {b} away from {a}?",
    "Can you compute {a} - {b}?",
    "Difference between {a} and {b}?",
    "What is the result of {a} - {b}?",
    "{a} minus {b}, please.",
    "Start with {a} and subtract {b}.",
    "Do you know how much {a} - {b} is?",
    "Please calculate {a} minus {b}.",
    "Tell me {a} minus {b}.",
    "How much more is {a} than {b}?",
    "If I subtract {b} from {a}, what do I get?",
    "Please subtract {b} from {a}.",
    "What is the result if I subtract {b} from {a}?",
    "Decrease {a} by {b}.",
    "{a} minus {b} is how much?",
    "Which number is {b} less than {a}?",
    "Math: {a} - {b}",
    "Help me with {a} - {b}.",
    "Please help me subtract {b} from {a}.",
    "I want to know {a} - {b}.",
    "Give me the difference between {a} and {b}.",
    "What is {a}-{b}?",
    "What remains of {a} if I take away {b}?",
    "Find {a} minus {b}.",
    "Which number do I get for {a} minus {b}?",
)

MULTIPLICATIONS = (
    "What is {a} x {b}?",
    "What is {a} times {b}?",
    "{a} x {b}",
    "{a} * {b}",
    "Multiply {a} by {b}.",
    "Tell me what {a} times {b} is.",
    "How much is {a} x {b}?",
    "{a} times {b}?",
    "How much is {a} times {b}?",
    "What is {a} * {b}?",
    "Compute {a} x {b}.",
    "Can you multiply {a} and {b}?",
    "What is the product of {a} and {b}?",
    "Multiply {a} and {b}.",
    "Calculate {a} * {b}.",
    "{a}*{b}=",
    "{a} x {b} = ?",
    "What do you get if you multiply {a} by {b}?",
    "Product of {a} and {b}?",
    "Please multiply {a} by {b}.",
    "What does {a} times {b} make?",
    "Solve {a} x {b}.",
    "What's {a} times {b}?",
    "Give me the product of {a} and {b}.",
)

LARGER = (
    "Which is larger, {a} or {b}?",
    "Which number is larger, {a} or {b}?",
    "Which is bigger: {a} or {b}?",
    "What is more, {a} or {b}?",
    "Is {a} larger than {b}?",
    "Which is the larger number, {a} or {b}?",
    "Is {a} bigger than {b}?",
    "Compare {a} and {b}.",
    "Which of {a} and {b} is larger?",
    "Is {a} more than {b}?",
    "Which is greater, {a} or {b}?",
    "Tell me which is bigger, {a} or {b}.",
    "What is the maximum of {a} and {b}?",
)

SMALLER = (
    "Which is smaller, {a} or {b}?",
    "Which number is smaller, {a} or {b}?",
    "What is less, {a} or {b}?",
    "Is {a} smaller than {b}?",
    "Is {a} less than {b}?",
    "Which is the smaller number, {a} or {b}?",
    "What is the minimum of {a} and {b}?",
    "Which of {a} and {b} is smaller?",
)

DOUBLES = (
    "What is the double of {a}?",
    "Double {a}.",
    "What is twice {a}?",
    "How much is two times {a}?",
    "What is double {a}?",
    "Can you double {a}?",
    "Twice {a}?",
)

HALVES = (
    "What is half of {a}?",
    "Half of {a}?",
    "Halve {a}.",
    "How much is half of {a}?",
    "What is {a} / 2?",
    "Can you tell me half of {a}?",
    "What is {a} divided by 2?",
    "Divide {a} by 2.",
)

NEXT = (
    "Which number comes after {a}?",
    "What comes after {a}?",
    "What is the next number after {a}?",
    "Next number after {a}?",
    "Which number follows {a}?",
    "Tell me the number after {a}.",
    "After {a} comes which number?",
)

PREVIOUS = (
    "Which number comes before {a}?",
    "What comes before {a}?",
    "What is the previous number before {a}?",
    "Previous number before {a}?",
    "Which number is just before {a}?",
    "Tell me the number before {a}.",
    "Before {a} comes which number?",
)

COUNTS = (
    "Count from {a} to {b}.",
    "Can you count from {a} to {b}?",
    "Please count from {a} to {b}.",
    "Count {a} to {b}.",
    "List the numbers from {a} to {b}.",
    "Could you count for me from {a} to {b}?",
    "Which numbers are there from {a} to {b}?",
    "Write the numbers from {a} to {b}.",
)

COUNTS_DOWN = (
    "Count down from {a} to {b}.",
    "Can you count down from {a} to {b}?",
    "Count backwards from {a} to {b}.",
    "Please count down from {a} to {b}.",
    "Start at {a} and count down to {b}.",
    "Could you count backwards from {a} to {b}?",
)

THREES = (
    "What is {a} + {b} + {c}?",
    "{a} + {b} + {c}",
    "Add {a}, {b} and {c}.",
    "What is the sum of {a}, {b} and {c}?",
    "How much is {a} plus {b} plus {c}?",
    "Tell me the sum of {a}, {b} and {c}.",
    "{a}+{b}+{c}=",
    "Compute {a} + {b} + {c}.",
    "How much is {a}, {b} and {c} together?",
    "{a} plus {b} plus {c}?",
    "Sum up {a}, {b} and {c}.",
    "Can you add {a}, {b} and {c}?",
)

AND_ADD = (
    "And plus {b}?",
    "Now add {b}.",
    "Add {b} to that.",
    "Plus {b}?",
    "And {b} more?",
    "Now add {b} to the result.",
    "And if I add {b}?",
    "+ {b}",
)

AND_SUBTRACT = (
    "And minus {b}?",
    "Now subtract {b}.",
    "Subtract {b} from that.",
    "Minus {b}?",
    "And {b} less?",
    "Now subtract {b} from the result.",
    "Take away {b}.",
    "- {b}",
)

THINGS = (
    ("apple", "apples"),
    ("pear", "pears"),
    ("coin", "coins"),
    ("book", "books"),
    ("egg", "eggs"),
    ("stone", "stones"),
    ("card", "cards"),
    ("ball", "balls"),
    ("flower", "flowers"),
    ("shell", "shells"),
    ("nut", "nuts"),
    ("pencil", "pencils"),
    ("stamp", "stamps"),
    ("cup", "cups"),
    ("cake", "cakes"),
    ("toy", "toys"),
    ("letter", "letters"),
    ("box", "boxes"),
    ("button", "buttons"),
    ("lemon", "lemons"),
    ("cookie", "cookies"),
    ("ticket", "tickets"),
)

# Each is a problem and the sentence that its answer ends with; {A}, {B} and {R} are numbers with their things.
ADDING_PROBLEMS = (
    ("{n} has {A} and gets {b} more. How many {s} does {n} have now?", "{n} has {R}."),
    ("{n} has {A} and buys {b} more. How many {s} does {n} have?", "{n} has {R}."),
    ("{n} has {A}. {m} gives {n} {b} more. How many {s} does {n} have now?", "{n} has {R}."),
    ("There are {A} in one basket and {B} in another. How many {s} are there?", "There are {R}."),
    ("{n} finds {A} in the morning and {B} in the evening. How many {s} is that?", "That is {R}."),
    ("{n} owns {A}. Then {n} finds {b} more. How many {s} does {n} have now?", "{n} has {R}."),
    ("{n} has {A} and {m} has {B}. How many {s} do they have together?", "Together they have {R}."),
    ("{n} reads {a} pages today and {b} pages tomorrow. How many pages is that?", "That is {P}."),
    ("{n} walks for {a} minutes and runs for {b} minutes. How many minutes is that?", "That is {T}."),
    ("I have {A} and I get {b} more. How many {s} do I have?", "You have {R}."),
    ("A box holds {A}. {n} puts in {b} more. How many {s} are in the box?", "There are {R} in the box."),
    ("{n} has {A}. {m} has {B}. How many {s} is that in total?", "That is {R}."),
    ("{n} pays {a} coins for bread and {b} coins for milk. How many coins is that?", "That is {C}."),
    ("A bus has {a} people. {b} more get on. How many people are on the bus?", "There are {Q} on the bus."),
    ("I had {A} and found {b} more. How many {s} do I have now?", "You have {R}."),
    ("There are {A} on the table and {B} on the floor. How many {s} are there in total?", "There are {R}."),
    ("{n} waits {a} minutes and then {b} minutes more. How many minutes is that?", "That is {T}."),
    ("{n} picks {A} and {m} picks {B}. How many {s} do they have in total?", "Together they have {R}."),
)

SUBTRACTING_PROBLEMS = (
    ("{n} has {A} and gives away {b}. How many {s} does {n} have left?", "{n} has {R} left."),
    ("{n} has {A} and loses {b}. How many {s} are left?", "{n} has {R} left."),
    ("{n} had {A} and sold {b}. How many {s} does {n} have left?", "{n} has {R} left."),
    ("There are {A} in a box. {n} takes {b}. How many {s} are left?", "There are {R} left."),
    ("A book has {a} pages. {n} has read {b}. How many pages are left?", "There are {P} left."),
    ("{n} owns {A} but {b} are lost. How many {s} does {n} have left?", "{n} has {R} left."),
    ("{n} has {a} coins and spends {b}. How many coins are left?", "{n} has {C} left."),
    ("I have {A} and I give away {b}. How many {s} do I have left?", "You have {R} left."),
    ("A trip takes {a} minutes. {b} minutes are over. How many minutes are left?", "There are {T} left."),
    ("A bus has {a} people. {b} get off. How many people are on the bus?", "There are {Q} on the bus."),
    ("{n} has {A}. {m} takes {b} of them. How many {s} does {n} have now?", "{n} has {R} left."),
    ("There were {A} on the table. {n} took {b}. How many {s} remain?", "There are {R} left."),
)

HEADINGS = {
    "mixed": ("Sums", "Some sums", "Arithmetic", "Numbers", "Exercises with answers", "Sums and differences"),
    "carry": ("Adding with a carry", "Additions with a carry", "Adding two numbers"),
    "plus": ("Adding {n}", "Plus {n}", "We add {n}"),
    "minus": ("Subtracting {n}", "Minus {n}", "We subtract {n}"),
    "times": ("Multiplying", "Products", "Times tables"),
}

KINDS = (
    ("addition", 40),
    ("subtraction", 20),
    ("problem", 14),
    ("multiplication", 8),
    ("comparison", 7),
    ("doubling", 4),
    ("neighbour", 4),
    ("counting", 3),
    ("three", 5),
)


def held_out_pair(a: int, b: int) -> bool:
    """Whether training must not add these two, in either order, nor subtract the one from the other.

    The prime keeps the choice independent of the last digits: each pair of digits stays in training.
    """
    low, high = min(a, b), max(a, b)
    return (low * 31 + high * 17 + low * high) % 101 % 10 == 3


def operand(rng: random.Random) -> int:
    """A number from 0 to 999: of two digits or fewer as often as of three."""
    roll = rng.random()
    if roll < 0.1:
        return rng.randint(0, 10)
    if roll < 0.2:
        return rng.randint(0, 30)
    return rng.randint(0, 100) if roll < 0.45 else rng.randint(100, 999)


def carries(a: int, b: int) -> bool:
    return a % 10 + b % 10 >= 10


def pair(rng: random.Random, split: str) -> tuple[int, int]:
    """Two numbers that may be added in a split; sums with a carry are somewhat more frequent than by chance."""
    wants_carry = rng.random() < 0.25
    while True:
        a, b = operand(rng), operand(rng)
        if held_out_pair(a, b) == (split == HELD_OUT) and (carries(a, b) or not wants_carry):
            return a, b


def ordered_pair(rng: random.Random, split: str) -> tuple[int, int]:
    """Two numbers that may be subtracted in a split, the larger one first."""
    a, b = pair(rng, split)
    return max(a, b), min(a, b)


def plus(a: int, b: int) -> str:
    return f"{a} + {b} = {a + b}"


def minus(a: int, b: int) -> str:
    return f"{a} - {b} = {a - b}"


def times(a: int, b: int) -> str:
    return f"{a} x {b} = {a * b}"


def counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def phrase(table, rng: random.Random, split: str, **values) -> str:
    return asked(rng.choice(of_split(table, split)).format(**values), rng)


def addition(rng, split):
    a, b = pair(rng, split)
    return phrase(ADDITIONS, rng, split, a=a, b=b), plus(a, b) + "."


def subtraction(rng, split):
    a, b = ordered_pair(rng, split)
    return phrase(SUBTRACTIONS, rng, split, a=a, b=b), minus(a, b) + "."


def multiplication(rng, split):
    a, b = rng.randint(0, 10), rng.randint(0, 10)
    return phrase(MULTIPLICATIONS, rng, split, a=a, b=b), times(a, b) + "."


def comparison(rng, split):
    most = 100 if rng.random() < 0.6 else 999
    a, b = rng.randint(0, most), rng.randint(0, most)
    if rng.random() < 0.3:
        b = max(0, min(most, a + rng.randint(-9, 9)))
    low, high = min(a, b), max(a, b)
    if rng.random() < 0.65:
        table, answer = LARGER, f"{high} is larger than {low}."
    else:
        table, answer = SMALLER, f"{low} is smaller than {high}."
    return phrase(table, rng, split, a=a, b=b), f"{a} and {b} are equal." if a == b else answer


def doubling(rng, split):
    number = rng.randint(0, 50)
    while held_out_pair(number, number) != (split == HELD_OUT):
        number = rng.randint(0, 50)
    if rng.random() < 0.5:
        return phrase(DOUBLES, rng, split, a=number), times(2, number) + "."
    return phrase(HALVES, rng, split, a=2 * number), f"{2 * number} / 2 = {number}."


def neighbour(rng, split):
    number = rng.randint(1, 100 if rng.random() < 0.7 else 999)
    if rng.random() < 0.6:
        return phrase(NEXT, rng, split, a=number), f"{number + 1} comes after {number}."
    return phrase(PREVIOUS, rng, split, a=number), f"{number - 1} comes before {number}."


def counting(rng, split):
    start = rng.choice((0, 1, 1, 1, rng.randint(0, 90)))
    end = start + rng.randint(3, 12)
    numbers = [str(number) for number in range(start, end + 1)]
    if rng.random() < 0.7:
        return phrase(COUNTS, rng, split, a=start, b=end), ", ".join(numbers) + "."
    return phrase(COUNTS_DOWN, rng, split, a=end, b=start), ", ".join(reversed(numbers)) + "."


def three(rng, split):
    """Adds the first two and then the third; training meets no pair among these that is held out."""
    while True:
        a, b, c = rng.randint(0, 40), rng.randint(0, 30), rng.randint(0, 20)
        held = held_out_pair(a, b) and held_out_pair(a + b, c)
        met = any(held_out_pair(*two) for two in ((a, b), (b, c), (a, c), (a + b, c)))
        if held if split == HELD_OUT else not met:
            break
    return phrase(THREES, rng, split, a=a, b=b, c=c), f"{plus(a, b)}, {plus(a + b, c)}."


def problem(rng, split):
    """A sum told as a short story, with numbers above 1 so that the nouns are right."""
    adds = rng.random() < 0.6
    while True:
        a, b = pair(rng, split) if adds else ordered_pair(rng, split)
        if a > 1 and b > 1:
            break
    result = a + b if adds else a - b
    one, many = rng.choice(THINGS)
    first, second = two_names(rng)
    text, end = rng.choice(of_split(ADDING_PROBLEMS if adds else SUBTRACTING_PROBLEMS, split))
    values = {
        "a": a,
        "b": b,
        "n": first,
        "m": second,
        "s": many,
        "A": counted(a, one, many),
        "B": counted(b, one, many),
        "R": counted(result, one, many),
        "P": counted(result, "page", "pages"),
        "T": counted(result, "minute", "minutes"),
        "C": counted(result, "coin", "coins"),
        "Q": counted(result, "person", "people"),
    }
    end = end.format(**values)
    if result == 1:
        end = end.replace("There are 1 ", "There is 1 ")
    return asked(text.format(**values), rng), f"{(plus if adds else minus)(a, b)}. {end}"


TURNS = {
    "addition": addition,
    "subtraction": subtraction,
    "problem": problem,
    "multiplication": multiplication,
    "comparison": comparison,
    "doubling": doubling,
    "neighbour": neighbour,
    "counting": counting,
    "three": three,
}


def chain(rng, split) -> list[tuple[str, str]]:
    """An addition, and turns that go on from its result."""
    a, b = pair(rng, split)
    turns = [(phrase(ADDITIONS, rng, split, a=a, b=b), plus(a, b) + ".")]
    value = a + b
    for _ in range(rng.randint(1, 3)):
        adds = rng.random() < 0.6 and value < 900
        step = rng.randint(0, 40 if adds else min(40, value))
        if held_out_pair(value, step) != (split == HELD_OUT):
            continue
        table, shown = (AND_ADD, plus(value, step)) if adds else (AND_SUBTRACT, minus(value, step))
        turns.append((phrase(table, rng, split, b=step), shown + "."))
        value += step if adds else -step
    return turns


def conversations(rng: random.Random, split: str) -> Iterator[Conversation]:
    """Chats of one to six turns of arithmetic."""
    kinds = [kind for kind, _ in KINDS]
    weights = [weight for _, weight in KINDS]
    while True:
        if rng.random() < 0.08:
            yield chat(chain(rng, split), rng)
        else:
            chosen = rng.choices(kinds, weights, k=rng.randint(1, 6))
            yield chat([TURNS[kind](rng, split) for kind in chosen], rng)


def questions(rng: random.Random) -> Iterator[Question]:
    """Additions and subtractions of operands and in phrasings that are both held out.

    None has an operand as its result, which an answer would hold by restating the question.
    """
    while True:
        if rng.random() < 0.75:
            a, b = pair(rng, HELD_OUT)
            text, result = phrase(ADDITIONS, rng, HELD_OUT, a=a, b=b), a + b
        else:
            a, b = ordered_pair(rng, HELD_OUT)
            text, result = phrase(SUBTRACTIONS, rng, HELD_OUT, a=a, b=b), a - b
        if result not in (a, b):
            yield Question("sum", [user(text)], [[str(result)]])


def mixed_line(rng, split) -> str:
    roll = rng.random()
    if roll < 0.6 or split == HELD_OUT and roll < 0.7:
        return plus(*pair(rng, split))
    if roll < 0.85 or split == HELD_OUT:
        return minus(*ordered_pair(rng, split))
    if roll < 0.95:
        return times(rng.randint(0, 10), rng.randint(0, 10))
    return doubling(rng, split)[1][:-1]


def carry_line(rng, split) -> str:
    while True:
        a, b = pair(rng, split)
        if carries(a, b):
            return plus(a, b)


def partners(number: int, rng, split, count: int) -> list[int]:
    """Different numbers in rising or any order that a split may add to `number`."""
    most = 101 if rng.random() < 0.4 else 1000
    found = [other for other in range(most) if held_out_pair(number, other) == (split == HELD_OUT)]
    chosen = rng.sample(found, min(count, len(found)))
    return sorted(chosen) if rng.random() < 0.4 else chosen


def drill(rng, split) -> str:
    """One document of sums; the kind of its lines is the same throughout."""
    count = rng.randint(20, 40)
    roll = rng.random()
    number = rng.randint(1, 100 if rng.random() < 0.5 else 999)
    if roll < 0.5:
        kind, lines = "mixed", [mixed_line(rng, split) for _ in range(count)]
    elif roll < 0.72:
        kind, lines = "carry", [carry_line(rng, split) for _ in range(count)]
    elif roll < 0.84:
        kind, lines = "plus", [plus(other, number) for other in partners(number, rng, split, count)]
    elif roll < 0.95 or split == HELD_OUT:
        others = partners(number, rng, split, count)
        kind, lines = "minus", [minus(max(other, number), min(other, number)) for other in others]
    else:
        kind, lines = "times", [times(rng.randint(0, 10), rng.randint(0, 10)) for _ in range(count)]
    if rng.random() < 0.4:
        lines.insert(0, rng.choice(HEADINGS[kind]).format(n=number) + ":")
    return "\n".join(lines)


def drills(rng: random.Random, split: str) -> Iterator[str]:
    """Plain documents of 20 to 40 lines such as `17 + 25 = 42`."""
    while True:
        yield drill(rng, split)
