"""Pools of values for the arguments and results of tools.

A pool is a function of a random generator. Names and titles are composed of parts, so that most of them are seen
once or twice only and a model has to copy them.
"""

import random
from typing import Callable

Pool = Callable[[random.Random], object]

REAL_CITIES = (
    "Bern Basel Geneva Paris London Berlin Rome Madrid Oslo Vienna Prague Lisbon Dublin Athens Boston Chicago Denver"
    " Seattle Miami Dallas Austin Houston Tokyo Osaka Kyoto Seoul Delhi Mumbai Cairo Lagos Nairobi Accra Tunis Lima"
    " Quito Bogota Santiago Toronto Montreal Ottawa Sydney Melbourne Perth Auckland Moscow Warsaw Krakow Budapest"
    " Sofia Zagreb Riga Vilnius Tallinn Helsinki Stockholm Copenhagen Hamburg Munich Cologne Leipzig Dresden Lyon Nice"
    " Lille Bordeaux Milan Turin Naples Venice Florence Porto Seville Valencia Bilbao Glasgow Leeds Bristol Cardiff"
    " Istanbul Ankara Dubai Doha Tehran Baghdad Karachi Dhaka Bangkok Hanoi Manila Jakarta Singapore Taipei Shanghai"
    " Havana Zürich Malmö Orléans Lausanne Antwerp Ghent Utrecht Rotterdam Amsterdam Brussels"
).split()
LONG_CITIES = (
    "San Francisco,New York,Los Angeles,Hong Kong,Cape Town,Mexico City,Buenos Aires,New Delhi,San Diego,Las Vegas,"
    "Boston MA,Paris France,Salt Lake City,Tel Aviv,Sao Paulo,St. Gallen"
).split(",")
CITY_STARTS = (
    "Bal Bren Cal Dor Dun El Fal Gar Gran Hal Hol Ist Jar Kal Kel Kor Lan Lor Mal Mar Mel Mor Nal Nor Ol Or Pal Pel"
    " Quin Ral Rin Sal Sel Sor Tal Tel Tor Ul Val Ver Vin Wal Wel Wes Yar Zan Zel"
).split()
CITY_MIDDLES = (
    "a e i o u an en in or ar el il ba da de di do ga la le li lo ma me mi na no ra re ri ta te to va".split()
)
CITY_ENDS = (
    "berg burg by dale don field ford grad ham haven holm ington land mar mere mont mouth nau neth polis port ria rin"
    " stad ston tal ton va vik ville wick worth"
).split()

REAL_PEOPLE = (
    "Anna Ben Clara David Emma Felix Grace Henry Ida Jack Kate Leo Maria Noah Olga Paul Rosa Sam Tina Victor Wendy Adam"
    " Bella Carl Diana Eric Fiona George Helen Ivan Julia Karl Laura Mark Nina Oscar Peter Rita Simon Tom Una Walter"
    " Alice Bob Carol Dan Eva Frank Gina Hugo Iris John Kim Lena Max Nora Otto Pia Ralph Sara Theo Vera Will Zoe"
).split()
PERSON_STARTS = (
    "Al An Ar Bel Ber Cor Dar Del Ed El Fer Gil Han Il Jan Jo Kar Kel La Le Lu Mar Mel Mi Na Nel Ol Per Ra Ro Ru Sel"
    " Sil Ta Ter Til Ul Va Vel Vi Wil Yan Yo Zel"
).split()
PERSON_ENDS = (
    "a an ard as bert da den dra el ena ette ia ick in ina is ko la len lia lo ma mar mo na ner nia no on ra ric ro sa"
    " son ta to tor va via vin"
).split()

