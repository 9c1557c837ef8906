"""Chats that ask for JSON objects: of told keys and values, of a sentence, of keys alone, or of anything.

Held out are wordings. An answer is the object alone; it is in one line unless the user asks for several.
"""

import json
import random
from dataclasses import dataclass, replace
from string import Formatter
from typing import Callable, Iterator, Optional, Sequence

from .arithmetic import held_out_pair
from .dialog import HELD_OUT, Conversation, Question, assistant, system, user
from .framing import SYSTEMS, article, asked, chat, name, of_split
from .phrasing import Phrasings, phrasings
from .snippets import COLOURS, GOODS, JOBS, JSON_ONLY, PETS, city, listed

Draw = Callable[[random.Random], object]

ADJECTIVES = (
    "Red Blue Green Golden Silent Lost Last First Little Great Old New Dark Bright Cold Warm Hidden Broken "
    "Long Secret Wild White Black Silver Happy Lonely Deep Quiet Empty Strange"
).split()
NOUNS = (
    "House River Garden Mountain Road Forest Sea Winter Summer Night Morning Star Moon Sun City Island Door "
    "Key Letter Song Train Tower Bridge Storm Fox Wolf Bird Tree Stone Ship Lake Clock Mirror Field King "
    "Queen"
).split()
BRANDS = "Nova Alpha Terra Luna Orbit Pixel Delta Omega Vega Zeta Comet Atlas Polar Echo Prime Quark".split()
STREETS = (
    "Main Street,Park Road,Lake Road,Mill Lane,Church Street,Station Road,Hill Street,River Lane".split(",")
)
DISHES = "pancakes,apple pie,tomato soup,salad,pizza,fondue,omelette,lemonade,bread,cookies,curry".split(",")
FOODS = "flour eggs milk butter sugar salt onions garlic cream cheese tomatoes apples rice oil beans".split()
HOBBIES = (
    "reading cooking painting hiking singing dancing fishing chess tennis football swimming skiing".split()
)
TAGS = "red,blue,new,sale,home,work,urgent,music,sport,travel,food,test,news,old,free,open".split(",")


def whole(low: int, high: int) -> Draw:
    return lambda rng: rng.randint(low, high)


def decimal(low: float, high: float, places: int) -> Draw:
    return lambda rng: round(rng.uniform(low, high), places)


def one_of(words: Sequence[str]) -> Draw:
    return lambda rng: rng.choice(words)


def some_of(words: Sequence[str]) -> Draw:
    return lambda rng: rng.sample(words, rng.choice((2, 2, 3, 3, 4)))


def numbers(rng: random.Random) -> list[int]:
    return [rng.randint(0, 100) for _ in range(rng.choice((2, 3, 3, 4)))]


def truth(rng: random.Random) -> bool:
    return rng.random() < 0.5


def title(rng: random.Random) -> str:
    roll = rng.random()
    if roll < 0.4:
        return f"The {rng.choice(ADJECTIVES)} {rng.choice(NOUNS)}"
    if roll < 0.6:
        return f"{rng.choice(ADJECTIVES)} {rng.choice(NOUNS)}"
    if roll < 0.75:
        return f"{name(rng)} and the {rng.choice(NOUNS)}"
    return rng.choice(NOUNS)


def full_name(rng: random.Random) -> str:
    return name(rng) if rng.random() < 0.4 else f"{name(rng)} {name(rng)}"


def date(rng: random.Random) -> str:
    return f"{rng.randint(1990, 2030)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"


def time(rng: random.Random) -> str:
    return f"{rng.randint(0, 23):02}:{rng.choice((0, 0, 15, 30, 45)):02}"


def model(rng: random.Random) -> str:
    return rng.choice(BRANDS) + (f" {rng.randint(1, 99)}" if rng.random() < 0.6 else "")


def login(rng: random.Random) -> str:
    return name(rng).lower() + (str(rng.randint(1, 99)) if rng.random() < 0.5 else "")


