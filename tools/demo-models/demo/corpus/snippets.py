"""Chats and documents with JSON and with a little Python and Java.

Held out are phrasings, and the introductions of documents. Code comes in a fence; JSON comes alone.
"""

import json
import random
from dataclasses import dataclass
from string import Template
from typing import Iterator

from .dialog import Conversation, assistant, system, user
from .framing import asked, chat, name, of_split

CITIES = (
    "Bern Basel Paris London Rome Berlin Vienna Madrid Oslo Prague Dublin Geneva Lisbon Athens Cairo Tokyo Boston "
    "Milan Hamburg Munich Lyon Turin Seville Porto Delhi Lima Quito Havana Zurich Lucerne"
).split()
CITY_STARTS = "Al Bel Bran Cor Dun El Fal Gar Hol Kar Lan Mar Nor Os Pel Ros Sal Tor Ul Var Win Zel".split()
CITY_ENDS = "burg ton ville ford dorf stad bach berg mouth port field wick".split()

PETS = "cat dog hamster rabbit parrot turtle horse mouse fish goat".split()
GOODS = "lamp chair table book pen cup coat hat bag clock shoe bottle box ball apple bread".split()
COLOURS = "red blue green yellow black white brown grey".split()
JOBS = "teacher doctor baker farmer cook driver painter nurse pilot judge singer gardener".split()


@dataclass(frozen=True)
class Record:
    """A kind of JSON object: what a request calls it, a sentence that holds all its values, its keys in order."""

    what: str
    request: str
    sentence: str
    keys: tuple[str, ...]


RECORDS = (
    Record(
        "person",
        "named {name} aged {age} in {city}",
        "{name} is {age} years old and lives in {city}.",
        ("name", "age", "city"),
    ),
    Record("person", "named {name} aged {age}", "{name} is {age} years old.", ("name", "age")),
    Record("person", "named {name} from {city}", "{name} comes from {city}.", ("name", "city")),
    Record("person", "named {name} who works as a {job}", "{name} works as a {job}.", ("name", "job")),
    Record(
        "pet", "named {name}, a {kind} aged {age}", "{name} is a {kind} and {age} years old.", ("name", "kind", "age")
    ),
    Record("product", "named {item} with price {price}", "The {item} costs {price} francs.", ("item", "price")),
    Record(
        "product",
        "named {item} in {colour} with price {price}",
        "The {colour} {item} costs {price}.",
        ("item", "colour", "price"),
    ),
    Record(
        "order", "of {count} times {item} for {name}", "{name} orders {count} times {item}.", ("name", "item", "count")
    ),
    Record(
        "meeting",
        "with {name} in {city} at {hour} o'clock",
        "I meet {name} in {city} at {hour} o'clock.",
        ("name", "city", "hour"),
    ),
    Record("trip", "from {from} to {to}", "We travel from {from} to {to}.", ("from", "to")),
)

WRITE_JSON = (
    "Write a JSON object for a {w} {r}.",
    "Give me a JSON object for a {w} {r}.",
    "Write JSON for a {w} {r}.",
    "Make a JSON object of a {w} {r}.",
    "Show me a {w} {r} as JSON.",
    "Please write a {w} {r} as a JSON object.",
    "JSON for a {w} {r}, please.",
    "I need JSON for a {w} {r}.",
    "Can you write a JSON object for a {w} {r}?",
    "Create a JSON object for a {w} {r}.",
    "A {w} {r} in JSON, please.",
    "Could you give me JSON for a {w} {r}?",
)
EXTRACT_JSON = (
    "{s} Write this as JSON with the keys {k}.",
    "{s} Give me {k} as JSON.",
    "Extract {k} as JSON: {s}",
    "Turn this into JSON with {k}: {s}",
    "Make JSON with {k} of this sentence: {s}",
    "{s} Please extract {k} as a JSON object.",
    "Extract JSON with the keys {k} from this text: {s}",
    "{s} Extract the {k} as JSON.",
    "Find {k} and answer in JSON: {s}",
    "{s} Put {k} into JSON.",
    "Write {k} as JSON: {s}",
    "Can you find {k} in this sentence and give me JSON? {s}",
)
JSON_ONLY = (
    " JSON only.",
    " Answer with JSON only.",
    " Only JSON, please.",
    " Only the JSON.",
    " Give me JSON and nothing else.",
    " Just JSON, nothing more.",
)
JSON_SYSTEMS = (
    "Answer with JSON only.",
    "You answer with JSON only.",
    "Write JSON only, and nothing else.",
    "Your answers are plain JSON.",
    "Only JSON.",
    "Reply with nothing but JSON.",
)
WRITE_ARRAY = (
    "Write a JSON list of {x}.",
    "Give me {x} as a JSON list.",
    "Make a JSON list of {x}.",
    "Write {x} as a JSON array.",
    "JSON array of {x}, please.",
    "Could you write a JSON array with {x}?",
)


