"""The tools that conversations offer: names, parameters, what people ask of them and what they answer.

A phrasing that starts with a small letter is an instruction ("set a timer for ..."), which is put into one of several
forms; any other is a whole sentence. `{city}` stands for the value of the slot `city`.
"""

import random
from dataclasses import dataclass, field
from typing import Callable, Mapping, Optional

from . import toolvalues as pools


@dataclass(frozen=True)
class Slot:
    """A parameter: the name that phrasings use, the names it may have in a tool, its type and its values."""

    name: str
    names: str
    pool: pools.Pool
    kind: str = "string"
    default: object = None
    spoken: Optional[Mapping[object, tuple]] = None


@dataclass(frozen=True)
class Outcome:
    """What a tool may return and what the assistant then says.

    A key of `fields` lists the names that the field may have in a JSON result; texts use the first of them.
    `objects` are fixed JSON results for tools that return no data.
    """

    answer: str
    plain: tuple = ()
    fields: Mapping[str, pools.Pool] = field(default_factory=dict)
    objects: tuple = ()


@dataclass(frozen=True)
class Kind:
    """A kind of tool. Tools whose topics overlap could do the same and are never offered together.

    `follow` goes before the value in a follow-up such as "And in Oslo?"; `pairs` are phrasings for two values;
    `draw` makes values that depend on each other, `compute` the fields of a result that follow from the values.
    A `free_result` may be any text, so that no text can be a surprise.
    """

    topics: str
    subject: str
    names: str
    descriptions: tuple
    slots: tuple
    asks: tuple
    held: tuple
    outcomes: tuple
    follow: str = ""
    pairs: tuple = ()
    free_result: bool = False
    draw: Optional[Callable[[random.Random], dict]] = None
    compute: Optional[Callable[[random.Random, dict], dict]] = None


def lines(text: str) -> tuple:
    return tuple(line.strip() for line in text.strip().splitlines())


DONE_TEXTS = ("ok", "done", "success", "OK")
DONE_OBJECTS = ({"ok": True}, {"status": "ok"}, {"success": True}, {"result": "done"})


def done(answer: str, *texts: str) -> tuple:
    """The outcome of a tool that does something and has nothing to tell."""
    return (Outcome(answer, DONE_TEXTS + texts, objects=DONE_OBJECTS),)


def two_cities(start: str, goal: str) -> Callable[[random.Random], dict]:
    return lambda rng: dict(zip((start, goal), (pools.city(rng), pools.city(rng))))


def two_units(rng: random.Random) -> dict:
    source, target = rng.sample(rng.choice(pools.UNITS), 2)
    return {"source": source, "target": target}


def two_currencies(rng: random.Random) -> dict:
    source, target = rng.sample(pools.CURRENCIES, 2)
    return {"source": source, "target": target}


def low_and_high(rng: random.Random) -> dict:
    low = rng.choice((0, 1, 1, 1, rng.randint(2, 60)))
    return {"low": low, "high": low + rng.randint(2, 200)}


SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}


def calculated(rng: random.Random, values: dict) -> dict:
    sign = SIGNS[values["operation"]]
    return {"result": pools.arithmetic(values["a"], sign, values["b"]), "sign": "x" if sign == "*" else sign}


def arithmetic(name: str, sign: str, names: str, descriptions: tuple, asks: str, held: str) -> Kind:
    """A tool for one operation on two numbers."""
    return Kind(
        topics=name,
        subject="number",
        names=names,
        descriptions=descriptions,
        slots=(Slot("a", "a a a x first", pools.number, "number"), Slot("b", "b b b y second", pools.number, "number")),
        asks=lines(asks),
        held=lines(held),
        outcomes=(Outcome("{a} %s {b} = {result}." % ("x" if sign == "*" else sign), ("{result}",), {"result": None}),),
        compute=lambda rng, values: {"result": pools.arithmetic(values["a"], sign, values["b"])},
    )


CITY = Slot("city", "city city location location place town", pools.city)
WEATHER_OUTCOMES = (
    Outcome(
        "It is {temperature} C with {sky} in {city}.",
        ("{temperature} C, {sky}", "{temperature} C with {sky}", "{sky}, {temperature} C", "{temperature} C and {sky}"),
        {"temperature temp temperature": pools.between(-15, 38), "sky weather sky": pools.one_of(pools.SKIES)},
    ),
    Outcome(
        "It is {temperature} C and {sky} in {city}.",
        (
            "{sky}, {temperature} C",
            "{temperature} C, {sky}",
            "{sky} and {temperature} C",
            "{temperature} degrees, {sky}",
        ),
        {
            "temperature temp degrees celsius": pools.between(-15, 38),
            "sky condition conditions weather": pools.one_of(pools.MOODS),
        },
    ),
    Outcome("It is {sky} in {city}.", ("{sky}",), {"sky condition weather": pools.one_of(pools.MOODS)}),
    Outcome(
        "It is {temperature} C in {city}.",
        ("{temperature} C", "{temperature} degrees"),
        {"temperature temp degrees": pools.between(-15, 38)},
    ),
)