KEYS: dict[str, Draw] = {
    "name": name,
    "first_name": name,
    "last_name": name,
    "firstName": name,
    "lastName": name,
    "age": whole(1, 99),
    "city": city,
    "town": city,
    "from": city,
    "to": city,
    "location": city,
    "country": one_of("France Germany Italy Spain Switzerland Japan Brazil Canada India Egypt".split()),
    "job": one_of(JOBS),
    "email": lambda rng: f"{name(rng).lower()}@example.com",
    "phone": lambda rng: f"{rng.randint(10, 99)}-{rng.randint(100, 999)}-{rng.randint(100, 999)}",
    "street": lambda rng: f"{rng.choice(STREETS)} {rng.randint(1, 99)}",
    "height": whole(120, 200),
    "married": truth,
    "hobbies": some_of(HOBBIES),
    "title": title,
    "author": full_name,
    "artist": full_name,
    "director": full_name,
    "owner": name,
    "customer": name,
    "sender": name,
    "teacher": name,
    "year": whole(1900, 2030),
    "pages": whole(20, 900),
    "language": one_of("English German French Italian Spanish Greek Latin Arabic".split()),
    "population": whole(100, 999999),
    "area": decimal(1, 500, 1),
    "capital": truth,
    "product": one_of(GOODS),
    "item": one_of(GOODS),
    "price": lambda rng: rng.randint(1, 500) if rng.random() < 0.5 else round(rng.uniform(0.5, 200), 2),
    "weight": decimal(0.1, 90, 1),
    "colour": one_of(COLOURS),
    "color": one_of(COLOURS),
    "size": one_of("S M L XL small medium large".split()),
    "in_stock": truth,
    "quantity": whole(1, 99),
    "count": whole(0, 200),
    "total": decimal(1, 900, 2),
    "id": whole(1, 9999),
    "order_id": whole(1, 99999),
    "user_id": whole(1, 9999),
    "paid": truth,
    "species": one_of(PETS),
    "kind": one_of(PETS),
    "legs": one_of((2, 4)),
    "sound": one_of("meow woof moo baa quack neigh roar squeak".split()),
    "dish": one_of(DISHES),
    "ingredients": some_of(FOODS),
    "servings": whole(1, 12),
    "minutes": whole(2, 180),
    "vegetarian": truth,
    "event": one_of("party,concert,meeting,wedding,market,lecture,picnic,workshop,race,dinner".split(",")),
    "date": date,
    "time": time,
    "guests": whole(2, 300),
    "temperature": lambda rng: rng.randint(-20, 40) if rng.random() < 0.6 else round(rng.uniform(-9, 35), 1),
    "humidity": whole(10, 100),
    "weather": one_of("sunny rainy cloudy windy snowy foggy stormy clear".split()),
    "wind": whole(0, 120),
    "model": model,
    "brand": one_of(BRANDS),
    "battery": whole(0, 100),
    "memory": one_of((2, 4, 8, 16, 32, 64, 128)),
    "online": truth,
    "username": login,
    "user": login,
    "role": one_of("admin user guest editor reader owner".split()),
    "active": truth,
    "isAdmin": truth,
    "verified": truth,
    "host": lambda rng: rng.choice(("localhost", "example.com", f"{name(rng).lower()}.example.com")),
    "port": one_of((80, 443, 3000, 5000, 8000, 8080, 8443, 9000)),
    "debug": truth,
    "timeout": whole(1, 600),
    "retries": whole(0, 10),
    "version": lambda rng: f"{rng.randint(0, 9)}.{rng.randint(0, 20)}.{rng.randint(0, 9)}",
    "theme": one_of("dark light blue plain".split()),
    "path": lambda rng: f"/{rng.choice(('home', 'data', 'tmp', 'var'))}/{name(rng).lower()}",
    "seats": whole(2, 9),
    "speed": whole(1, 250),
    "rooms": whole(1, 12),
    "garden": truth,
    "task": one_of("buy milk,call Anna,clean up,write a letter,pay the bill,water the plants".split(",")),
    "done": truth,
    "priority": whole(1, 5),
    "subject": title,
    "message": one_of("hello,good morning,see you soon,come home,all is well,thank you,call me".split(",")),
    "grade": decimal(1, 6, 1),
    "school": city,
    "scores": numbers,
    "numbers": numbers,
    "values": numbers,
    "tags": some_of(TAGS),
    "colours": some_of(COLOURS),
    "rating": decimal(1, 5, 1),
    "team": lambda rng: f"{city(rng)} {rng.choice(('Lions', 'Bears', 'Wolves', 'Stars', 'Eagles'))}",
    "points": whole(0, 120),
    "players": some_of("Anna Ben Carla David Emma Felix Grace Henry Ida Jonas Kim Laura".split()),
    "x": whole(-50, 100),
    "y": whole(-50, 100),
    "z": whole(-50, 100),
    "width": whole(1, 2000),
    "length": decimal(0.5, 99, 1),
    "status": one_of("open closed new ready failed waiting ok".split()),
    "code": lambda rng: rng.choice("ABCDEFGHKLMNPRSTUVWXYZ") + str(rng.randint(1, 999)),
    "level": whole(1, 50),
    "lives": whole(0, 9),
    "duration": whole(1, 300),
    "genre": one_of("drama comedy crime fantasy pop rock jazz folk".split()),
}
MAY_BE_NULL = "email phone owner rating color role date city".split()


@dataclass(frozen=True)
class Thing:
    """What an object is about. Slots of descriptions and sentences are keys, in the order of the object."""

    noun: str
    keys: tuple[str, ...]
    described: tuple[str, ...]
    told: tuple[str, ...]


def thing(noun: str, keys: str, described: str, told: str) -> Thing:
    return Thing(noun, tuple(keys.split()), tuple(described.split("|")), tuple(told.split("|")))