@dataclass(frozen=True)
class Task:
    """A piece of code in both languages: `$f` is its name, `$a` and `$b` are its variables."""

    does: tuple[str, ...]
    names: tuple[str, ...]
    variables: str
    python: str
    java: str
    explained: str


VARIABLES = {
    "two": (("a", "b"), ("x", "y"), ("first", "second"), ("left", "right"), ("m", "n")),
    "one": (("n", ""), ("x", ""), ("number", ""), ("value", "")),
    "list": (("numbers", "number"), ("values", "value"), ("items", "item"), ("xs", "x")),
    "text": (("text", ""), ("word", ""), ("s", ""), ("line", "")),
    "words": (("words", "word"), ("names", "name"), ("lines", "line")),
}

FUNCTIONS = (
    Task(
        ("adds two numbers", "returns the sum of two numbers"),
        ("add", "add_numbers", "sum_of_two", "plus"),
        "two",
        "def $f($a, $b):\n    return $a + $b",
        "static int $f(int $a, int $b) {\n    return $a + $b;\n}",
        "It adds two numbers and returns the sum.",
    ),
    Task(
        ("subtracts two numbers", "returns the difference of two numbers"),
        ("subtract", "difference", "minus"),
        "two",
        "def $f($a, $b):\n    return $a - $b",
        "static int $f(int $a, int $b) {\n    return $a - $b;\n}",
        "It subtracts the second number from the first.",
    ),
    Task(
        ("multiplies two numbers", "returns the product of two numbers"),
        ("multiply", "product", "times"),
        "two",
        "def $f($a, $b):\n    return $a * $b",
        "static int $f(int $a, int $b) {\n    return $a * $b;\n}",
        "It multiplies two numbers.",
    ),
    Task(
        ("returns the larger of two numbers", "finds the larger of two numbers"),
        ("larger", "max_of_two", "bigger"),
        "two",
        "def $f($a, $b):\n    if $a > $b:\n        return $a\n    return $b",
        "static int $f(int $a, int $b) {\n    if ($a > $b) {\n        return $a;\n    }\n    return $b;\n}",
        "It returns the larger of two numbers.",
    ),
    Task(
        ("squares a number", "returns the square of a number"),
        ("square", "squared", "square_of"),
        "one",
        "def $f($a):\n    return $a * $a",
        "static int $f(int $a) {\n    return $a * $a;\n}",
        "It multiplies a number by itself.",
    ),
    Task(
        ("doubles a number", "returns twice a number"),
        ("double_it", "twice", "two_times"),
        "one",
        "def $f($a):\n    return 2 * $a",
        "static int $f(int $a) {\n    return 2 * $a;\n}",
        "It returns twice the number.",
    ),
    Task(
        ("checks if a number is even", "tells if a number is even"),
        ("is_even", "even", "check_even"),
        "one",
        "def $f($a):\n    return $a % 2 == 0",
        "static boolean $f(int $a) {\n    return $a % 2 == 0;\n}",
        "It checks if a number is even.",
    ),
    Task(
        ("checks if a number is odd", "tells if a number is odd"),
        ("is_odd", "odd", "check_odd"),
        "one",
        "def $f($a):\n    return $a % 2 == 1",
        "static boolean $f(int $a) {\n    return $a % 2 == 1;\n}",
        "It checks if a number is odd.",
    ),
    Task(
        ("returns the absolute value of a number", "removes the sign of a number"),
        ("absolute", "abs_value", "without_sign"),
        "one",
        "def $f($a):\n    return -$a if $a < 0 else $a",
        "static int $f(int $a) {\n    return $a < 0 ? -$a : $a;\n}",
        "It returns the number without its sign.",
    ),
    Task(
        ("computes the factorial", "returns the factorial of a number"),
        ("factorial", "fact", "factorial_of"),
        "one",
        "def $f($a):\n    result = 1\n    for i in range(2, $a + 1):\n        result *= i\n    return result",
        "static long $f(int $a) {\n    long result = 1;\n    for (int i = 2; i <= $a; i++) {\n"
        "        result *= i;\n    }\n"
        "    return result;\n}",
        "It multiplies all numbers from 1 up to the given number.",
    ),
    Task(
        ("computes a Fibonacci number", "returns the Fibonacci number at a place"),
        ("fibonacci", "fib"),
        "one",
        "def $f($a):\n    if $a < 2:\n        return $a\n    return $f($a - 1) + $f($a - 2)",
        "static int $f(int $a) {\n    if ($a < 2) {\n        return $a;\n    }\n    return $f($a - 1) + $f($a - 2);\n}",
        "It adds the two Fibonacci numbers before.",
    ),
    Task(
        ("finds the largest number in a list", "returns the maximum of a list"),
        ("largest", "maximum", "find_max"),
        "list",
        "def $f($a):\n    result = $a[0]\n    for $b in $a:\n        if $b > result:\n"
        "            result = $b\n    return result",
        "static int $f(int[] $a) {\n    int result = $a[0];\n    for (int $b : $a) {\n        if ($b > result) {\n"
        "            result = $b;\n        }\n    }\n    return result;\n}",
        "It finds the largest number of a list.",
    ),
    Task(
        ("finds the smallest number in a list", "returns the minimum of a list"),
        ("smallest", "minimum", "find_min"),
        "list",
        "def $f($a):\n    result = $a[0]\n    for $b in $a:\n        if $b < result:\n"
        "            result = $b\n    return result",
        "static int $f(int[] $a) {\n    int result = $a[0];\n    for (int $b : $a) {\n        if ($b < result) {\n"
        "            result = $b;\n        }\n    }\n    return result;\n}",
        "It finds the smallest number of a list.",
    ),
    Task(
        ("sums a list of numbers", "adds all numbers of a list"),
        ("total", "sum_list", "sum_all"),
        "list",
        "def $f($a):\n    result = 0\n    for $b in $a:\n        result += $b\n    return result",
        "static int $f(int[] $a) {\n    int result = 0;\n    for (int $b : $a) {\n        result += $b;\n    }\n"
        "    return result;\n}",
        "It adds all numbers of a list.",
    ),
    Task(
        ("computes the average of a list", "returns the mean of a list"),
        ("average", "mean", "average_of"),
        "list",
        "def $f($a):\n    return sum($a) / len($a)",
        "static double $f(int[] $a) {\n    int sum = 0;\n    for (int $b : $a) {\n        sum += $b;\n    }\n"
        "    return (double) sum / $a.length;\n}",
        "It divides the sum of the list by its length.",
    ),
    Task(
        ("counts the even numbers in a list", "returns how many numbers of a list are even"),
        ("count_even", "even_count"),
        "list",
        "def $f($a):\n    count = 0\n    for $b in $a:\n        if $b % 2 == 0:\n            count += 1\n"
        "    return count",
        "static int $f(int[] $a) {\n    int count = 0;\n    for (int $b : $a) {\n        if ($b % 2 == 0) {\n"
        "            count++;\n        }\n    }\n    return count;\n}",
        "It counts the even numbers of a list.",
    ),
    Task(
        ("returns the first element of a list", "gets the first element of a list"),
        ("first_of", "head", "get_first"),
        "list",
        "def $f($a):\n    return $a[0]",
        "static int $f(int[] $a) {\n    return $a[0];\n}",
        "It returns the first element of a list.",
    ),
    Task(
        ("returns the last element of a list", "gets the last element of a list"),
        ("last_of", "get_last"),
        "list",
        "def $f($a):\n    return $a[-1]",
        "static int $f(int[] $a) {\n    return $a[$a.length - 1];\n}",
        "It returns the last element of a list.",
    ),
    Task(
        ("reverses a string", "turns a string around"),
        ("reverse", "reversed_text", "turn_around"),
        "text",
        "def $f($a):\n    return $a[::-1]",
        "static String $f(String $a) {\n    return new StringBuilder($a).reverse().toString();\n}",
        "It turns the letters of a text around.",
    ),
    Task(
        ("counts the vowels in a string", "returns the number of vowels in a string"),
        ("count_vowels", "vowels", "vowel_count"),
        "text",
        'def $f($a):\n    count = 0\n    for c in $a.lower():\n        if c in "aeiou":\n'
        "            count += 1\n    return count",
        "static int $f(String $a) {\n    int count = 0;\n    for (char c : $a.toLowerCase().toCharArray()) {\n"
        '        if ("aeiou".indexOf(c) >= 0) {\n            count++;\n        }\n    }\n    return count;\n}',
        "It counts the vowels of a text.",
    ),
    Task(
        ("checks if a string is a palindrome", "tells if a string is a palindrome"),
        ("is_palindrome", "palindrome"),
        "text",
        "def $f($a):\n    return $a == $a[::-1]",
        "static boolean $f(String $a) {\n    return $a.equals(new StringBuilder($a).reverse().toString());\n}",
        "It checks if a text is the same when it is reversed.",
    ),
    Task(
        ("makes a string upper case", "turns a string into capital letters"),
        ("upper", "to_upper", "capitals"),
        "text",
        "def $f($a):\n    return $a.upper()",
        "static String $f(String $a) {\n    return $a.toUpperCase();\n}",
        "It turns all letters into capital letters.",
    ),
    Task(
        ("returns the length of a string", "gets the length of a string"),
        ("length", "length_of", "size"),
        "text",
        "def $f($a):\n    return len($a)",
        "static int $f(String $a) {\n    return $a.length();\n}",
        "It returns the length of a text.",
    ),
    Task(
        ("counts the words in a string", "returns the number of words in a string"),
        ("count_words", "word_count"),
        "text",
        "def $f($a):\n    return len($a.split())",
        'static int $f(String $a) {\n    return $a.split(" ").length;\n}',
        "It splits a text into words and counts them.",
    ),
    Task(
        ("joins words with commas", "joins a list of words with commas"),
        ("join_words", "with_commas", "join"),
        "words",
        'def $f($a):\n    return ", ".join($a)',
        'static String $f(List<String> $a) {\n    return String.join(", ", $a);\n}',
        "It joins words with commas.",
    ),
    Task(
        ("prints all words of a list", "prints a list of words"),
        ("print_all", "show_all", "print_words"),
        "words",
        "def $f($a):\n    for $b in $a:\n        print($b)",
        "static void $f(List<String> $a) {\n    for (String $b : $a) {\n        System.out.println($b);\n    }\n}",
        "It prints each word on a line.",
    ),
    Task(
        ("finds the longest word in a list", "returns the longest word of a list"),
        ("longest", "longest_word", "find_longest"),
        "words",
        'def $f($a):\n    result = ""\n    for $b in $a:\n        if len($b) > len(result):\n'
        "            result = $b\n    return result",
        'static String $f(List<String> $a) {\n    String result = "";\n    for (String $b : $a) {\n'
        "        if ($b.length() > result.length()) {\n            result = $b;\n        }\n    }\n"
        "    return result;\n}",
        "It finds the longest word of a list.",
    ),
)