KINDS = (
    Kind(
        "weather",
        "city",
        "get_weather get_weather weather fetch_weather weather_report city_weather",
        ("Get the weather in a city", "Current weather for a place", "Tells the weather", "Weather by city"),
        (CITY,),
        lines("""
            What is the weather in {city}?
            How is the weather in {city}?
            What is the weather like in {city} today?
            What's the weather like in {city}?
            Is it raining in {city}?
            How warm is it in {city}?
            What is the temperature in {city}?
            Weather in {city}?
            tell me the weather in {city}
            check the weather in {city}
            get the weather for {city}
            Is it cold in {city} now?
        """),
        lines("""
            What weather do they have in {city}?
            How is the weather today in {city}?
            give me the weather for {city}
        """),
        WEATHER_OUTCOMES,
        "in ",
        (
            "What is the weather in {city} and in {city_2}?",
            "What is the weather in {city} and {city_2}?",
            "compare the weather in {city} and {city_2}",
            "How is the weather in {city} and in {city_2}?",
        ),
    ),
    Kind(
        "weather",
        "city",
        "get_current_weather get_current_weather current_weather weather_now get_weather",
        ("Get the current weather in a given location", "Current weather with unit", "Weather now in a place"),
        (
            Slot("city", "location location city place", pools.city),
            Slot("unit", "unit unit units scale", pools.one_of(["celsius", "fahrenheit"]), default="celsius"),
        ),
        lines("""
            What is the weather in {city} in {unit}?
            How warm is it in {city} in {unit}?
            What's the weather like in {city}? Use {unit}.
            tell me the weather in {city} in {unit}
            What is the temperature in {city} in {unit}?
            What is the current weather in {city}?
            What is the weather like in {city}?
            What's the weather like in {city} today?
            Weather in {city}?
            What is the weather in {city}?
            get the weather for {city} in {unit}
        """),
        lines("""
            What is the weather today in {city} in {unit}?
            How is the weather in {city}, in {unit}?
        """),
        (
            Outcome(
                "It is {temperature} degrees {unit} in {city}.",
                ("{temperature} degrees {unit}", "{temperature} {unit}"),
                {"temperature temp degrees": pools.between(-15, 99)},
            ),
            Outcome(
                "It is {temperature} degrees {unit} and {sky} in {city}.",
                ("{temperature} degrees {unit}, {sky}", "{sky}, {temperature} {unit}"),
                {"temperature temp": pools.between(-15, 99), "sky condition forecast": pools.one_of(pools.MOODS)},
            ),
        ),
        "in ",
    ),
    Kind(
        "forecast weather",
        "city",
        "get_forecast forecast weather_forecast fetch_forecast",
        ("Weather forecast for a day", "Get the forecast of a city", "Forecast by city and day"),
        (CITY, Slot("day", "day day date when", pools.one_of(pools.DAYS[:7] + ["tomorrow"]))),
        lines("""
            What is the forecast for {city} on {day}?
            What is the forecast in {city} for {day}?
            How will the weather be in {city} {day}?
            Will it rain in {city} on {day}?
            get the forecast for {city} for {day}
            tell me the forecast for {day} in {city}
            What will the weather be in {city} on {day}?
            show the weather forecast for {city} for {day}
            Forecast for {city}, {day}?
        """),
        lines("""
            What forecast do you have in {city} for {day}?
            How will the weather in {city} be on {day}?
        """),
        (
            Outcome(
                "The forecast for {city} on {day} is {temperature} C with {sky}.",
                ("{temperature} C, {sky}", "{sky}, {temperature} C"),
                {"temperature temp": pools.between(-15, 38), "sky weather": pools.one_of(pools.SKIES)},
            ),
        ),
        "in ",
    ),
    Kind(
        "city_time",
        "city",
        "get_time time_in world_clock city_time local_time",
        ("Get the local time in a city", "Time in a city", "Tells what time it is in a place", "World clock"),
        (Slot("city", "city city location place timezone", pools.city),),
        lines("""
            What time is it in {city}?
            What is the time in {city}?
            What time is it now in {city}?
            tell me the time in {city}
            How late is it in {city}?
            What is the local time in {city}?
            Time in {city}?
            get the time for {city}
            look up the time in {city}
            I need to know the time in {city}.
        """),
        lines("""
            What time do they have in {city}?
            give me the local time of {city}
        """),
        (Outcome("It is {time} in {city}.", ("{time}",), {"time local_time now": pools.clock_time}),),
        "in ",
        ("What time is it in {city} and in {city_2}?", "tell me the time in {city} and {city_2}"),
    ),
    Kind(
        "now",
        "clock",
        "current_time get_current_time time_now clock",
        ("Get the current time", "The time now", "Tells the time of day"),
        (),
        lines("""
            What time is it?
            What time is it now?
            tell me the time
            What is the time?
            What is the current time?
            Do you know what time it is?
            How late is it?
            Do you have the time?
        """),
        lines("""
            What is the time now?
            check the current time
        """),
        (Outcome("It is {time}.", ("{time}",), {"time now": pools.clock_time}),),
    ),
    Kind(
        "date",
        "date",
        "current_date get_date today get_today todays_date",
        ("Get the current date", "The date of today", "Tells which day it is"),
        (),
        lines("""
            What is the date today?
            What day is it today?
            What is today's date?
            tell me the date
            Which day is today?
            What day is it?
            I need the date of today.
            What date is it?
            check the date
        """),
        lines("""
            Which date is it today?
            give me the date of today
        """),
        (
            Outcome("Today is {day}.", ("{day}",), {"day weekday": pools.one_of(pools.DAYS[:7])}),
            Outcome("Today is {date}.", ("{date}",), {"date today": pools.date}),
        ),
    ),
    Kind(
        "timer",
        "timer",
        "set_timer start_timer timer create_timer countdown",
        ("Start a timer", "Set a timer in minutes", "Counts down some minutes", "Timer"),
        (Slot("minutes", "minutes minutes duration length", pools.between(2, 120), "integer"),),
        lines("""
            set a timer for {minutes} minutes
            start a timer for {minutes} minutes
            set a {minutes} minute timer
            start a {minutes} minute timer
            Timer for {minutes} minutes.
            I need a timer for {minutes} minutes.
            I want a timer of {minutes} minutes.
            make a timer of {minutes} minutes
            start the timer, {minutes} minutes
            run a timer for {minutes} minutes
        """),
        lines("""
            put {minutes} minutes on the timer
            create a timer for {minutes} minutes
        """),
        done("The timer is set for {minutes} minutes.", "timer set", "timer started"),
    ),
    Kind(
        "alarm",
        "alarm",
        "set_alarm alarm create_alarm wake_me add_alarm",
        ("Set an alarm", "Set an alarm at a time", "Wakes the user", "Alarm clock"),
        (Slot("time", "time time at hour", pools.clock_time),),
        lines("""
            set an alarm for {time}
            set the alarm to {time}
            wake me at {time}
            wake me up at {time}
            I need an alarm at {time}.
            Alarm at {time}.
            make an alarm for {time}
            set my alarm clock to {time}
            I have to wake up at {time}.
        """),
        lines("""
            create an alarm at {time}
            put the alarm on {time}
        """),
        done("The alarm is set for {time}.", "alarm set"),
    ),
    Kind(
        "add subtract multiply divide",
        "expression",
        "calculate calculator calc evaluate math",
        ("Calculate an expression", "Evaluates a sum", "Computes arithmetic", "Calculator"),
        (Slot("expression", "expression expression formula input", pools.expression),),
        lines("""
            What is {expression}?
            calculate {expression}
            compute {expression}
            How much is {expression}?
            tell me what {expression} is
            work out {expression}
            I need the result of {expression}.
            solve {expression}
            What does {expression} make?
        """),
        lines("""
            What is the result of {expression}?
            evaluate {expression}
        """),
        (Outcome("{expression} = {result}.", ("{result}",), {"result value answer": None}),),
        compute=lambda rng, values: {"result": pools.evaluate(values["expression"])},
    ),
    Kind(
        "add subtract multiply divide",
        "number",
        "calculator calculate arithmetic compute",
        ("Calculate with two numbers", "Does one operation on two numbers", "Simple calculator"),
        (
            Slot("a", "a a x first", pools.number, "number"),
            Slot("b", "b b y second", pools.number, "number"),
            Slot(
                "operation",
                "operation operation operator op",
                pools.one_of(list(SIGNS)),
                spoken={
                    "add": ("+", "plus"),
                    "subtract": ("-", "minus"),
                    "multiply": ("*", "times"),
                    "divide": ("/", "divided by"),
                },
            ),
        ),
        lines("""
            What is {a} {operation} {b}?
            calculate {a} {operation} {b}
            compute {a} {operation} {b}
            How much is {a} {operation} {b}?
            tell me what {a} {operation} {b} is
            work out {a} {operation} {b}
            I need the result of {a} {operation} {b}.
            How many is {a} {operation} {b}?
        """),
        lines("""
            What is the result of {a} {operation} {b}?
            solve {a} {operation} {b}
        """),
        (Outcome("{a} {sign} {b} = {result}.", ("{result}",), {"result value": None}),),
        compute=calculated,
    ),
    arithmetic(
        "add",
        "+",
        "add add sum plus add_numbers",
        ("Add two numbers", "Adds a and b", "The sum of two numbers"),
        """
            What is {a} plus {b}?
            What is {a} + {b}?
            add {a} and {b}
            add {b} to {a}
            What is the sum of {a} and {b}?
            How much is {a} + {b}?
            calculate {a} + {b}
            How much is {a} plus {b}?
            compute {a} plus {b}
        """,
        """
            work out {a} + {b}
            compute the sum of {a} and {b}
        """,
    ),
    arithmetic(
        "multiply",
        "*",
        "multiply multiply times product mul",
        ("Multiply two numbers", "Multiplies a and b", "The product of two numbers"),
        """
            What is {a} times {b}?
            What is {a} * {b}?
            multiply {a} by {b}
            multiply {a} and {b}
            What is the product of {a} and {b}?
            How much is {a} * {b}?
            How much is {a} times {b}?
            calculate {a} * {b}
            What is {a} x {b}?
            compute {a} times {b}
        """,
        """
            work out {a} * {b}
            compute the product of {a} and {b}
        """,
    ),
    arithmetic(
        "subtract",
        "-",
        "subtract subtract minus difference sub",
        ("Subtract two numbers", "Subtracts b from a", "The difference of two numbers"),
        """
            What is {a} minus {b}?
            What is {a} - {b}?
            What is the difference of {a} and {b}?
            How much is {a} - {b}?
            How much is {a} minus {b}?
            calculate {a} - {b}
            compute {a} minus {b}
            take {b} from {a}
            subtract {b} from {a}
        """,
        """
            work out {a} - {b}
            calculate {a} minus {b}
        """,
    ),
    arithmetic(
        "divide",
        "/",
        "divide divide quotient div divide_numbers",
        ("Divide two numbers", "Divides a by b", "The quotient of two numbers"),
        """
            What is {a} divided by {b}?
            What is {a} / {b}?
            divide {a} by {b}
            How much is {a} / {b}?
            How much is {a} divided by {b}?
            calculate {a} / {b}
            compute {a} divided by {b}
        """,
        """
            work out {a} / {b}
            calculate {a} divided by {b}
        """,
    ),
    Kind(
        "root",
        "number",
        "square_root sqrt root get_root",
        ("Square root of a number", "Computes a square root"),
        (Slot("number", "number number x value", lambda rng: rng.randint(2, 40) ** 2, "number"),),
        lines("""
            What is the square root of {number}?
            calculate the square root of {number}
            How much is the square root of {number}?
            Square root of {number}?
            compute the square root of {number}
            I need the square root of {number}.
            take the square root of {number}
        """),
        lines("""
            find the square root of {number}
            work out the root of {number}
        """),
        (Outcome("The square root of {number} is {result}.", ("{result}",), {"result root": None}),),
        compute=lambda rng, values: {"result": round(values["number"] ** 0.5)},
    ),
    Kind(
        "units",
        "unit",
        "convert_units convert unit_converter convert_unit",
        ("Convert a value between units", "Converts units", "Changes a value to another unit"),
        (
            Slot("value", "value value amount number", pools.number, "number"),
            Slot("source", "from from_unit from source", None),
            Slot("target", "to to_unit to target", None),
        ),
        lines("""
            convert {value} {source} to {target}
            How many {target} are {value} {source}?
            How many {target} is {value} {source}?
            What is {value} {source} in {target}?
            turn {value} {source} into {target}
            change {value} {source} to {target}
            I need {value} {source} in {target}.
            tell me how many {target} are {value} {source}
        """),
        lines("""
            How much is {value} {source} in {target}?
            convert {value} {source} into {target}
        """),
        (
            Outcome(
                "{value} {source} is {result} {target}.",
                ("{result}", "{result} {target}"),
                {"result value": pools.price},
            ),
        ),
        draw=two_units,
    ),
    Kind(
        "currency",
        "currency",
        "convert_currency exchange currency_converter exchange_money",
        ("Convert money between currencies", "Currency exchange", "Changes money to another currency"),
        (
            Slot("value", "amount amount value", pools.number, "number"),
            Slot("source", "from from_currency from source", None),
            Slot("target", "to to_currency to target", None),
        ),
        lines("""
            convert {value} {source} to {target}
            How many {target} are {value} {source}?
            exchange {value} {source} to {target}
            What is {value} {source} in {target}?
            How much are {value} {source} in {target}?
            change {value} {source} to {target}
            turn {value} {source} into {target}
            I have {value} {source}. How many {target} is that?
        """),
        lines("""
            How much is {value} {source} in {target}?
            exchange {value} {source} for {target}
        """),
        (
            Outcome(
                "{value} {source} is {result} {target}.", ("{result}", "{result} {target}"), {"result": pools.price}
            ),
        ),
        draw=two_currencies,
    ),
    Kind(
        "search",
        "page",
        "web_search search search_web google find_online",
        ("Search the web", "Searches the internet", "Web search", "Find pages about a query"),
        (Slot("query", "query query q text", pools.query),),
        lines("""
            search the web for {query}
            search for {query}
            search the internet for {query}
            look up {query} on the web
            do a web search for {query}
            find {query} on the web
            Search: {query}
            google {query}
            look online for {query}
        """),
        lines("""
            find {query} on the internet
            run a web search for {query}
        """),
        (
            Outcome("I found this: {text}.", ("{text}",), {"text result title": pools.sentence}),
            Outcome("I found {count} pages about {query}.", ("{count} pages",), {"count pages": pools.between(2, 900)}),
        ),
        free_result=True,
    ),
    Kind(
        "define",
        "word",
        "define dictionary lookup_word get_definition word_meaning",
        ("Look up a word in the dictionary", "Define a word", "The meaning of a word"),
        (Slot("word", "word word term", pools.word),),
        lines("""
            What does the word {word} mean?
            define {word}
            What is the meaning of {word}?
            look up {word} in the dictionary
            What is the definition of {word}?
            explain the word {word}
            define the word {word}
            What does {word} mean?
        """),
        lines("""
            tell me the meaning of the word {word}
            find {word} in the dictionary
        """),
        (
            Outcome(
                "The word {word} means: {meaning}.",
                ("{meaning}",),
                {"meaning definition": lambda rng: f"a {rng.choice(pools.ADJECTIVES)} {rng.choice(pools.NOUNS)}"},
            ),
        ),
        "",
        ("What do the words {word} and {word_2} mean?", "define {word} and {word_2}"),
        free_result=True,
    ),
    Kind(
        "translate",
        "language",
        "translate translate_text translator translation",
        ("Translate a text", "Translates text to a language", "Translation into another language"),
        (
            Slot("text", "text text input", pools.sentence),
            Slot("language", "language language target to", pools.one_of(pools.LANGUAGES)),
        ),
        lines("""
            translate "{text}" to {language}
            translate "{text}" into {language}
            translate to {language}: {text}
            translate into {language}: {text}
            How do you say "{text}" in {language}?
            What is "{text}" in {language}?
            say "{text}" in {language}
            put "{text}" into {language}
        """),
        lines("""
            How would I say "{text}" in {language}?
            give me the {language} translation of "{text}"
        """),
        (
            Outcome(
                'In {language} that is "{translation}".',
                ("{translation}",),
                {"translation text": lambda rng: " ".join(pools.person(rng).lower() for _ in range(rng.randint(1, 3)))},
            ),
        ),
        free_result=True,
    ),
    Kind(
        "message",
        "person",
        "send_message message text_message send_text send_sms",
        ("Send a message to a person", "Sends a text message", "Message somebody"),
        (
            Slot("to", "to to recipient name contact", pools.person),
            Slot("body", "body text message content", pools.sentence),
        ),
        lines("""
            send {to} a message: {body}
            send a message to {to}: {body}
            send a message to {to} saying "{body}"
            text {to}: {body}
            text {to} that "{body}"
            message {to}: {body}
            tell {to} by message: {body}
            write a message to {to}: {body}
            send the message "{body}" to {to}
        """),
        lines("""
            send "{body}" to {to} as a message
            write {to} a message: {body}
        """),
        done("The message to {to} is sent.", "sent", "message sent"),
    ),
    Kind(
        "email",
        "address",
        "send_email email send_mail write_email",
        ("Send an email", "Sends mail to a person", "Email somebody"),
        (
            Slot("to", "to to recipient address", lambda rng: f"{pools.person(rng).lower()}@example.com"),
            Slot("subject", "subject subject title", pools.title),
        ),
        lines("""
            send an email to {to} about {subject}
            send an email to {to} with the subject {subject}
            email {to} about {subject}
            write an email to {to} about {subject}
            write an email with the subject {subject} to {to}
            send mail to {to} with the subject {subject}
            I want to email {to} about {subject}.
        """),
        lines("""
            email {to} with the subject {subject}
            send {to} an email about {subject}
        """),
        done("The email to {to} is sent.", "sent", "email sent"),
    ),
    Kind(
        "phone",
        "contact",
        "call_contact phone call dial make_call",
        ("Call a person by phone", "Makes a phone call", "Dials a contact"),
        (Slot("name", "name name contact person", pools.person),),
        lines("""
            call {name}
            phone {name}
            make a call to {name}
            dial {name}
            call {name} on the phone
            I want to call {name}.
            start a call with {name}
            I need to phone {name}.
        """),
        lines("""
            make a phone call to {name}
            give {name} a call
        """),
        done("I am calling {name}.", "calling", "ringing"),
    ),
    Kind(
        "note",
        "note",
        "create_note add_note note save_note take_note",
        ("Create a note", "Saves a note", "Writes down a text", "Take a note"),
        (Slot("text", "text text content note", pools.sentence),),
        lines("""
            make a note: {text}
            take a note: {text}
            write a note: {text}
            note that "{text}"
            add a note saying "{text}"
            save a note: {text}
            write down: {text}
            Note: {text}
            save this as a note: {text}
        """),
        lines("""
            create a note: {text}
            keep a note saying "{text}"
        """),
        done("I saved the note.", "note saved", "saved"),
    ),
    Kind(
        "reminder",
        "reminder",
        "add_reminder remind reminder set_reminder create_reminder",
        ("Set a reminder", "Reminds the user of a task", "Reminder at a time"),
        (Slot("task", "task task text what", pools.task), Slot("time", "time time at when", pools.clock_time)),
        lines("""
            remind me to {task} at {time}
            set a reminder to {task} at {time}
            set a reminder for {time}: {task}
            At {time} remind me to {task}.
            add a reminder at {time}: {task}
            I need a reminder at {time} to {task}.
            remind me at {time} to {task}
        """),
        lines("""
            create a reminder to {task} at {time}
            make a reminder for {time}: {task}
        """),
        done("I will remind you to {task} at {time}.", "reminder set"),
    ),
    Kind(
        "list_add",
        "list",
        "add_to_list add_item list_add shopping_list_add",
        ("Add an item to the shopping list", "Adds to the list", "Put an item on the list"),
        (Slot("item", "item item name product", pools.one_of(pools.FOODS + pools.NOUNS)),),
        lines("""
            add {item} to my list
            add {item} to the list
            add {item} to the shopping list
            put {item} on the list
            put {item} on my shopping list
            I need to buy {item}. Add it to the list.
            write {item} on the list
            add {item} to my shopping list
        """),
        lines("""
            put {item} on my list
            write {item} on my shopping list
        """),
        done("I added {item} to the list.", "added", "item added"),
    ),
    Kind(
        "list_remove",
        "item",
        "remove_from_list remove_item list_remove delete_item",
        ("Remove an item from the shopping list", "Removes from the list", "Take an item off the list"),
        (Slot("item", "item item name product", pools.one_of(pools.FOODS + pools.NOUNS)),),
        lines("""
            remove {item} from my list
            remove {item} from the list
            remove {item} from the shopping list
            take {item} off the list
            take {item} off my list
            delete {item} from the list
            I do not need {item}. Remove it from the list.
            cross {item} off the list
        """),
        lines("""
            take {item} off my shopping list
            delete {item} from my shopping list
        """),
        done("I removed {item} from the list.", "removed", "item removed"),
    ),
    Kind(
        "song",
        "song",
        "play_song play_music play play_track music",
        ("Play a song", "Plays music", "Start a song by title"),
        (Slot("title", "title song name track", pools.title),),
        lines("""
            play {title}
            play the song {title}
            start the song {title}
            put on the song {title}
            I want to hear {title}.
            I want to hear the song {title}.
            play {title} for me
            play the track {title}
            play the music {title}
        """),
        lines("""
            put on {title}, I want music
            play me the song {title}
        """),
        done("Now playing {title}.", "playing", "song started"),
    ),
    Kind(
        "volume",
        "volume",
        "set_volume volume change_volume sound_level",
        ("Set the volume", "Changes the sound volume", "Volume in percent"),
        (Slot("level", "level level volume percent", pools.between(0, 100), "integer"),),
        lines("""
            set the volume to {level}
            turn the volume to {level}
            change the volume to {level}
            put the volume at {level}
            Volume {level}.
            set the sound to {level} percent
            set the volume to {level} percent
            Volume to {level}, please.
            make the volume {level}
        """),
        lines("""
            turn the volume to {level} percent
            bring the volume to {level}
        """),
        done("The volume is now {level}.", "volume set"),
    ),
    Kind(
        "lights",
        "room",
        "set_lights lights switch_lights light_control room_lights",
        ("Switch the lights in a room", "Turns lights on or off", "Light control"),
        (
            Slot("room", "room room area", pools.one_of(pools.ROOMS)),
            Slot(
                "on",
                "on on state enabled",
                pools.one_of([True, False]),
                "boolean",
                None,
                {True: ("on",), False: ("off",)},
            ),
        ),
        lines("""
            turn {on} the lights in the {room}
            turn the lights in the {room} {on}
            turn {on} the {room} lights
            turn the {room} lights {on}
            switch {on} the lights in the {room}
            switch the {room} lights {on}
            Lights {on} in the {room}.
            switch the lights {on} in the {room}
            turn {on} the light in the {room}
        """),
        lines("""
            switch the light in the {room} {on}
            turn the light {on} in the {room}
        """),
        done("The lights in the {room} are {on}.", "lights switched"),
        "in the ",
    ),
    Kind(
        "device",
        "device",
        "switch_device device power set_power toggle_device",
        ("Switch a device on or off", "Turns a device on or off", "Power of a device"),
        (
            Slot("device", "device device name", pools.one_of(pools.DEVICES)),
            Slot(
                "on",
                "on on power state",
                pools.one_of([True, False]),
                "boolean",
                None,
                {True: ("on",), False: ("off",)},
            ),
        ),
        lines("""
            turn {on} the {device}
            turn the {device} {on}
            switch {on} the {device}
            switch the {device} {on}
            I want the {device} {on}.
            turn my {device} {on}
            switch my {device} {on}
            The {device} should be {on}.
        """),
        lines("""
            turn {on} my {device}
            put the {device} {on}
        """),
        done("The {device} is {on}.", "switched"),
        "the ",
    ),
    Kind(
        "mute",
        "sound",
        "set_mute mute mute_sound silence",
        ("Turn mute on or off", "Mutes the sound", "Mute"),
        (
            Slot(
                "on", "on muted enabled", pools.one_of([True, False]), "boolean", None, {True: ("on",), False: ("off",)}
            ),
        ),
        lines("""
            turn mute {on}
            turn {on} mute
            switch mute {on}
            Mute {on}.
            set mute to {on}
            put mute {on}
            I want mute {on}.
        """),
        lines("""
            switch {on} mute
            Mute should be {on}.
        """),
        done("Mute is {on}."),
    ),
    Kind(
        "thermostat",
        "temperature",
        "set_temperature thermostat set_thermostat heating",
        ("Set the thermostat", "Sets the room temperature", "Heating in degrees"),
        (Slot("degrees", "temperature degrees value", pools.degrees, "number"),),
        lines("""
            set the thermostat to {degrees}
            set the thermostat to {degrees} degrees
            set the temperature to {degrees}
            set the heating to {degrees} degrees
            turn the heating to {degrees}
            make it {degrees} degrees in here
            put the thermostat at {degrees}
            I want {degrees} degrees in the room.
            change the temperature to {degrees} degrees
        """),
        lines("""
            turn the thermostat to {degrees} degrees
            put the heating at {degrees}
        """),
        done("The thermostat is set to {degrees} degrees.", "temperature set"),
    ),
    Kind(
        "table",
        "table",
        "book_table reserve_table table_booking restaurant_reservation",
        ("Book a table at a restaurant", "Reserves a table", "Restaurant booking"),
        (
            Slot("restaurant", "restaurant restaurant name place", pools.restaurant),
            Slot("people", "people people guests party_size", pools.between(2, 14), "integer"),
            Slot("time", "time time at", pools.clock_time),
        ),
        lines("""
            book a table at {restaurant} for {people} people at {time}
            book a table for {people} at {restaurant} at {time}
            reserve a table at {restaurant} for {people} people at {time}
            reserve a table for {people} people at {restaurant} at {time}
            I need a table for {people} at {restaurant} at {time}.
            get a table at {restaurant} at {time} for {people}
            We are {people} people. Book a table at {restaurant} at {time}.
            book {restaurant} for {people} people at {time}
        """),
        lines("""
            reserve a table for {people} at {restaurant}, at {time}
            I want a table at {restaurant} at {time} for {people} people.
        """),
        done("Your table for {people} at {restaurant} is booked at {time}.", "booked", "table booked"),
    ),
    Kind(
        "food_search",
        "restaurant",
        "find_restaurant restaurants search_restaurants places_to_eat",
        ("Find a restaurant in a city", "Where to eat", "Restaurants by food and city"),
        (Slot("food", "food dish cuisine", pools.one_of(pools.DISHES)), CITY),
        lines("""
            find a restaurant with {food} in {city}
            Where can I eat {food} in {city}?
            I want to eat {food} in {city}.
            find a place with {food} in {city}
            Which restaurant in {city} has {food}?
            look for a restaurant with {food} in {city}
            I am hungry. Where is {food} in {city}?
        """),
        lines("""
            Where do they serve {food} in {city}?
            find a restaurant in {city} that has {food}
        """),
        (Outcome("You can eat {food} at {name} in {city}.", ("{name}",), {"name restaurant": pools.restaurant}),),
        "in ",
    ),
    Kind(
        "flights",
        "flight",
        "search_flights find_flights flights get_flights",
        ("Search flights between cities", "Find flights", "Flights from a city to another"),
        (
            Slot("start", "from from origin departure", None),
            Slot("goal", "to to destination arrival", None),
        ),
        lines("""
            find flights from {start} to {goal}
            find a flight from {start} to {goal}
            search flights from {start} to {goal}
            I want to fly from {start} to {goal}.
            Are there flights from {start} to {goal}?
            show me flights from {start} to {goal}
            I need a flight from {start} to {goal}.
            Is there a flight to {goal} from {start}?
        """),
        lines("""
            look for flights to {goal} from {start}
            Which flights go from {start} to {goal}?
        """),
        (
            Outcome(
                "There are {count} flights from {start} to {goal}.",
                ("{count} flights",),
                {"count flights": pools.between(2, 30)},
            ),
            Outcome(
                "Flight {flight} leaves {start} at {time}.",
                ("{flight} at {time}", "{flight}, {time}"),
                {
                    "flight number": lambda rng: f"{pools.symbol(rng)[:2]}{rng.randint(10, 999)}",
                    "time departure": pools.clock_time,
                },
            ),
        ),
        draw=two_cities("start", "goal"),
    ),
    Kind(
        "trains",
        "train",
        "find_trains search_trains trains next_train train_times",
        ("Find trains between cities", "Next train from a city to another", "Train times"),
        (
            Slot("start", "from from origin departure", None),
            Slot("goal", "to to destination arrival", None),
        ),
        lines("""
            When does the next train from {start} to {goal} leave?
            find a train from {start} to {goal}
            find trains from {start} to {goal}
            I need a train from {start} to {goal}.
            I want to take the train from {start} to {goal}.
            Is there a train from {start} to {goal}?
            show me the trains from {start} to {goal}
            When is the next train to {goal} from {start}?
        """),
        lines("""
            look for trains to {goal} from {start}
            Which train goes from {start} to {goal}?
        """),
        (
            Outcome(
                "The next train from {start} to {goal} leaves at {time}.",
                ("{time}",),
                {"time departure": pools.clock_time},
            ),
        ),
        draw=two_cities("start", "goal"),
    ),
    Kind(
        "distance",
        "place",
        "get_distance distance distance_between how_far",
        ("Distance between two places", "How far two cities are apart", "Distance in km"),
        (
            Slot("start", "from from origin start", None),
            Slot("goal", "to to destination end", None),
        ),
        lines("""
            How far is it from {start} to {goal}?
            What is the distance from {start} to {goal}?
            What is the distance between {start} and {goal}?
            How far is {start} from {goal}?
            tell me the distance from {start} to {goal}
            How many km is it from {start} to {goal}?
            How far apart are {start} and {goal}?
            measure the distance between {start} and {goal}
        """),
        lines("""
            compute the distance from {start} to {goal}
            I need the distance between {start} and {goal}.
        """),
        (
            Outcome(
                "It is {km} km from {start} to {goal}.", ("{km} km", "{km}"), {"km distance": pools.between(12, 9000)}
            ),
        ),
        draw=two_cities("start", "goal"),
    ),
    Kind(
        "population",
        "city",
        "get_population population city_population inhabitants",
        ("Population of a city", "How many people live in a city", "Number of inhabitants"),
        (CITY,),
        lines("""
            What is the population of {city}?
            How many people live in {city}?
            How big is the population of {city}?
            tell me the population of {city}
            How many inhabitants does {city} have?
            look up the population of {city}
            Population of {city}?
        """),
        lines("""
            How many people are living in {city}?
            I need the population of {city}.
        """),
        (
            Outcome(
                "{city} has {count} inhabitants.",
                ("{count}",),
                {"count population inhabitants": pools.between(2000, 9000000)},
            ),
        ),
        "in ",
    ),
    Kind(
        "sunrise",
        "city",
        "get_sunrise sunrise sunrise_time sun_times",
        ("Time of sunrise in a city", "When the sun rises", "Sunrise by city"),
        (CITY,),
        lines("""
            When does the sun rise in {city}?
            When is sunrise in {city}?
            At what time is the sunrise in {city}?
            tell me the time of sunrise in {city}
            Sunrise in {city}?
            What time does the sun rise in {city}?
            look up the sunrise in {city}
        """),
        lines("""
            When will the sun rise in {city}?
            What time is sunrise in {city}?
        """),
        (Outcome("The sun rises at {time} in {city}.", ("{time}",), {"time sunrise": pools.clock_time}),),
        "in ",
    ),
    Kind(
        "stock",
        "symbol",
        "get_stock_price stock_price stock get_quote share_price",
        ("Get the price of a stock", "Stock price by symbol", "Quote of a share"),
        (Slot("symbol", "symbol symbol ticker stock", pools.symbol),),
        lines("""
            What is the stock price of {symbol}?
            What is the price of {symbol} stock?
            How much is a share of {symbol}?
            get the stock price of {symbol}
            How is {symbol} stock doing?
            tell me the stock price of {symbol}
            What does a {symbol} share cost?
            look up the stock {symbol}
        """),
        lines("""
            How much is {symbol} stock?
            check the stock price of {symbol}
        """),
        (Outcome("{symbol} is at {price}.", ("{price}",), {"price value quote": pools.price}),),
        "",
        ("What are the stock prices of {symbol} and {symbol_2}?", "get the stock price of {symbol} and {symbol_2}"),
    ),
    Kind(
        "news",
        "news",
        "get_news news latest_news headlines news_search",
        ("Get the news about a topic", "Latest news", "News headlines by topic"),
        (
            Slot(
                "topic", "topic topic subject about", lambda rng: rng.choice((pools.word, pools.city, pools.query))(rng)
            ),
        ),
        lines("""
            What is the news about {topic}?
            get the news about {topic}
            Is there news about {topic}?
            show me the latest news on {topic}
            What are the headlines about {topic}?
            tell me the news about {topic}
            Any news about {topic}?
            read me the news on {topic}
        """),
        lines("""
            What is the latest news about {topic}?
            show me headlines on {topic}
        """),
        (Outcome("The news says: {text}.", ("{text}",), {"text headline title": pools.sentence}),),
        free_result=True,
    ),
    Kind(
        "read_file",
        "file",
        "read_file open_file file_read get_file cat",
        ("Read a file", "Returns the content of a file", "Opens a file by path"),
        (Slot("path", "path path file filename", pools.path),),
        lines("""
            read the file {path}
            read {path}
            What is in the file {path}?
            show me the file {path}
            show the content of {path}
            open the file {path}
            What does {path} contain?
            print the file {path}
            What is in {path}?
        """),
        lines("""
            show me what is in the file {path}
            read me the content of the file {path}
        """),
        (Outcome("The file says: {content}.", ("{content}",), {"content text": pools.sentence}),),
        free_result=True,
    ),
    Kind(
        "delete_file",
        "file",
        "delete_file remove_file erase_file file_delete",
        ("Delete a file", "Removes a file by path", "Erases a file"),
        (Slot("path", "path path file filename", pools.path),),
        lines("""
            delete the file {path}
            delete {path}
            remove the file {path}
            erase the file {path}
            I do not need the file {path}. Delete it.
            remove {path}
            get rid of the file {path}
        """),
        lines("""
            erase {path}
            throw away the file {path}
        """),
        done("I deleted {path}.", "deleted", "file deleted"),
    ),
    Kind(
        "list_folder",
        "folder",
        "list_directory list_files ls list_folder directory",
        ("List a directory", "Lists the files in a folder", "Names of files in a directory"),
        (Slot("path", "path path directory folder", pools.folder),),
        lines("""
            list the directory {path}
            list the files in {path}
            Which files are in {path}?
            What files are in the folder {path}?
            show me the files in {path}
            list {path}
            show the directory {path}
            What is in the directory {path}?
        """),
        lines("""
            show me the folder {path}
            Which files are in the directory {path}?
        """),
        (
            Outcome(
                "In {path} are {one} and {two}.",
                ("{one} {two}", "{one}, {two}"),
                {"one first": pools.path, "two second": pools.path},
            ),
            Outcome("In {path} are {count} files.", ("{count} files",), {"count files": pools.between(2, 400)}),
        ),
    ),
    Kind(
        "command",
        "command",
        "run_command shell execute run bash",
        ("Run a shell command", "Executes a command", "Runs a command and returns the output"),
        (Slot("command", "command command cmd", pools.command),),
        lines("""
            run the command "{command}"
            run "{command}"
            run the command: {command}
            execute "{command}"
            execute the command: {command}
            run this: {command}
            type the command "{command}"
            What does the command "{command}" print?
        """),
        lines("""
            execute the command "{command}"
            run this command: {command}
        """),
        (Outcome("The command printed: {output}.", ("{output}",), {"output stdout": pools.remark}),),
        free_result=True,
    ),
    Kind(
        "event",
        "event",
        "create_event add_event calendar_add new_event schedule",
        ("Create a calendar event", "Adds an event to the calendar", "Calendar entry with title and day"),
        (
            Slot("title", "title title name event", pools.event),
            Slot("day", "day day date when", pools.one_of(pools.DAYS)),
        ),
        lines("""
            add {title} to my calendar for {day}
            add {title} on {day} to the calendar
            put {title} in my calendar for {day}
            create an event {title} on {day}
            create the event {title} for {day}
            make a calendar event: {title}, {day}
            plan {title} for {day}
            put {title} on {day} in the calendar
        """),
        lines("""
            add an event {title} for {day} to my calendar
            make an event: {title} on {day}
        """),
        done("{title} is in your calendar for {day}.", "event created", "created"),
    ),
    Kind(
        "recipe",
        "recipe",
        "get_recipe recipe find_recipe search_recipe cook",
        ("Find a recipe for a dish", "Get a recipe", "How to cook a dish"),
        (Slot("dish", "dish dish food name", pools.one_of(pools.DISHES)),),
        lines("""
            find a recipe for {dish}
            How do I make {dish}?
            How do I cook {dish}?
            What is the recipe for {dish}?
            get me a recipe for {dish}
            I want to cook {dish}.
            show me a recipe for {dish}
            I need a recipe for {dish}.
        """),
        lines("""
            look for a recipe for {dish}
            I want to make {dish}. Find a recipe.
        """),
        (
            Outcome(
                "For {dish} you need {one} and {two}.",
                ("{one}, {two}", "{one} and {two}"),
                {"one first": pools.one_of(pools.FOODS), "two second": pools.one_of(pools.FOODS)},
            ),
        ),
        "for ",
    ),
    Kind(
        "random",
        "range",
        "random_number get_random random pick_number rand",
        ("Pick a random number", "Random number between min and max", "A random integer"),
        (Slot("low", "min min low start", None, "integer"), Slot("high", "max max high end", None, "integer")),
        lines("""
            pick a number between {low} and {high}
            give me a random number between {low} and {high}
            choose a random number from {low} to {high}
            pick a random number from {low} to {high}
            I need a random number between {low} and {high}.
            Random number from {low} to {high}.
            choose a number between {low} and {high}
        """),
        lines("""
            pick a random number between {low} and {high}
            draw a number from {low} to {high}
        """),
        (Outcome("The number is {result}.", ("{result}",), {"result number value": None}),),
        draw=low_and_high,
        compute=lambda rng, values: {"result": rng.randint(values["low"], values["high"])},
    ),
    Kind(
        "coin",
        "coin",
        "flip_coin coin_flip toss_coin coin",
        ("Flip a coin", "Tosses a coin", "Heads or tails"),
        (),
        lines("""
            flip a coin
            toss a coin
            throw a coin
            Heads or tails?
            flip a coin for me
            do a coin flip
            I need a coin flip.
            toss a coin for me
        """),
        lines("""
            do a coin toss
            Heads or tails? Flip the coin.
        """),
        (Outcome("It is {side}.", ("{side}",), {"side result": pools.one_of(["heads", "tails"])}),),
    ),
    Kind(
        "dice",
        "die",
        "roll_dice roll_die dice throw_dice",
        ("Roll a die", "Rolls a die with some sides", "Throw a die"),
        (Slot("sides", "sides sides faces", pools.between(4, 30), "integer"),),
        lines("""
            roll a die with {sides} sides
            throw a die with {sides} sides
            roll a {sides} sided die
            I want to roll a die with {sides} sides.
            roll the {sides} sided die
            throw the die with {sides} sides
            Dice with {sides} sides, please.
        """),
        lines("""
            throw a {sides} sided die
            I need a roll of a die with {sides} sides.
        """),
        (Outcome("You rolled {result}.", ("{result}",), {"result roll value": None}),),
        compute=lambda rng, values: {"result": rng.randint(1, values["sides"])},
    ),
    Kind(
        "book",
        "book",
        "find_book search_book library book_lookup search_library",
        ("Find a book in the library", "Library search by title", "Looks for a book"),
        (Slot("title", "title title name book", pools.title),),
        lines("""
            find the book {title}
            Does the library have {title}?
            look for the book {title}
            Is the book {title} in the library?
            search the library for {title}
            Who wrote the book {title}?
            look up the book {title}
            I am looking for the book {title}.
        """),
        lines("""
            find {title} in the library
            Do you have the book {title}?
        """),
        (Outcome("{title} is by {author}.", ("by {author}", "{author}"), {"author writer": pools.person}),),
    ),
    Kind(
        "film",
        "film",
        "movie_times film_times showtimes get_movie_times",
        ("When a film is shown", "Cinema times of a film", "Show times by title"),
        (Slot("title", "title film movie", pools.title),),
        lines("""
            When is the film {title} shown?
            When can I see the film {title}?
            When does the movie {title} start?
            What time is the movie {title}?
            I want to see the film {title}.
            look up the times of the film {title}
            When is {title} in the cinema?
        """),
        lines("""
            When does the film {title} start?
            I want to watch {title} in the cinema.
        """),
        (Outcome("{title} starts at {time}.", ("{time}",), {"time start": pools.clock_time}),),
    ),
    Kind(
        "user",
        "user",
        "get_user find_user user_lookup lookup_user user",
        ("Look up a user by id", "Get a user", "Finds the user with an id"),
        (Slot("id", "id id user_id number", pools.number, "integer"),),
        lines("""
            look up user {id}
            Who is user {id}?
            get user {id}
            find the user with id {id}
            show me user {id}
            Which user has the id {id}?
            Who is the user with the id {id}?
            show the user number {id}
        """),
        lines("""
            look up the user with id {id}
            tell me who user {id} is
        """),
        (
            Outcome("User {id} is {name}.", ("{name}",), {"name user": pools.person}),
            Outcome(
                "User {id} is {name} from {place}.",
                ("{name}, {place}", "{name} from {place}"),
                {"name": pools.person, "place city": pools.city},
            ),
        ),
        "",
    ),
    Kind(
        "order",
        "order",
        "order_status get_order track_order check_order",
        ("Get the status of an order", "Order status by number", "Where an order is"),
        (Slot("number", "order number order_id id", pools.number, "integer"),),
        lines("""
            What is the status of order {number}?
            Where is my order {number}?
            check order {number}
            track order {number}
            What about my order number {number}?
            tell me the status of my order {number}
            Is order {number} on its way?
            look up order {number}
        """),
        lines("""
            check the status of order {number}
            Where is the order with the number {number}?
        """),
        (
            Outcome(
                "Order {number} is {status}.",
                ("{status}",),
                {
                    "status state": pools.one_of(
                        "shipped,delivered,on its way,packed,paid,late,waiting,canceled,returned,open".split(",")
                    )
                },
            ),
        ),
        "",
        ("What is the status of orders {number} and {number_2}?", "check the orders {number} and {number_2}"),
    ),
    Kind(
        "package",
        "package",
        "track_package track_parcel parcel_status package_status",
        ("Track a package by code", "Where a package is", "Parcel tracking"),
        (Slot("code", "code tracking_code id", pools.code),),
        lines("""
            Where is the package {code}?
            track the package {code}
            Where is my package with the code {code}?
            track my package {code}
            What is the status of the package {code}?
            find the package {code}
            Has package {code} arrived?
        """),
        lines("""
            Where is package {code} now?
            track the package with the code {code}
        """),
        (Outcome("Package {code} is in {place}.", ("{place}", "in {place}"), {"place location city": pools.city}),),
        "",
    ),
    Kind(
        "count_words",
        "text",
        "count_words word_count words count",
        ("Count the words of a text", "Number of words", "Counts words"),
        (Slot("text", "text text input", pools.sentence),),
        lines("""
            count the words in "{text}"
            How many words are in "{text}"?
            How many words has "{text}"?
            count the words: {text}
            tell me how many words "{text}" has
            count the words of "{text}"
            How many words are there in "{text}"?
        """),
        lines("""
            How many words does "{text}" have?
            count words in this: {text}
        """),
        (Outcome("The text has {count} words.", ("{count}", "{count} words"), {"count words": None}),),
        compute=lambda rng, values: {"count": len(values["text"].split())},
    ),
    Kind(
        "room_temperature",
        "room",
        "room_temperature read_sensor get_room_temperature sensor",
        ("Temperature in a room", "Reads the sensor of a room", "How warm a room is"),
        (Slot("room", "room room sensor", pools.one_of(pools.ROOMS)),),
        lines("""
            How warm is it in the {room}?
            What is the temperature in the {room}?
            read the temperature in the {room}
            Is it warm in the {room}?
            How cold is it in the {room}?
            tell me the temperature of the {room}
            read the sensor in the {room}
        """),
        lines("""
            check the temperature in the {room}
            What does the sensor in the {room} say?
        """),
        (
            Outcome(
                "It is {degrees} C in the {room}.", ("{degrees} C", "{degrees}"), {"degrees temperature": pools.degrees}
            ),
        ),
        "in the ",
    ),
    Kind(
        "holidays",
        "year",
        "count_holidays holidays get_holidays public_holidays",
        ("Number of holidays in a year", "Public holidays of a year", "Holidays by year"),
        (Slot("year", "year year in_year", pools.between(1990, 2060), "integer"),),
        lines("""
            How many holidays are in {year}?
            How many public holidays does {year} have?
            count the holidays of {year}
            get the holidays of {year}
            How many holidays are there in {year}?
            tell me the number of holidays in {year}
            look up the holidays in {year}
        """),
        lines("""
            What is the number of holidays in {year}?
            How many holidays does the year {year} have?
        """),
        (
            Outcome(
                "The year {year} has {count} holidays.",
                ("{count}", "{count} holidays"),
                {"count holidays": pools.between(5, 30)},
            ),
        ),
        "in ",
    ),
)