THINGS = (
    thing(
        "person",
        "name age city job email height married hobbies",
        "named {name}, {age} years old, from {city}|named {name}, aged {age}|named {name} from {city}|"
        "called {name}, who is {age} and lives in {city}|named {name} who works as a {job}",
        "{name} is {age} years old and lives in {city}.|{name} is {age} years old.|"
        "{name} works as a {job} in {city}.|My name is {name}, I am {age} and I live in {city}.|"
        "{name} likes {hobbies}.|{name} is {age} and likes {hobbies}.|"
        "I am {name} and I am {age} years old.|{name} lives in {city}.",
    ),
    thing(
        "student",
        "name school grade age id",
        "named {name} with the grade {grade}|named {name} at the school in {school}",
        "{name} goes to school in {school} and has the grade {grade}.|"
        "{name} is {age} and has the grade {grade}.",
    ),
    thing(
        "book",
        "title author year pages language price rating",
        'called "{title}" by {author}, with {pages} pages|called "{title}" from {year}|'
        'called "{title}" by {author}',
        '"{title}" by {author} has {pages} pages.|"{title}" was written by {author} in {year}.|'
        'The book "{title}" costs {price} francs.',
    ),
    thing(
        "film",
        "title director year genre minutes rating",
        'called "{title}" by {director} from {year}|called "{title}" of {minutes} minutes',
        'The film "{title}" by {director} is {minutes} minutes long.|"{title}" is a film from {year}.',
    ),
    thing(
        "song",
        "title artist year minutes genre",
        'called "{title}" by {artist}|called "{title}" by {artist} from {year}',
        '"{title}" is a song by {artist} from {year}.|The song "{title}" is by {artist}.',
    ),
    thing(
        "city",
        "name country population area capital",
        "named {name} in {country}|named {name} with a population of {population}",
        "{name} is in {country} and has a population of {population}.|The city {name} has an area of {area}.",
    ),
    thing(
        "product",
        "name price in_stock colour weight tags",
        "named {product} with price {price}|named {product} of the colour {colour} with price {price}",
        "The {product} costs {price} francs.|The {product} is {colour} and costs {price} francs.|"
        "We sell a {product} of {weight} kilograms for {price} francs.",
    ),
    thing(
        "order",
        "order_id customer product quantity total paid",
        "by {customer} of {quantity} times {product}|with the number {order_id} by {customer}",
        "{customer} orders {quantity} times {product}.|{customer} ordered the {product} for {price} francs.",
    ),
    thing(
        "cat",
        "name age colour owner weight",
        "named {name}, {age} years old|named {name} of the colour {colour}",
        "My cat {name} is {age} years old.|The cat {name} is {colour} and {age} years old.",
    ),
    thing(
        "dog",
        "name age colour owner weight",
        "named {name}, {age} years old|named {name} that belongs to {owner}",
        "My dog {name} is {age} years old.|The dog {name} belongs to {owner}.",
    ),
    thing(
        "animal",
        "name species age sound legs",
        "named {name} of the species {species}",
        "{name} is a {species} and {age} years old.",
    ),
    thing(
        "pet",
        "name kind age owner",
        "named {name}, a {kind} aged {age}",
        "{name} is a {kind} and belongs to {owner}.|{name} is a {kind} and {age} years old.",
    ),
    thing(
        "recipe",
        "dish ingredients minutes servings vegetarian",
        "for {dish} with {ingredients}|for {dish} that takes {minutes} minutes",
        "For {dish} you need {ingredients}.|The {dish} takes {minutes} minutes and needs {ingredients}.",
    ),
    thing(
        "event",
        "event date time location guests",
        "called {event} in {location} on {date}|called {event} at {time} in {location}",
        "The {event} is on {date} in {location}.|The {event} starts at {time} with {guests} guests.",
    ),
    thing(
        "meeting",
        "subject date time location",
        "with {name} in {city} at {time}|with {name} on {date} at {time}",
        "I meet {name} in {city} at {time}.|The meeting with {name} is on {date} at {time}.",
    ),
    thing(
        "weather report",
        "city temperature weather humidity wind",
        "for {city} with {temperature} degrees|for {city}, {weather}, with {temperature} degrees",
        "In {city} it is {weather} and {temperature} degrees.|It is {temperature} degrees in {city}.",
    ),
    thing(
        "phone",
        "brand model memory battery colour price",
        "of the brand {brand} with {memory} GB of memory|of the brand {brand} with {battery} percent battery",
        "The phone {brand} has {memory} GB of memory.|The phone {brand} costs {price} francs.",
    ),
    thing(
        "device",
        "id model battery online version",
        "with the number {id} and the version {version}|of the model {model} with {battery} percent battery",
        "The device {model} has {battery} percent battery.|The device {id} runs version {version}.",
    ),
    thing(
        "user",
        "username email role active user_id",
        "called {username} with the role {role}|called {username} with the address {email}",
        "The user {username} has the role {role}.|The user {username} has the address {email}.",
    ),
    thing(
        "user account",
        "username email verified isAdmin level",
        "for {username} with the role {role}|for {username} at level {level}",
        "The account {username} has the role {role} and level {level}.",
    ),
    thing(
        "config",
        "host port debug timeout retries theme",
        "with host {host} and port {port}|for the host {host} with a timeout of {timeout}",
        "The host is {host} and the port is {port}.|"
        "The timeout is {timeout} and there are {retries} retries.",
    ),
    thing(
        "server",
        "host port version online",
        "at {host} on port {port}|at {host} with version {version}",
        "The server runs at {host} on port {port}.|The server {host} runs version {version}.",
    ),
    thing(
        "car",
        "brand colour year seats speed price",
        "of the brand {brand} in {colour}|of the brand {brand} from {year} with {seats} seats",
        "The car is a {brand} from {year}.|The {brand} has {seats} seats and costs {price} francs.",
    ),
    thing(
        "house",
        "street city rooms garden price",
        "in {city} with {rooms} rooms|at {street} in {city}",
        "The house in {city} has {rooms} rooms.|The house at {street} costs {price} francs.",
    ),
    thing(
        "task",
        "task done priority owner date",
        "for {owner} with priority {priority}|for {owner} until {date}",
        "The task of {owner} has priority {priority}.|{owner} has until {date}.",
    ),
    thing(
        "message",
        "sender subject message time",
        'from {sender} that says "{message}"|from {sender} at {time}',
        '{sender} says "{message}".|{sender} wrote "{message}" at {time}.',
    ),
    thing(
        "trip",
        "from to date price",
        "from {from} to {to}|from {from} to {to} on {date}",
        "We travel from {from} to {to}.|The train from {from} to {to} costs {price} francs.",
    ),
    thing(
        "team",
        "team points players city",
        "called {team} with {points} points|with the players {players}",
        "The {team} have {points} points.|The players are {players}.",
    ),
    thing(
        "game",
        "title level lives points players",
        'called "{title}" at level {level}|at level {level} with {lives} lives',
        'In "{title}" I have {lives} lives and {points} points.|{name} has {points} points at level {level}.',
    ),
    thing(
        "point",
        "x y z",
        "at x = {x} and y = {y}|at x {x} and y {y}",
        "The point is at x = {x} and y = {y}.",
    ),
    thing(
        "box",
        "width height length weight colour",
        "of the colour {colour} with width {width} and height {height}|that weighs {weight} kilograms",
        "The box is {colour} and weighs {weight} kilograms.|The width is {width} and the height is {height}.",
    ),
)