# `$a` to `$b` are numbers here, `$t` is a text.
PROGRAMS = (
    Task(
        ("says hello to the world", "prints Hello, world"),
        ("main",),
        "",
        'print("Hello, world!")',
        "public class Hello {\n    public static void main(String[] args) {\n"
        '        System.out.println("Hello, world!");\n    }\n}',
        "It prints a greeting.",
    ),
    Task(
        ("greets $t", "prints hello to $t"),
        ("main",),
        "",
        'print("Hello, $t!")',
        'System.out.println("Hello, $t!");',
        "It greets $t.",
    ),
    Task(
        ("prints the numbers from $a to $b", "counts from $a to $b"),
        ("main",),
        "",
        "i = $a\nwhile i <= $b:\n    print(i)\n    i += 1",
        "for (int i = $a; i <= $b; i++) {\n    System.out.println(i);\n}",
        "It prints the numbers from $a to $b.",
    ),
    Task(
        ("counts down from $b to $a", "prints the numbers from $b down to $a"),
        ("main",),
        "",
        "i = $b\nwhile i >= $a:\n    print(i)\n    i -= 1",
        "for (int i = $b; i >= $a; i--) {\n    System.out.println(i);\n}",
        "It counts down from $b to $a.",
    ),
    Task(
        ("prints $t $b times", "writes $t $b times"),
        ("main",),
        "",
        'for i in range($b):\n    print("$t")',
        'for (int i = 0; i < $b; i++) {\n    System.out.println("$t");\n}',
        "It prints $t $b times.",
    ),
)