ADJECTIVES = (
    "small big old new red blue green white black silent bright dark warm cold soft quick slow happy sad wild quiet"
    " golden silver broken hidden empty lost deep high long short sweet bitter gentle brave clever strange simple early"
    " late last first dry wet heavy light round sharp smooth young free open"
).split()
NOUNS = (
    "river mountain garden house street bridge ocean forest window door table chair lamp clock train boat bicycle horse"
    " dog cat bird fish tree flower apple bread cheese coffee tea sugar salt paper pencil book letter song dance dream"
    " night morning summer winter snow rain wind fire stone sand star moon sun cloud island village castle tower market"
    " school teacher doctor farmer sailor painter king queen child friend brother sister mother father hand heart eye"
    " voice smile story picture mirror key box bag hat coat shoe ring coin wheel engine rocket planet robot camera radio"
    " phone computer screen circle square number color shadow storm harvest lantern valley meadow harbor desert"
).split()
FOODS = (
    "milk bread butter cheese eggs apples bananas rice pasta tomatoes potatoes onions carrots coffee tea sugar salt"
    " pepper flour honey olives grapes lemons oranges soap paper batteries candles yogurt beans corn mushrooms"
).split()
DISHES = (
    "pancakes,tomato soup,apple pie,fried rice,potato salad,lasagna,pizza,carrot cake,onion soup,chicken curry,noodles,"
    "bean stew,fish pie,omelette,cheese fondue,rice pudding,banana bread,mushroom pasta,lemon cake,corn bread,"
    "vegetable soup,lentil stew,goulash,paella,ravioli,dumplings,waffles,brownies,hummus,risotto"
).split(",")
LANGUAGES = (
    "French German Spanish Italian English Dutch Polish Greek Turkish Arabic Hindi Japanese Korean Chinese Russian"
    " Swedish Danish Finnish Portuguese Latin"
).split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday today tomorrow".split()
ROOMS = (
    "kitchen,bedroom,bathroom,living room,office,garage,hall,garden,attic,cellar,dining room,nursery,library,studio"
).split(",")
DEVICES = ("fan,heater,television,radio,oven,washing machine,dishwasher,printer,coffee machine,sprinkler,camera").split(
    ","
)
SKIES = "light rain,heavy rain,clear sky,snow,fog,strong wind,sunshine,thick clouds,a thunderstorm,drizzle".split(",")
MOODS = "sunny cloudy rainy windy foggy snowy clear stormy dry humid".split()
CURRENCIES = "USD EUR CHF GBP JPY CAD AUD SEK NOK dollars euros francs pounds yen pesos".split()
UNITS = (
    ("km", "miles", "meters", "feet", "inches", "yards", "cm"),
    ("kg", "pounds", "grams", "ounces", "stones", "tons"),
    ("liters", "gallons", "cups", "pints", "quarts", "ml"),
    ("hours", "minutes", "seconds", "days", "weeks"),
)
FOLDERS = "home docs data src lib work tmp notes photos music reports backup etc test build shared".split()
SUFFIXES = "txt md json csv py java log html xml pdf".split()
REASONS = (
    "service unavailable,timeout,no connection,permission denied,internal failure,too many requests,access denied,"
    "quota exceeded,bad gateway,invalid input,out of memory,not allowed,server is busy,network down"
).split(",")


def one_of(values: list) -> Pool:
    return lambda rng: rng.choice(values)


def between(low: int, high: int) -> Pool:
    return lambda rng: rng.randint(low, high)


def city(rng: random.Random) -> str:
    roll = rng.random()
    if roll < 0.35:
        return rng.choice(REAL_CITIES)
    if roll < 0.42:
        return rng.choice(LONG_CITIES)
    middle = rng.choice(CITY_MIDDLES) if rng.random() < 0.5 else ""
    return rng.choice(CITY_STARTS) + middle + rng.choice(CITY_ENDS)


def person(rng: random.Random) -> str:
    if rng.random() < 0.4:
        return rng.choice(REAL_PEOPLE)
    return rng.choice(PERSON_STARTS) + rng.choice(PERSON_ENDS)


def title(rng: random.Random) -> str:
    """The title of a song, a book or a film."""
    adjective, noun, other = rng.choice(ADJECTIVES).title(), rng.choice(NOUNS).title(), rng.choice(NOUNS).title()
    forms = (f"The {adjective} {noun}", f"{adjective} {noun}", f"{noun} and {other}", f"{noun} of the {other}", noun)
    return rng.choice(forms)


def query(rng: random.Random) -> str:
    adjective, noun, other = rng.choice(ADJECTIVES), rng.choice(NOUNS), rng.choice(NOUNS)
    forms = (
        f"{adjective} {noun}",
        f"history of the {noun}",
        f"how to paint a {noun}",
        f"best {noun} in {city(rng)}",
        f"{noun} and {other}",
        f"{noun} prices",
        f"{person(rng)} {noun}",
    )
    return rng.choice(forms)


def word(rng: random.Random) -> str:
    return rng.choice(rng.choice((NOUNS, ADJECTIVES)))


def clock_time(rng: random.Random) -> str:
    hour, minute = rng.randint(1, 12), rng.choice((0, 10, 15, 20, 30, 40, 45, 50))
    forms = (f"{hour}:{minute:02}", f"{hour + 11}:{minute:02}", f"{hour} am", f"{hour} pm", f"{hour:02}:{minute:02}")
    return rng.choice(forms)


def date(rng: random.Random) -> str:
    return f"20{rng.randint(24, 45)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"