# `{p}` holds pairs in a row: name Anna, age 31 and city Bern.
WITH = phrasings(
    """
    Write a JSON object with {p}.
    Give me a JSON object with {p}.
    Give me JSON with {p}.
    Write JSON with {p}.
    Make a JSON object with {p}.
    Create a JSON object with {p}.
    Please write a JSON object with {p}.
    Return a JSON object with {p}.
    Return JSON with {p}.
    I need a JSON object with {p}.
    I need JSON with {p}.
    I want a JSON object with {p}.
    Can you write a JSON object with {p}?
    Can you give me JSON with {p}?
    Could you make a JSON object with {p}?
    Show me a JSON object with {p}.
    A JSON object with {p}, please.
    JSON with {p}, please.
    JSON object with {p}
    Write valid JSON with {p}.
    Answer with a JSON object with {p}.
    Output a JSON object that has {p}.
    Build a JSON object from {p}.
    Write me some JSON with {p}.
    Write a JSON object for {a} with {p}.
    Give me a JSON object for {a} with {p}.
    Create JSON for {a} with {p}.
    Write {a} with {p} as JSON.
    Show {a} with {p} as a JSON object.
    Make a JSON object of {a} with {p}.
    Please give me {a} in JSON with {p}.
    I need {a} as JSON, with {p}.
    Convert to JSON: {p}.
    Describe {a} in JSON: {p}.
    ~ Could you give me a JSON object with {p}?
    ~ Please return JSON with {p}.
    ~ Write a small JSON object that has {p}.
    ~ I would like a JSON object with {p}.
    ~ Produce a JSON object with {p}.
    ~ Please create a JSON object for {a} with {p}.
    ~ Can you show me {a} with {p} as JSON?
    ~ Generate JSON for {a} with {p}.
    """
)

# `{p}` holds pairs in any form.
COLON = phrasings(
    """
    Put this into JSON: {p}
    Make JSON: {p}
    Convert to JSON: {p}
    Convert this to JSON: {p}
    Write this as JSON: {p}
    Write as JSON: {p}
    Turn this into JSON: {p}
    Turn this into a JSON object: {p}
    Please put this into JSON: {p}
    Please convert to JSON: {p}
    Can you write this as JSON? {p}
    Can you turn this into JSON? {p}
    Make a JSON object of this: {p}
    Make a JSON object from these values: {p}
    Write a JSON object with these keys and values: {p}
    Create a JSON object: {p}
    JSON: {p}
    As JSON: {p}
    To JSON: {p}
    Give me this as JSON: {p}
    I need this as JSON: {p}
    I want this in JSON: {p}
    Format this as JSON: {p}
    Show this as a JSON object: {p}
    Here is {a}. Write it as JSON: {p}
    Write JSON for this {n}: {p}
    Put this {n} into a JSON object: {p}
    These are the values: {p}. Write them as JSON.
    {p}. Write that as JSON.
    {p} as JSON, please.
    {p} in JSON
    ~ Please turn this into JSON: {p}
    ~ Give me a JSON object of this: {p}
    ~ Could you convert this to JSON? {p}
    ~ Write these values as a JSON object: {p}
    ~ Return this as JSON: {p}
    ~ I need a JSON object from this: {p}
    ~ Make this {n} a JSON object: {p}
    """
)

# `{d}` describes a thing: a person named Anna, 31 years old.
DESCRIBED = phrasings(
    """
    Return a JSON object for {d}.
    Write JSON that describes {d}.
    Write a JSON object about {d}.
    Give me a JSON object about {d}.
    I need a JSON object about {d}.
    I want JSON for {d}.
    Make JSON for {d}.
    Describe {d} in JSON.
    Describe {d} as a JSON object.
    Show {d} as a JSON object.
    Can you describe {d} in JSON?
    Can you make JSON for {d}?
    Please create a JSON object for {d}.
    Please describe {d} as JSON.
    Turn this into JSON: {d}.
    Put this into JSON: {d}.
    As a JSON object: {d}.
    Return JSON about {d}.
    JSON object for {d}
    Answer in JSON: {d}.
    ~ Please return a JSON object for {d}.
    ~ Could you describe {d} as a JSON object?
    ~ Generate a JSON object for {d}.
    ~ Please make JSON for {d}.
    ~ Convert this to a JSON object: {d}.
    """
)

# `{s}` is a sentence.
TOLD = phrasings(
    """
    {s} Write that as JSON.
    {s} Write this as JSON.
    {s} Give me that as JSON.
    {s} Put that into JSON.
    {s} Put this into a JSON object.
    {s} Turn that into JSON.
    {s} Make JSON of that.
    {s} Can you write that as JSON?
    {s} Please write that as a JSON object.
    {s} Now as JSON, please.
    {s} As JSON?
    {s} Convert that to JSON.
    {s} Return that as a JSON object.
    Write this sentence as JSON: {s}
    Turn this sentence into JSON: {s}
    Put this sentence into a JSON object: {s}
    Convert the sentence to JSON: {s}
    Make a JSON object of this text: {s}
    What is this as JSON? {s}
    Read this and answer with JSON: {s}
    ~ {s} Could you write that as JSON?
    ~ {s} Please turn this into a JSON object.
    ~ {s} Show me that in JSON.
    ~ Please write this sentence as a JSON object: {s}
    ~ Convert this text to JSON: {s}
    """
)

# `{k}` are keys, `{s}` is a sentence that holds their values.
TOLD_WITH_KEYS = phrasings(
    """
    Answer as JSON with the keys {k}: {s}
    Answer with a JSON object with the keys {k}: {s}
    {s} Write a JSON object with the keys {k}.
    {s} Give me JSON with the keys {k}.
    {s} Put that into JSON with the keys {k}.
    {s} Make a JSON object with {k}.
    {s} Return JSON with the keys {k}.
    {s} Turn that into JSON. The keys are {k}.
    {s} I need JSON with {k}.
    Use the keys {k} and write this as JSON: {s}
    Read {k} from this text and answer in JSON: {s}
    Find {k} in this text. Answer with a JSON object. {s}
    Get {k} from this sentence as JSON: {s}
    Return {k} as a JSON object: {s}
    Write a JSON object with the keys {k} for this sentence: {s}
    Which are {k} here? Answer in JSON. {s}
    ~ {s} Answer with JSON that has the keys {k}.
    ~ {s} Write {k} as a JSON object, please.
    ~ Make a JSON object with the keys {k} from this text: {s}
    ~ Convert this to JSON with the keys {k}: {s}
    """
)