CLASSES = {
    "Person": ("name:String", "age:int", "city:String"),
    "Book": ("title:String", "author:String", "pages:int"),
    "Car": ("brand:String", "colour:String", "speed:int"),
    "Animal": ("name:String", "legs:int"),
    "City": ("name:String", "country:String", "people:int"),
    "Point": ("x:int", "y:int"),
    "House": ("street:String", "rooms:int"),
    "Product": ("name:String", "price:int"),
    "Student": ("name:String", "school:String", "year:int"),
    "Song": ("title:String", "singer:String", "length:int"),
    "Order": ("item:String", "count:int", "price:int"),
    "Ship": ("name:String", "captain:String"),
}

WRITE_FUNCTION = (
    "Write a {l} function that {d}.",
    "Give me a {l} function that {d}.",
    "Show me a {l} function that {d}.",
    "Can you write a {l} function that {d}?",
    "I need a {l} function that {d}.",
    "Please write a {l} function which {d}.",
    "Write a function in {l} that {d}.",
    "A {l} function that {d}, please.",
    "Make a function that {d} in {l}.",
    "{l} function that {d}",
    "Write {l} code that {d}.",
    "Could you show me {l} code that {d}?",
)
WRITE_NAMED = (
    "Write a {l} function {f} that {d}.",
    "Write a {l} function named {f} that {d}.",
    "Give me a {l} function {f} that {d}.",
    "I need a function {f} in {l} that {d}.",
    "Show me a {l} function named {f} that {d}.",
    "Can you write a function {f} that {d} in {l}?",
)
WRITE_PROGRAM = (
    "Write a {l} program that {d}.",
    "Give me {l} code that {d}.",
    "Write {l} code that {d}.",
    "Show me {l} code that {d}.",
    "Can you write {l} code that {d}?",
    "Please show me a {l} program which {d}.",
    "I need {l} code that {d}.",
)
WRITE_CLASS = (
    "Write a {l} class {c} with {v}.",
    "Write a {l} class {c} with the fields {v}.",
    "Give me a {l} class {c} with {v}.",
    "Show me a class {c} in {l} with {v}.",
    "I need a {l} class {c} with the fields {v}.",
    "Can you write a class {c} with {v} in {l}?",
)
EXPLAIN = (
    "What does this code do?\n{x}",
    "Explain this code:\n{x}",
    "What does this do?\n{x}",
    "Explain:\n{x}",
    "What is this code for?\n{x}",
    "Can you explain this code?\n{x}",
)
EXPLAIN_THAT = (
    "What does it do?",
    "Explain it.",
    "Explain the code.",
    "What does this code do?",
    "Can you explain it?",
    "Please explain what it does.",
)
OTHER_LANGUAGE = (
    "Now in {l}.",
    "And in {l}?",
    "Write it in {l}.",
    "The same in {l}, please.",
    "How does it look in {l}?",
    "Please show me the same in {l}.",
)
INTRODUCTIONS = (
    "This {l} function {d}.",
    "A {l} function that {d}:",
    "Here is a {l} function that {d}.",
    "In {l}, this function {d}.",
    "Example: a {l} function that {d}.",
    "The following {l} function {d}.",
)