THINGS = (
    "lamp pump robot printer server ticket invoice account device sensor machine engine truck bus door gate window room"
    " task job project team contract report page image video file folder group player game level card box shelf product"
    " part battery camera router cable motor valve tank boiler oven elevator parcel letter meeting lesson course ship"
    " crane tractor bike car plane drone channel alert backup cluster node container queue process"
).split()
PROPERTIES = {
    "price": pools.price,
    "balance": pools.price,
    "owner": pools.person,
    "name": pools.person,
    "location": pools.city,
    "color": pools.one_of("red blue green white black yellow brown gray orange pink".split()),
    "status": pools.one_of("open closed ready busy waiting finished broken active new paused".split()),
    "state": pools.one_of("on off idle running stopped failed locked good bad".split()),
    "type": pools.code,
    "version": lambda rng: f"{rng.randint(0, 9)}.{rng.randint(0, 30)}",
    "date": pools.date,
    "size": pools.number,
    "weight": pools.number,
    "age": pools.between(1, 90),
    "speed": pools.number,
    "temperature": pools.between(-20, 99),
    "power": pools.number,
    "length": pools.number,
    "score": pools.number,
    "rank": pools.between(1, 500),
    "level": pools.between(1, 100),
    "height": pools.number,
}
DEEDS = (
    ("start", "started"),
    ("stop", "stopped"),
    ("open", "open"),
    ("close", "closed"),
    ("lock", "locked"),
    ("unlock", "unlocked"),
    ("restart", "restarted"),
    ("cancel", "canceled"),
    ("pause", "paused"),
    ("archive", "archived"),
    ("check", "checked"),
    ("move", "moved"),
    ("copy", "copied"),
    ("clean", "cleaned"),
    ("repair", "repaired"),
    ("reset", "reset"),
    ("block", "blocked"),
    ("test", "tested"),
    ("approve", "approved"),
    ("publish", "published"),
)
PROPERTY_ASKS = """
    What is the @property of @thing {key}?
    tell me the @property of @thing {key}
    look up the @property of @thing {key}
    I need the @property of @thing {key}.
    get the @property of the @thing {key}
    What @property does the @thing {key} have?
    show me the @property of @thing {key}
    What is the @property of the @thing {key}?
    Which @property has @thing {key}?
"""
PROPERTY_HELD = """
    check the @property of @thing {key}
    find out the @property of the @thing {key}
"""
DEED_ASKS = """
    @deed @thing {key}
    @deed the @thing {key}
    I want you to @deed @thing {key}.
    The @thing {key}: @deed it.
    @deed my @thing {key}
    We have to @deed @thing {key}.
    I need to @deed @thing {key}.
    @deed @thing {key} now
"""
DEED_HELD = """
    It is time to @deed @thing {key}.
    @deed the @thing {key} now
"""