KEYS_ONLY = phrasings(
    """
    Write a JSON object with the keys {k}.
    Give me a JSON object with the keys {k}.
    Give me JSON with the keys {k}.
    Write JSON with the keys {k}.
    Make a JSON object that has the keys {k}.
    Create a JSON object with the keys {k}.
    Please write a JSON object with the keys {k}.
    I need a JSON object with the keys {k}.
    Show me a JSON object with the keys {k}.
    Can you write JSON with the keys {k}?
    Could you make a JSON object with the keys {k}?
    A JSON object with the keys {k}, please.
    Return a JSON object with the fields {k}.
    Write a JSON object with the fields {k}.
    Give me JSON with the fields {k}.
    JSON with the fields {k}, please.
    Write an example JSON object with {k}.
    Give me an example object with the keys {k}, as JSON.
    Invent a JSON object with the keys {k}.
    Write JSON for {a} with the keys {k}.
    Give me {a} as JSON with the keys {k}.
    Make {a} in JSON with the fields {k}.
    Write a JSON object for {a}. The keys are {k}.
    Write JSON. The keys are {k}.
    ~ Could you write a JSON object with the keys {k}?
    ~ Please give me JSON with the keys {k}.
    ~ I want a JSON object that has the keys {k}.
    ~ Please create JSON with the fields {k}.
    ~ Show me {a} as a JSON object with the keys {k}.
    ~ Return JSON that has the fields {k}.
    """
)

# Nothing but the thing is told.
ABOUT = phrasings(
    """
    Give me a JSON object about {a}.
    Write a JSON object about {a}.
    Write JSON about {a}.
    Give me {a} as JSON.
    Show me {a} as JSON.
    An example {n} as JSON.
    An example of {a} as JSON, please.
    Give me an example {n} in JSON.
    Write an example {n} as a JSON object.
    Make up {a} and write it as JSON.
    Invent {a} as a JSON object.
    Can you write {a} as JSON?
    Can you show me {a} in JSON?
    Describe {a} in JSON.
    Create a JSON object for {a}.
    I need {a} as JSON.
    What could {a} look like in JSON?
    How does {a} look as JSON?
    {a} as JSON, please.
    JSON for {a}
    ~ Could you give me a JSON object about {a}?
    ~ Please show me an example {n} as JSON.
    ~ Write a small JSON object that describes {a}.
    ~ Make a JSON object about {a}.
    ~ What does {a} look like as a JSON object?
    """
)
ANYTHING = phrasings(
    """
    Give me an example of a JSON object.
    Write a valid JSON object.
    Write a JSON object.
    Give me some JSON.
    Show me a JSON object.
    Show me an example of JSON.
    Write some JSON.
    Write any JSON object.
    Can you write JSON?
    Can you give me a JSON object?
    An example of JSON, please.
    A small JSON object, please.
    I need a simple JSON object.
    What does JSON look like?
    Answer with a JSON object.
    Make up a JSON object.
    Please write valid JSON.
    Write a short JSON object with any keys.
    ~ Please show me a valid JSON object.
    ~ Could you write a small JSON object?
    ~ Give me a simple example of JSON.
    ~ What does a JSON object look like?
    """
)
EMPTY = phrasings(
    """
    Write an empty JSON object.
    Give me an empty JSON object.
    Empty JSON object, please.
    How do I write an empty object in JSON?
    Show me a JSON object with no keys.
    ~ Please write a JSON object without keys.
    """
)
# `{t}` is a text with quotes in it, up to the end of the request.
QUOTING = phrasings(
    """
    Put this text into JSON under the key {k}: {t}
    Write a JSON object with the key {k} and this text: {t}
    JSON with {k} = {t}
    Make JSON with the key {k}. The value is: {t}
    Give me a JSON object where {k} is this text: {t}
    ~ Write this text as JSON under the key {k}: {t}
    """
)
QUOTED = (
    'He said "{w}"',
    'She said "{w}" to {n}',
    '{n} said "{w}"',
    '{n} wrote "{w}" on the wall',
    'The sign says "{w}"',
    'They call it "{w}"',
    'the so-called "{w}"',
)
QUOTED_WORDS = (
    "hello,yes,no,stop,good night,thank you,open,closed,welcome,wait,the fox,go home,never,maybe".split(",")
)

ADDING = phrasings(
    """
    Add {k} {v}.
    Now add {k} {v}.
    Add the key {k} with the value {v}.
    Please add {k}: {v}
    Add {k} = {v}
    Now add the key {k} with {v}.
    Also add {k} {v}.
    ~ Can you add {k} {v}?
    ~ Please add the key {k} with the value {v}.
    """
)
CHANGING = phrasings(
    """
    Change {k} to {v}.
    Set {k} to {v}.
    Now set {k} to {v}.
    Now with {k} {v}.
    The same with {k} {v}.
    The {k} should be {v}.
    Make {k} {v}.
    ~ Please change {k} to {v}.
    ~ Now the same with {k} {v}.
    """
)
REMOVING = phrasings(
    """
    Remove {k}.
    Now remove {k}.
    Without {k}, please.
    Delete the key {k}.
    Drop {k}.
    Now without {k}.
    ~ Please remove the key {k}.
    """
)
PRETTY = phrasings(
    """
    Use several lines.
    With line breaks, please.
    Pretty-printed, please.
    One key in each line.
    Indent it.
    ~ Please use several lines.
    """
)

JSON_SYSTEMS = phrasings(
    """
    Answer only with JSON.
    You always answer with a JSON object.
    Always answer with a JSON object.
    You answer in JSON.
    Answer in JSON.
    Reply only with a JSON object.
    Your answer must be a JSON object.
    All your answers are JSON objects.
    You are an assistant that only writes JSON.
    Respond with JSON.
    Respond with valid JSON only.
    You are a JSON writer.
    Output a JSON object and no other text.
    Every answer is one JSON object.
    Use JSON for all your answers.
    You are a helpful assistant. Answer in JSON.
    Please answer with JSON objects only.
    Return JSON, no other text.
    ~ You only answer with JSON objects.
    ~ Always reply in JSON.
    ~ Respond only with a JSON object.
    ~ You are a helpful assistant that answers in JSON.
    """
)
KEYED_SYSTEMS = phrasings(
    """
    Answer with a JSON object with the key {k}.
    Always answer with JSON that has the key {k}.
    Your answers are JSON objects with the key {k}.
    Answer in JSON. The key is {k}.
    Put your answer into a JSON object under the key {k}.
    ~ Reply with a JSON object that has the key {k}.
    """
)
ANSWER_KEYS = "answer answer answer result reply text output value response content data".split()