def city(rng: random.Random) -> str:
    if rng.random() < 0.45:
        return rng.choice(CITIES)
    return rng.choice(CITY_STARTS) + rng.choice(CITY_ENDS)


def values(rng: random.Random) -> dict[str, object]:
    """Values for all keys of all records."""
    return {
        "name": name(rng),
        "age": rng.randint(1, 99),
        "city": city(rng),
        "job": rng.choice(JOBS),
        "kind": rng.choice(PETS),
        "item": rng.choice(GOODS),
        "price": rng.randint(1, 200),
        "colour": rng.choice(COLOURS),
        "count": rng.randint(2, 30),
        "hour": rng.randint(1, 12),
        "from": city(rng),
        "to": city(rng),
    }


def fenced(language: str, code: str) -> str:
    return f"```{language.lower()}\n{code}\n```"


def listed(words: list[str]) -> str:
    """Words with commas and a last `and`."""
    return ", ".join(words[:-1]) + " and " + words[-1] if len(words) > 1 else words[0]


def record(rng, split) -> tuple[str, dict]:
    """A request for a JSON object, and the object."""
    kind = rng.choice(RECORDS)
    known = values(rng)
    if rng.random() < 0.5:
        text = rng.choice(of_split(WRITE_JSON, split)).format(w=kind.what, r=kind.request.format(**known))
        text = text.replace(" a order", " an order").replace("A order", "An order")
        return text, {key: known[key] for key in kind.keys}
    keys = list(kind.keys)
    if len(keys) == 3 and rng.random() < 0.3:
        keys.pop(rng.randrange(3))
    text = rng.choice(of_split(EXTRACT_JSON, split)).format(s=kind.sentence.format(**known), k=listed(keys))
    return text, {key: known[key] for key in keys}