def sentence(rng: random.Random) -> str:
    """A short thing to say, without a full stop."""
    adjective, noun = rng.choice(ADJECTIVES), rng.choice(NOUNS)
    forms = (
        f"I will be there at {clock_time(rng)}",
        f"the {noun} is {adjective}",
        f"where is the {noun}",
        f"please bring the {adjective} {noun}",
        f"I like the {noun}",
        f"see you in {city(rng)}",
        f"call {person(rng)} on {rng.choice(DAYS[:7])}",
        f"good {rng.choice(('morning', 'night', 'luck', 'evening'))}",
        f"{person(rng)} has the {noun}",
        f"do not forget the {noun}",
        f"happy birthday {person(rng)}",
        "I am late",
        "thank you for the help",
    )
    return rng.choice(forms)


def task(rng: random.Random) -> str:
    """Something that one has to do."""
    noun, food = rng.choice(NOUNS), rng.choice(FOODS)
    forms = (f"buy {food}", f"call {person(rng)}", f"clean the {noun}", f"visit {person(rng)}", f"paint the {noun}")
    return rng.choice(forms)


def event(rng: random.Random) -> str:
    forms = (f"Lunch with {person(rng)}", f"Meeting with {person(rng)}", f"Trip to {city(rng)}", "Dentist", "Team call")
    return rng.choice(forms + (f"Party at {person(rng)}'s", f"{rng.choice(NOUNS).title()} class"))


def restaurant(rng: random.Random) -> str:
    adjective, noun, name = rng.choice(ADJECTIVES).title(), rng.choice(NOUNS).title(), person(rng)
    return rng.choice((f"{name}'s", f"The {adjective} {noun}", f"Chez {name}", f"Casa {name}", f"Cafe {noun}"))


def folder(rng: random.Random) -> str:
    parts = [rng.choice(FOLDERS + NOUNS) for _ in range(rng.randint(1, 3))]
    return rng.choice(("/", "/", "")) + "/".join(parts)


def path(rng: random.Random) -> str:
    name = f"{rng.choice(NOUNS)}.{rng.choice(SUFFIXES)}"
    return name if rng.random() < 0.4 else f"{folder(rng)}/{name}"


def command(rng: random.Random) -> str:
    forms = (f"ls {folder(rng)}", f"cat {path(rng)}", "date", "pwd", f"wc -l {path(rng)}", f"mkdir {folder(rng)}")
    return rng.choice(forms + (f"grep {word(rng)} {path(rng)}", "git status", f"du -sh {folder(rng)}", "make test"))


def symbol(rng: random.Random) -> str:
    """A stock's symbol."""
    return "".join(rng.choice("ABCDEFGHIJKLMNOPRSTUVXYZ") for _ in range(rng.randint(3, 4)))


def code(rng: random.Random) -> str:
    """A short code such as `K42` or `B-7`."""
    letters = rng.choice("ABCDEFGHKLMNPRSTXZ") + rng.choice(("", "", "-", "B", "X"))
    return f"{letters}{rng.randint(1, 999)}"


def number(rng: random.Random) -> int:
    """A number, mostly a small one."""
    return rng.randint(1, 100) if rng.random() < 0.75 else rng.randint(101, 9999)


def degrees(rng: random.Random) -> object:
    """A temperature for a room, sometimes half a degree."""
    whole = rng.randint(14, 29)
    return whole if rng.random() < 0.6 else whole + 0.5


def price(rng: random.Random) -> object:
    return rng.randint(2, 900) if rng.random() < 0.5 else rng.randint(100, 90000) / 100


def expression(rng: random.Random) -> str:
    """A sum, difference or product of two numbers, or a sum of three."""
    a, b, c = rng.randint(2, 99), rng.randint(2, 99), rng.randint(2, 99)
    return rng.choice((f"{a} + {b}", f"{a} * {b}", f"{a + b} - {b}", f"{a} + {b} + {c}", f"{a} + {b} - {c}"))


def evaluate(text: str) -> int:
    """The value of an `expression`, from left to right."""
    tokens = text.split()
    value = int(tokens[0])
    for sign, operand in zip(tokens[1::2], tokens[2::2]):
        value = arithmetic(value, sign, int(operand))
    return value


def arithmetic(a: float, sign: str, b: float) -> object:
    if sign == "+":
        return a + b
    if sign == "-":
        return a - b
    if sign == "*":
        return a * b
    quotient = round(a / b, 2)
    return int(quotient) if quotient == int(quotient) else quotient


def remark(rng: random.Random) -> str:
    """What a tool that nobody knows may say: two words or more."""
    adjective, noun, count = rng.choice(ADJECTIVES), rng.choice(NOUNS), number(rng)
    forms = (
        f"{count} {rng.choice(('items', 'points', 'units', 'steps', 'people', 'boxes'))}",
        f"{adjective} {noun}",
        f"{code(rng)} {adjective}",
        f"{person(rng)} and {person(rng)}",
        f"{rng.choice(DAYS[:7])} at {clock_time(rng)}",
        f"{adjective}, {count} percent",
        f"the {noun} is {adjective}",
    )
    return rng.choice(forms)