# Requests under a system's message that asks for JSON.
BARE = phrasings(
    """
    {d}.
    Write {d}.
    Give me {d}.
    {s}
    {s} Write that down.
    I need {d}.
    Note: {s}
    Please write {d}.
    ~ Show me {d}.
    ~ Please note: {s}
    """
)
SUMS = phrasings(
    """
    What is {a} + {b}?
    What is {a} plus {b}?
    How much is {a} + {b}?
    How much is {a} plus {b}?
    {a} + {b}
    {a} + {b} = ?
    Add {a} and {b}.
    ~ Please add {a} and {b}.
    ~ Can you tell me what {a} + {b} is?
    """
)
NAMING = phrasings(
    """
    My name is {w}. What is my name?
    I am {w}. What is my name?
    I am {w}. Who am I?
    My {x} is called {w}. What is its name?
    My {x} is {w}. What is the name of my {x}?
    My name is {w}. Tell me my name.
    ~ My name is {w}. Do you know my name?
    ~ I have a {x} called {w}. What is its name?
    """
)
COLOURING = phrasings(
    """
    What colour is {x}?
    Which colour is {x}?
    What colour does {x} have?
    Tell me the colour of {x}.
    What is the colour of {x}?
    ~ Which colour does {x} have?
    ~ Please tell me the colour of {x}.
    """
)
COLOURED = {
    "grass": "green",
    "snow": "white",
    "blood": "red",
    "the sky": "blue",
    "coal": "black",
    "a lemon": "yellow",
    "a banana": "yellow",
    "milk": "white",
    "chocolate": "brown",
    "a tomato": "red",
    "a frog": "green",
}
GREETING = phrasings(
    """
    Hello!
    Hi!
    Hey!
    Good morning!
    Hello, who is there?
    ~ Hi there!
    """
)

PAIR_FORMS = ("{k} {v}", "{k} {v}", "{k}: {v}", "{k}: {v}", "{k} = {v}", "{k}={v}", "{k} is {v}")


def dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def template(table: Phrasings, rng: random.Random, split: str, named: bool = True) -> str:
    """A wording, at times with an opener, at times typed in a hurry; what is filled in stays as it is.

    One that names a thing is left out unless there is a thing to name.
    """
    wordings = [one for one in table.of(split) if named or "{a}" not in one and "{n}" not in one]
    return asked(rng.choice(wordings), rng)


def an(noun: str) -> str:
    return f"a {noun}" if noun.startswith("us") else article(noun)


def thing_slots(chosen: Optional[Thing]) -> dict[str, str]:
    return {"a": an(chosen.noun), "n": chosen.noun} if chosen else {}


def filled(frame: str, **slots: object) -> str:
    """A frame with its slots filled; never two full stops at its end."""
    text = frame.format(**slots).replace("..", ".").replace("?.", "?")
    return text[:1].upper() + text[1:] if frame.startswith("{a}") else text


def invented_key(rng: random.Random) -> str:
    return rng.choice(("{}", "{}", "{}", "my_{}", "{}_id", "{}1")).format(name(rng).lower())


def value_of(key: str, rng: random.Random) -> object:
    if key in MAY_BE_NULL and rng.random() < 0.04:
        return None
    if key in KEYS:
        return KEYS[key](rng)
    return KEYS[rng.choice("name city title age id price active code".split())](rng)


def keys_of(rng: random.Random, least: int = 1) -> tuple[Optional[Thing], list[str]]:
    """A thing and some of its keys in their order, or no thing and any keys."""
    chosen = rng.choice(THINGS)
    count = max(least, rng.choice((1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6)))
    roll = rng.random()
    if roll < 0.55:
        found = sorted(rng.sample(range(len(chosen.keys)), min(count, len(chosen.keys))))
        return chosen, [chosen.keys[place] for place in found]
    keys = rng.sample(list(KEYS), count)
    if roll > 0.85:
        keys[rng.randrange(count)] = invented_key(rng)
    return None, keys


def shown(value: object, rng: random.Random, quoted: bool) -> str:
    """A value as a request has it: strings are bare or in quotes, all else is JSON."""
    if isinstance(value, str):
        return dumped(value) if quoted or " " in value and rng.random() < 0.4 else value
    if isinstance(value, list) and not quoted and rng.random() < 0.3:
        return "[" + ", ".join(str(entry) for entry in value) + "]"
    return dumped(value)


def pairs_in_a_row(found: dict, rng: random.Random) -> str:
    """Pairs as a sentence has them: name Anna, age 31 and city Bern."""
    quoted = rng.random() < 0.12
    form = rng.choice(("{k} {v}",) * 7 + ("the {k} {v}", "{k} set to {v}", "{k} = {v}"))
    if rng.random() < 0.06:
        form = form.replace("{k}", '"{k}"')
    flat = [(key, value) for key, value in found.items() if not isinstance(value, dict)]
    shown_pairs = [form.format(k=key, v=shown(value, rng, quoted)) for key, value in flat]
    text = listed(shown_pairs) if rng.random() < 0.75 else ", ".join(shown_pairs)
    for key, value in found.items():
        if isinstance(value, dict):
            text += f", and a nested object {key} with {pairs_in_a_row(value, rng)}"
    return text