def json_turn(rng, split):
    text, found = record(rng, split)
    text = text[:1].upper() + text[1:]
    if rng.random() < 0.35:
        text += rng.choice(of_split(JSON_ONLY, split))
    return [(text, json.dumps(found))]


def array_turn(rng, split):
    if rng.random() < 0.5:
        entries = [rng.randint(0, 100) for _ in range(rng.randint(2, 5))]
    else:
        entries = rng.sample(GOODS + COLOURS + PETS, rng.randint(2, 4))
    text = rng.choice(of_split(WRITE_ARRAY, split)).format(x=listed([str(entry) for entry in entries]))
    if rng.random() < 0.35:
        text += rng.choice(of_split(JSON_ONLY, split))
    return [(text, json.dumps(entries))]


def json_chat(rng, split) -> Conversation:
    """A chat whose system's message asks for JSON only."""
    messages = [system(rng.choice(of_split(JSON_SYSTEMS, split)))]
    for _ in range(rng.randint(1, 3)):
        text, found = record(rng, split)
        messages += [user(text), assistant(json.dumps(found))]
    return Conversation(messages)


def in_camel_case(snake: str) -> str:
    first, *rest = snake.split("_")
    return first + "".join(word.capitalize() for word in rest)


def written(task: Task, given: dict[str, object], language: str) -> str:
    """A task's code."""
    if language == "Python":
        return Template(task.python).substitute(given)
    return Template(task.java).substitute({**given, "f": in_camel_case(str(given["f"]))})


def function_names(task: Task, rng: random.Random, usual: bool) -> dict[str, str]:
    """A function's name, its usual one or any, and its variables."""
    a, b = VARIABLES[task.variables][0] if usual else rng.choice(VARIABLES[task.variables])
    return {"f": task.names[0] if usual else rng.choice(task.names), "a": a, "b": b}


def languages(rng: random.Random) -> tuple[str, str]:
    return ("Python", "Java") if rng.random() < 0.5 else ("Java", "Python")


def follow_up(task: Task, given: dict[str, object], other: str, rng, split) -> list[tuple[str, str]]:
    """A question about the code that was just shown, or none."""
    roll = rng.random()
    if roll < 0.25:
        return [(asked(rng.choice(of_split(EXPLAIN_THAT, split)), rng), Template(task.explained).substitute(given))]
    if roll < 0.45:
        text = asked(rng.choice(of_split(OTHER_LANGUAGE, split)).format(l=other), rng)
        return [(text, fenced(other, written(task, given, other)))]
    return []