def invented(rng: random.Random) -> Kind:
    """A kind of tool of which there are many: it tells a property of a thing, or does something with it."""
    thing = rng.choice(THINGS)
    pool, kind = rng.choice(((pools.number, "integer"), (pools.code, "string"), (pools.person, "string")))
    slot = Slot("key", f"id id number {thing}_id {thing}" if kind == "integer" else f"name id {thing}", pool, kind)
    if rng.random() < 0.5:
        return property_tool(thing, rng.choice(list(PROPERTIES)), slot)
    return deed_tool(thing, *rng.choice(DEEDS), slot)


def article(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def property_tool(thing: str, prop: str, slot: Slot) -> Kind:
    def said(text: str) -> tuple:
        return lines(text.replace("@property", prop).replace("@thing", thing))

    one = article(thing)
    return Kind(
        f"{prop}_{thing}",
        thing,
        f"get_{thing}_{prop} {thing}_{prop} {prop}_of_{thing} get_{prop} fetch_{thing}_{prop}",
        (f"Get the {prop} of {one}", f"The {prop} of {one}", f"Tells the {prop} of {one}"),
        (slot,),
        said(PROPERTY_ASKS),
        said(PROPERTY_HELD),
        (
            Outcome(
                f"The {prop} of {thing} {{key}} is {{value}}.", ("{value}",), {f"value {prop} {prop}": PROPERTIES[prop]}
            ),
        ),
        f"of {thing} ",
        free_result=True,
    )


def deed_tool(thing: str, deed: str, past: str, slot: Slot) -> Kind:
    def said(text: str) -> tuple:
        return lines(text.replace("@deed", deed).replace("@thing", thing))

    one = article(thing)
    return Kind(
        f"{deed}_{thing}",
        thing,
        f"{deed}_{thing} {deed}_{thing} {thing}_{deed} do_{deed} {deed}_the_{thing}",
        (f"{deed.capitalize()} {one}", f"Can {deed} {one}", f"Use this to {deed} {one}"),
        (slot,),
        said(DEED_ASKS),
        said(DEED_HELD),
        done(f"{thing.capitalize()} {{key}} is {past}.", past),
    )