def pairs(found: dict, lines: bool, rng: random.Random) -> str:
    """Pairs in any form, in one line or, where lines may be, one line each."""
    if any(isinstance(value, dict) for value in found.values()) or rng.random() < 0.25:
        return pairs_in_a_row(found, rng)
    quoted = rng.random() < 0.1
    form = rng.choice(PAIR_FORMS)
    parts = [form.format(k=key, v=shown(value, rng, quoted)) for key, value in found.items()]
    roll = rng.random() if lines else 1
    if roll < 0.1:
        return "\n" + "\n".join(parts)
    if roll < 0.15:
        return "\n- " + "\n- ".join(parts)
    return ("; " if roll < 0.2 else ", ").join(parts)


def shown_keys(keys: Sequence[str], rng: random.Random) -> str:
    words = [f'"{key}"' for key in keys] if rng.random() < 0.15 else list(keys)
    return listed(words) if rng.random() < 0.75 else ", ".join(words)


def slots_of(text: str) -> list[str]:
    return [slot for _, slot, _, _ in Formatter().parse(text) if slot]


def from_text(text: str, rng: random.Random) -> tuple[str, dict]:
    """A description or a sentence with its values, and the object of them."""
    found = {key: KEYS[key](rng) for key in slots_of(text)}
    shown_values = {key: listed(value) if isinstance(value, list) else value for key, value in found.items()}
    return text.format(**shown_values), found


@dataclass(frozen=True)
class Turn:
    """A request, its answer, and the words that any right answer has."""

    asked: str
    found: dict
    accepted: tuple[str, ...]
    indent: bool = False

    def answer(self) -> str:
        return json.dumps(self.found, indent=4 if self.indent else None, ensure_ascii=False)


def words_of(value: object, keys: bool = True) -> list[str]:
    """The keys in quotes and the values of an object as JSON has them."""
    if isinstance(value, dict):
        return [word for key in value for word in ([f'"{key}"'] if keys else []) + words_of(value[key], keys)]
    if isinstance(value, list):
        return [word for entry in value for word in words_of(entry)]
    return [dumped(value)]


def with_ending(text: str, rng: random.Random, split: str) -> tuple[str, bool]:
    """The request with a wish at its end, and whether that is one for several lines."""
    roll = rng.random()
    if roll < 0.08 and text[-1] in ".?":
        return text + rng.choice(of_split(JSON_ONLY, split)), False
    if roll < 0.11 and text[-1] in ".?":
        return f"{text} {PRETTY.pick(rng, split)}", True
    return text, False


def pairs_turn(rng: random.Random, split: str) -> Turn:
    chosen, keys = keys_of(rng)
    found = {key: value_of(key, rng) for key in keys}
    if rng.random() < 0.05:
        inner = rng.sample(("city", "street", "name", "id", "country", "x", "y", "email"), 2)
        key = rng.choice(("address", "place", "contact", "details", "info", "origin"))
        found[key] = {one: value_of(one, rng) for one in inner}
    in_a_row = rng.random() < 0.55
    frame = template(WITH if in_a_row else COLON, rng, split, chosen is not None)
    text = pairs_in_a_row(found, rng) if in_a_row else pairs(found, frame.endswith("{p}"), rng)
    text = filled(frame, p=text, **thing_slots(chosen)).replace(" \n", "\n")
    text, indent = with_ending(text, rng, split)
    return Turn(text, found, tuple(words_of(found)), indent)


def described(rng: random.Random) -> tuple[str, dict]:
    chosen = rng.choice(THINGS)
    text, found = from_text(rng.choice(chosen.described), rng)
    return f"{an(chosen.noun)} {text}", found


def told(rng: random.Random) -> tuple[str, dict]:
    return from_text(rng.choice(rng.choice(THINGS).told), rng)


def described_turn(rng: random.Random, split: str) -> Turn:
    text, found = described(rng)
    text, indent = with_ending(filled(template(DESCRIBED, rng, split), d=text), rng, split)
    return Turn(text, found, tuple(words_of(found, keys=False)), indent)


def told_turn(rng: random.Random, split: str) -> Turn:
    text, found = told(rng)
    return Turn(filled(template(TOLD, rng, split), s=text), found, tuple(words_of(found, keys=False)))


OTHER_KEYS = {
    "name": "name first_name firstName who person",
    "age": "age age years",
    "city": "city town place location",
    "price": "price cost amount",
    "colour": "colour color",
    "title": "title name",
    "location": "location place city",
}


def told_with_keys_turn(rng: random.Random, split: str) -> Turn:
    text, known = told(rng)
    found = {}
    for key, value in known.items():
        other = rng.choice(OTHER_KEYS.get(key, key).split()) if rng.random() < 0.4 else key
        found[key if other in found or other in known else other] = value
    if len(found) < 2:
        return told_turn(rng, split)
    if rng.random() < 0.2:
        found = dict(reversed(list(found.items())))
    frame = template(TOLD_WITH_KEYS, rng, split)
    return Turn(filled(frame, s=text, k=shown_keys(list(found), rng)), found, tuple(words_of(found)))


def keys_only_turn(rng: random.Random, split: str) -> Turn:
    chosen, keys = keys_of(rng, least=2)
    found = {key: value_of(key, rng) for key in keys}
    found = {key: value_of(key, rng) if value is None else value for key, value in found.items()}
    frame = template(KEYS_ONLY, rng, split, chosen is not None)
    text = filled(frame, k=shown_keys(keys, rng), **thing_slots(chosen))
    text, indent = with_ending(text, rng, split)
    return Turn(text, found, tuple(f'"{key}"' for key in keys), indent)


def about_turn(rng: random.Random, split: str) -> Turn:
    chosen = rng.choice(THINGS)
    found = {key: KEYS[key](rng) for key in chosen.keys[: rng.choice((2, 3, 3, 4))]}
    return Turn(filled(template(ABOUT, rng, split), **thing_slots(chosen)), found, ("{", "}"))