def function_turns(rng, split):
    task = rng.choice(FUNCTIONS)
    language, other = languages(rng)
    does = rng.choice(task.does)
    if rng.random() < 0.6:
        given = function_names(task, rng, usual=True)
        text = asked(rng.choice(of_split(WRITE_FUNCTION, split)).format(l=language, d=does), rng)
    else:
        given = {**function_names(task, rng, usual=True), "f": rng.choice(task.names + (name(rng).lower(),))}
        shown = given["f"] if language == "Python" else in_camel_case(given["f"])
        text = rng.choice(of_split(WRITE_NAMED, split)).format(l=language, d=does, f=shown)
    return [(text, fenced(language, written(task, given, language)))] + follow_up(task, given, other, rng, split)


def program_turns(rng, split):
    task = rng.choice(PROGRAMS)
    language, other = languages(rng)
    start = rng.randint(0, 5)
    given = {"a": start, "b": start + rng.randint(2, 95), "t": name(rng), "f": task.names[0]}
    does = Template(rng.choice(task.does)).substitute(given)
    text = rng.choice(of_split(WRITE_PROGRAM, split)).format(l=language, d=does)
    return [(text, fenced(language, written(task, given, language)))] + follow_up(task, given, other, rng, split)


def class_code(language: str, title: str, fields: list[tuple[str, str]]) -> str:
    """A class with fields and what sets them."""
    if language == "Python":
        head = f"class {title}:\n    def __init__(self, {', '.join(field for field, _ in fields)}):\n"
        return head + "\n".join(f"        self.{field} = {field}" for field, _ in fields)
    declared = "\n".join(f"    private final {kind} {field};" for field, kind in fields)
    parameters = ", ".join(f"{kind} {field}" for field, kind in fields)
    stored = "\n".join(f"        this.{field} = {field};" for field, _ in fields)
    return f"public class {title} {{\n{declared}\n\n    public {title}({parameters}) {{\n{stored}\n    }}\n}}"


def class_turns(rng, split):
    title = rng.choice(list(CLASSES))
    fields = [tuple(field.split(":")) for field in CLASSES[title]]
    fields = fields[: rng.randint(1, len(fields))]
    language, _ = languages(rng)
    table = of_split(WRITE_CLASS, split)
    text = rng.choice(table).format(l=language, c=title, v=listed([field for field, _ in fields]))
    if len(fields) == 1:
        text = text.replace("the fields", "the field")
    return [(text, fenced(language, class_code(language, title, fields)))]


def explanation_turns(rng, split):
    task = rng.choice(FUNCTIONS)
    given = function_names(task, rng, usual=False)
    language, _ = languages(rng)
    code = written(task, given, language)
    if rng.random() < 0.5:
        code = fenced(language, code)
    return [(rng.choice(of_split(EXPLAIN, split)).format(x=code), task.explained)]


TURNS = (
    (json_turn, 36),
    (array_turn, 6),
    (function_turns, 32),
    (program_turns, 8),
    (class_turns, 8),
    (explanation_turns, 10),
)


def conversations(rng: random.Random, split: str) -> Iterator[Conversation]:
    """Chats of one or two requests for JSON, for code or for its explanation."""
    makers = [make for make, _ in TURNS]
    weights = [weight for _, weight in TURNS]
    while True:
        if rng.random() < 0.08:
            yield json_chat(rng, split)
            continue
        turns = []
        for make in rng.choices(makers, weights, k=rng.choice((1, 1, 2))):
            turns += make(rng, split)
        yield chat(turns, rng)


def described(rng: random.Random, split: str) -> str:
    """A function with a sentence before it."""
    task = rng.choice(FUNCTIONS)
    language, _ = languages(rng)
    text = rng.choice(of_split(INTRODUCTIONS, split)).format(l=language, d=rng.choice(task.does))
    code = written(task, function_names(task, rng, usual=False), language)
    return text + "\n\n" + fenced(language, code)


def documents(rng: random.Random, split: str) -> Iterator[str]:
    """Documents of one to three functions, each with a sentence before it."""
    while True:
        yield "\n\n".join(described(rng, split) for _ in range(rng.randint(1, 3)))