def anything_turn(rng: random.Random, split: str) -> Turn:
    if rng.random() < 0.12:
        return Turn(template(EMPTY, rng, split), {}, ("{", "}"))
    keys = rng.choice((("name", "age"), ("name", "age"), ("name", "age", "city"), ("title", "year")))
    return Turn(template(ANYTHING, rng, split), {key: KEYS[key](rng) for key in keys}, ("{", "}"))


def quoting_turn(rng: random.Random, split: str) -> Turn:
    key = rng.choice("text quote message note line title comment".split())
    text = rng.choice(QUOTED).format(w=rng.choice(QUOTED_WORDS), n=name(rng))
    found = {key: text}
    return Turn(template(QUOTING, rng, split).format(k=key, t=text), found, tuple(words_of(found)))


TURNS = (
    (pairs_turn, 48),
    (described_turn, 11),
    (told_turn, 9),
    (told_with_keys_turn, 9),
    (keys_only_turn, 14),
    (about_turn, 5),
    (anything_turn, 3),
    (quoting_turn, 2),
)


def any_turn(rng: random.Random, split: str) -> Turn:
    makers = [make for make, _ in TURNS]
    return rng.choices(makers, [weight for _, weight in TURNS])[0](rng, split)


def edit(found: dict, rng: random.Random, split: str) -> Turn:
    """A request to change the object of the turn before."""
    found = dict(found)
    roll = rng.random()
    if roll < 0.2 and len(found) > 1:
        key = rng.choice(list(found))
        del found[key]
        return Turn(filled(template(REMOVING, rng, split), k=key), found, ("{", "}"))
    flat = [key for key, value in found.items() if not isinstance(value, dict)]
    if roll < 0.6 and flat:
        table, key = CHANGING, rng.choice(flat)
    else:
        table, key = ADDING, rng.choice([key for key in KEYS if key not in found])
    found[key] = value_of(key, rng)
    frame = template(table, rng, split)
    return Turn(filled(frame, k=key, v=shown(found[key], rng, False)), found, tuple(words_of(found)))


def small_question(key: str, rng: random.Random, split: str) -> Turn:
    """A question that has nothing to do with JSON, and its answer under a key."""
    roll = rng.random()
    if roll < 0.45:
        a, b = rng.randint(0, 10), rng.randint(0, 10)
        while split != HELD_OUT and held_out_pair(a, b):
            a, b = rng.randint(0, 10), rng.randint(0, 10)
        return Turn(filled(template(SUMS, rng, split), a=a, b=b), {key: a + b}, (str(a + b),))
    if roll < 0.7:
        word = name(rng)
        text = filled(template(NAMING, rng, split), w=word, x=rng.choice(PETS))
        return Turn(text, {key: word}, (f'"{word}"',))
    if roll < 0.93:
        thing_of_colour, colour = rng.choice(list(COLOURED.items()))
        return Turn(filled(template(COLOURING, rng, split), x=thing_of_colour), {key: colour}, (colour,))
    return Turn(GREETING.pick(rng, split), {key: "Hello! How can I help you?"}, (f'"{key}"',))


def bare_turn(rng: random.Random, split: str) -> Turn:
    frame = template(BARE, rng, split)
    text, found = told(rng) if "{s}" in frame else described(rng)
    text = filled(frame, s=text, d=text)
    return Turn(text[:1].upper() + text[1:], found, tuple(words_of(found, keys=False)))


def ordered_turn(rng: random.Random, split: str) -> tuple[str, str, Turn]:
    """A system's message that asks for JSON, the key that it names if any, and a first request."""
    if rng.random() < 0.25:
        key = rng.choice(ANSWER_KEYS)
        order = KEYED_SYSTEMS.pick(rng, split).format(k=f'"{key}"' if rng.random() < 0.5 else key)
        return order, key, next_turn(key, rng, split)
    return JSON_SYSTEMS.pick(rng, split), "", next_turn("", rng, split)


def next_turn(key: str, rng: random.Random, split: str) -> Turn:
    """A request under a system's message, which may name the key of all answers."""
    if key:
        turn = small_question(key, rng, split)
        return replace(turn, accepted=turn.accepted + (f'"{key}"',))
    roll = rng.random()
    if roll < 0.45:
        return small_question("answer", rng, split)
    return bare_turn(rng, split) if roll < 0.7 else any_turn(rng, split)


def ordered_chat(rng: random.Random, split: str) -> Conversation:
    order, key, turn = ordered_turn(rng, split)
    turns = [turn] + [next_turn(key, rng, split) for _ in range(rng.choice((0, 0, 1, 2, 3)))]
    messages = [system(order)]
    for turn in turns:
        messages += [user(turn.asked), assistant(turn.answer())]
    return Conversation(messages)


def conversations(rng: random.Random, split: str) -> Iterator[Conversation]:
    """Chats of one to four requests for objects, some of them changes of the object before."""
    while True:
        if rng.random() < 0.2:
            yield ordered_chat(rng, split)
            continue
        turns = [any_turn(rng, split)]
        for _ in range(rng.choice((0, 0, 0, 1, 1, 2, 3))):
            last = turns[-1]
            edits = last.found and not last.indent and rng.random() < 0.3
            turns.append(edit(last.found, rng, split) if edits else any_turn(rng, split))
        yield chat([(turn.asked, turn.answer()) for turn in turns], rng)


def questions(rng: random.Random) -> Iterator[Question]:
    """Single requests in held-out wordings: most tell the values, a fifth names keys or a thing alone.

    Apart from the accepted words, the whole answer must be a JSON object.
    """
    makers = (pairs_turn,) * 11 + (described_turn, told_turn, told_with_keys_turn) + (keys_only_turn,) * 2
    while True:
        for make in rng.sample(makers + (about_turn, anything_turn, None), len(makers) + 3):
            if make is None:
                order, _, turn = ordered_turn(rng, HELD_OUT)
                messages = [system(order)]
            else:
                turn = make(rng, HELD_OUT)
                messages = [system(rng.choice(SYSTEMS))] if rng.random() < 0.2 else []
            yield Question("json", tuple(messages + [user(turn.asked)]), (turn.accepted,))
