"""The tables of small talk: phrasings, pools of words, and what a user may tell about himself."""

import random
from dataclasses import dataclass
from typing import Callable, Sequence

from .phrasing import Phrasings, phrasings

# Pools of names and places; half of those drawn are made up, so that they have to be copied.

NAMES = (
    "Mira Anna Tom Lena Paul Nora Jonas Emma Felix Clara Max Lucy Peter Sara David Julia Simon Maria Daniel "
    "Laura Oscar "
    "Ella Henry Grace Leo Alice Jack Ruby Sam Zoe Adam Eva Ben Ida Karl Rosa Hugo Vera Otto Mona Erik Tina Ivan Olga "
    "Luis Carmen Pedro Elena Marco Sofia Luca Giulia Pierre Chloe Louis Camille Yuki Hana Ken Mei Wei Lin Raj "
    "Priya Arjun "
    "Amina Omar Layla Hassan Fatima Kofi Abena Jürgen Zoé René Bob Kate Mike Jane George Helen Frank Rita Victor Nina"
).split()
CITIES = (
    "Bern Paris London Berlin Madrid Rome Vienna Oslo Lisbon Dublin Prague Warsaw Athens Helsinki Stockholm "
    "Zürich Hamburg "
    "Munich Lyon Milan Naples Porto Seville Geneva Basel Graz Ghent Leeds York Bristol Boston Chicago Seattle "
    "Denver Austin "
    "Dallas Toronto Sydney Perth Auckland Tokyo Osaka Seoul Beijing Delhi Mumbai Cairo Nairobi Lagos Accra Lima "
    "Bogota Quito"
).split()
ONSETS = "b d f g h j k l m n p r s t v w z br dr fr gr kr tr bl fl kl sh ch".split()
VOWELS = "a e i o u a e i o ai ea oo".split()
CODAS = ["", "", "", "n", "l", "r", "s", "m", "x", "ck", "th"]
CITY_ENDINGS = "burg ville ton stad wick ford field haven dorf mouth".split()


def made_up_name(rng: random.Random) -> str:
    syllables = [rng.choice(ONSETS) + rng.choice(VOWELS) for _ in range(rng.choice((1, 2, 2, 2, 3)))]
    return "".join(syllables + [rng.choice(CODAS)]).capitalize()


def made_up_city(rng: random.Random) -> str:
    return rng.choice(ONSETS).capitalize() + rng.choice(VOWELS) + rng.choice("lnrmst") + rng.choice(CITY_ENDINGS)


def some_name(rng: random.Random) -> str:
    return rng.choice(NAMES) if rng.random() < 0.4 else made_up_name(rng)


def some_city(rng: random.Random) -> str:
    return rng.choice(CITIES) if rng.random() < 0.5 else made_up_city(rng)


COLOURS = (
    "red green blue yellow orange purple pink brown black white grey silver gold violet turquoise beige crimson "
    "olive navy"
).split()
FOODS = (
    "pizza|pasta|rice|soup|bread|cheese|apple pie|ice cream|chocolate|salad|fish|curry|noodles|pancakes|"
    "potatoes|cake|sushi|"
    "tomato soup|fried rice|mushrooms|strawberries|cherries|lasagne|tacos|honey|omelette|beans|dumplings|"
    "waffles|falafel"
).split("|")
ANIMALS = (
    "fox dog cat horse owl bear wolf tiger lion rabbit penguin dolphin whale elephant eagle turtle frog "
    "hedgehog goat sheep "
    "duck snake lizard camel zebra monkey panda otter swan crow donkey mouse seal bee spider crab deer badger squirrel"
).split()
JOBS = (
    "a librarian|a baker|a teacher|a doctor|a nurse|a farmer|a pilot|a gardener|a cook|a painter|a lawyer|a "
    "writer|a singer|"
    "a driver|a plumber|a carpenter|a sailor|a tailor|a waiter|a judge|a miner|a dentist|a butcher|a florist|a "
    "detective|"
    "a pirate|a wizard|a tour guide|a shoemaker|a clockmaker|an engineer|an actor|an artist|an astronaut|an architect"
).split("|")
PETS = "dog cat horse hamster parrot rabbit goldfish turtle pony mouse".split()
RELATIVES = "sister brother mother father son daughter friend neighbour aunt uncle cousin boss teacher".split()
HOBBIES = (
    "chess tennis football swimming cooking painting dancing hiking reading fishing gardening knitting running skiing "
    "climbing singing sailing photography pottery cycling juggling"
).split()


@dataclass(frozen=True)
class Told:
    """What a user told; `other` is a second word that a sentence needs, such as the kind of pet."""

    value: str
    accepted: str
    other: str = ""

    def put_into(self, text: str) -> str:
        for mark, word in (("{x}", self.value), ("{o}", self.other)):
            article = "an" if word[:1] in "aeiou" else "a"
            text = text.replace(f" a {mark}", f" {article} {word}").replace(mark, word)
        return text


@dataclass(frozen=True)
class Memory:
    """A kind of thing that users tell about themselves and ask for later."""

    key: str
    draw: Callable[[random.Random], Told]
    tell: Phrasings
    noted: str
    ask: Phrasings
    answer: str


def _word(value: str, other: str = "") -> Told:
    return Told(value, value, other)


def _job(value: str) -> Told:
    return Told(value, value.split(" ", 1)[1])


MEMORIES: Sequence[Memory] = (
    Memory(
        "name",
        lambda rng: _word(some_name(rng)),
        phrasings(
            """
            My name is {x}.
            I am {x}.
            I'm {x}.
            Hi, I am {x}.
            Hello, my name is {x}.
            Hi! My name is {x}.
            Hello! I am {x}.
            Call me {x}.
            You can call me {x}.
            Please call me {x}.
            People call me {x}.
            Everybody calls me {x}.
            My friends call me {x}.
            I am called {x}.
            The name is {x}.
            {x} is my name.
            By the way, my name is {x}.
            Good morning, I am {x}.
            Let me introduce myself: I am {x}.
            Remember my name, it is {x}.
            My name is {x}, what is yours?
            Nice to meet you, I am {x}.
            ~ Hey, my name is {x}.
            ~ Good evening, I am called {x}.
            ~ Please remember that my name is {x}.
            ~ Hello, you can call me {x}.
            """
        ),
        "Nice to meet you, {x}!",
        phrasings(
            """
            What is my name?
            What's my name?
            Who am I?
            Do you know my name?
            Do you remember my name?
            Can you tell me my name?
            Tell me my name.
            Say my name.
            What am I called?
            What did I say my name was?
            Did you forget my name?
            What was my name?
            How am I called?
            And what is my name?
            Which name did I tell you?
            What do people call me?
            Do you know who I am?
            Do you remember who I am?
            My name, please?
            I told you my name. What is it?
            What name do I have?
            ~ Can you say my name?
            ~ Do you still know my name?
            ~ Please tell me my name.
            ~ What was my name again?
            """
        ),
        "Your name is {x}.",
    ),
    Memory(
        "home",
        lambda rng: _word(some_city(rng)),
        phrasings(
            """
            I live in {x}.
            I am living in {x}.
            My home is in {x}.
            My home town is {x}.
            My house is in {x}.
            I have a flat in {x}.
            My family and I live in {x}.
            I moved to {x} last year.
            I now live in {x}.
            We live in {x}.
            I live near {x}.
            My city is {x}.
            The city where I live is {x}.
            {x} is where I live.
            I have lived in {x} for years.
            ~ At the moment I live in {x}.
            ~ My flat is in {x}.
            ~ The town where I live is {x}.
            """
        ),
        "{x} sounds like a nice place.",
        phrasings(
            """
            Where do I live?
            In which city do I live?
            What city do I live in?
            Which city do I live in?
            Where is my home?
            Where is my house?
            Do you know where I live?
            Do you remember where I live?
            Tell me where I live.
            What is my city?
            What is my home town?
            Which town do I live in?
            And where do I live?
            Where did I say I live?
            Can you tell me where I live?
            In what place do I live?
            I told you where I live. Where is it?
            ~ In which town do I live?
            ~ Where do I live again?
            ~ Can you remember my home town?
            ~ Please tell me where I live.
            """
        ),
        "You live in {x}.",
    ),
    Memory(
        "colour",
        lambda rng: _word(rng.choice(COLOURS)),
        phrasings(
            """
            My favourite colour is {x}.
            My favorite color is {x}.
            I like the colour {x} most.
            I love the colour {x}.
            {x} is my favourite colour.
            The colour I like best is {x}.
            Of all colours I like {x} best.
            My best colour is {x}.
            I think {x} is the nicest colour.
            For me {x} is the best colour.
            ~ The colour that I love most is {x}.
            ~ My favorite colour is {x}.
            """
        ),
        "{x} is a lovely colour.",
        phrasings(
            """
            What is my favourite colour?
            What is my favorite color?
            Which colour do I like best?
            Which colour is my favourite?
            What colour do I like?
            What colour do I love?
            Do you remember my favourite colour?
            Do you know my favourite colour?
            Tell me my favourite colour.
            Which color do I like most?
            And my favourite colour?
            What did I say my favourite colour was?
            Can you tell me my favourite colour?
            ~ Which colour do I like most?
            ~ Do you still know my favorite color?
            ~ What was my favourite colour?
            """
        ),
        "Your favourite colour is {x}.",
    ),
    Memory(
        "food",
        lambda rng: _word(rng.choice(FOODS)),
        phrasings(
            """
            My favourite food is {x}.
            My favorite food is {x}.
            I like to eat {x}.
            I love to eat {x}.
            The food I like best is {x}.
            Most of all I like to eat {x}.
            {x} is my favourite food.
            {x} is the best food.
            I could eat {x} every day.
            My favourite dish is {x}.
            For dinner I like to eat {x} best.
            ~ The food that I love most is {x}.
            ~ I eat {x} every day, it is my favourite food.
            """
        ),
        "I will remember that you like {x}.",
        phrasings(
            """
            What is my favourite food?
            What is my favorite food?
            What do I like to eat?
            What do I love to eat?
            Which food do I like best?
            Which food is my favourite?
            Do you remember my favourite food?
            Do you know what I like to eat?
            Tell me my favourite food.
            Which dish do I like?
            What is my favourite dish?
            And my favourite food?
            What should I eat, as you know my favourite food?
            Can you tell me my favourite food?
            ~ Which food do I like most?
            ~ What was my favourite food?
            ~ Do you remember what I like to eat?
            """
        ),
        "Your favourite food is {x}.",
    ),
    Memory(
        "animal",
        lambda rng: _word(rng.choice(ANIMALS)),
        phrasings(
            """
            My favourite animal is the {x}.
            My favorite animal is the {x}.
            The animal I like best is the {x}.
            Of all animals I like the {x} best.
            The {x} is my favourite animal.
            I think the {x} is the best animal.
            I love animals, the {x} most of all.
            The nicest animal is the {x}.
            If I were an animal, I would be a {x}.
            ~ The animal that I love most is the {x}.
            ~ Of all animals the {x} is my favourite.
            """
        ),
        "The {x} is a wonderful animal.",
        phrasings(
            """
            What is my favourite animal?
            What is my favorite animal?
            Which animal do I like best?
            Which animal is my favourite?
            What animal do I like?
            Do you remember my favourite animal?
            Do you know my favourite animal?
            Tell me my favourite animal.
            Which animal do I love?
            And my favourite animal?
            Can you tell me my favourite animal?
            What did I say my favourite animal was?
            ~ Which animal do I like most?
            ~ What was my favourite animal?
            ~ Do you still know my favourite animal?
            """
        ),
        "Your favourite animal is the {x}.",
    ),
    Memory(
        "job",
        lambda rng: _job(rng.choice(JOBS)),
        phrasings(
            """
            I work as {x}.
            My job is to be {x}.
            By profession I am {x}.
            I am {x} by profession.
            I earn my money as {x}.
            I have a job as {x}.
            I make a living as {x}.
            I found a job as {x}.
            I have worked as {x} for years.
            At work I am {x}.
            ~ My job: I work as {x}.
            ~ I have a new job as {x}.
            """
        ),
        "That is a good job.",
        phrasings(
            """
            What is my job?
            What do I work as?
            What is my profession?
            Which job do I have?
            What kind of work do I do?
            Do you remember my job?
            Do you know my profession?
            Tell me what my job is.
            How do I earn my money?
            What do I do for a living?
            And my job?
            What did I say my job was?
            ~ Do you know my job?
            ~ What was my profession?
            ~ Which work do I do?
            """
        ),
        "You work as {x}.",
    ),
    Memory(
        "pet",
        lambda rng: _word(some_name(rng), rng.choice(PETS)),
        phrasings(
            """
            My {o} is called {x}.
            I have a {o} called {x}.
            I have a {o}. Its name is {x}.
            The name of my {o} is {x}.
            My {o} has the name {x}.
            My {o} {x} is very sweet.
            We have a {o} named {x}.
            I own a {o} with the name {x}.
            We call our {o} {x}.
            I got a new {o}. I call it {x}.
            ~ I have a sweet {o} named {x}.
            ~ My new {o} is called {x}.
            """
        ),
        "{x} is a good name for a {o}.",
        phrasings(
            """
            What is my {o} called?
            What is the name of my {o}?
            What is my {o}'s name?
            Which name does my {o} have?
            Do you remember the name of my {o}?
            Do you know what my {o} is called?
            Tell me the name of my {o}.
            How do I call my {o}?
            What do I call my {o}?
            And what is my {o} called?
            What did I call my {o}?
            ~ Do you know the name of my {o}?
            ~ What name does my {o} have?
            ~ Tell me what my {o} is called.
            """
        ),
        "Your {o} is called {x}.",
    ),
    Memory(
        "relative",
        lambda rng: _word(some_name(rng), rng.choice(RELATIVES)),
        phrasings(
            """
            My {o} is called {x}.
            My {o}'s name is {x}.
            The name of my {o} is {x}.
            I have a {o} called {x}.
            I have a {o}, {x}.
            My {o} {x} is coming today.
            {x} is my {o}.
            This is {x}, my {o}.
            I talked to my {o} {x} today.
            My {o} has the name {x}.
            I love my {o} {x}.
            ~ I have a {o} with the name {x}.
            ~ Today my {o} {x} talked to me.
            """
        ),
        "Greetings to {x}!",
        phrasings(
            """
            What is my {o} called?
            What is the name of my {o}?
            What is my {o}'s name?
            Who is my {o}?
            Do you remember the name of my {o}?
            Do you know my {o}'s name?
            Do you know what my {o} is called?
            Tell me the name of my {o}.
            Which name does my {o} have?
            And what is my {o} called?
            ~ Do you know the name of my {o}?
            ~ What name does my {o} have?
            ~ Tell me my {o}'s name.
            """
        ),
        "Your {o} is called {x}.",
    ),
    Memory(
        "age",
        lambda rng: _word(str(rng.randint(6, 99))),
        phrasings(
            """
            I am {x} years old.
            I'm {x} years old.
            My age is {x}.
            I am {x}.
            I turned {x} today.
            I will stay {x} years old for a while.
            I have just turned {x}.
            At {x} years I am not so young.
            Today is my birthday. I am {x} now.
            I was {x} on my last birthday.
            ~ I am now {x} years old.
            ~ My age is {x} years.
            """
        ),
        "{x} is a good age.",
        phrasings(
            """
            How old am I?
            What is my age?
            Do you know how old I am?
            Do you remember my age?
            Tell me my age.
            Tell me how old I am.
            How many years old am I?
            And how old am I?
            What age am I?
            How old did I say I am?
            Can you tell me my age?
            ~ Do you know my age?
            ~ Do you remember how old I am?
            ~ What was my age?
            """
        ),
        "You are {x} years old.",
    ),
    Memory(
        "number",
        lambda rng: _word(str(rng.randint(2, 999))),
        phrasings(
            """
            My lucky number is {x}.
            My favourite number is {x}.
            Remember the number {x}.
            Please remember this number: {x}.
            The number is {x}. Remember it.
            I like the number {x}.
            {x} is my lucky number.
            {x} is my favourite number.
            Keep the number {x} in mind.
            I am thinking of the number {x}.
            ~ Please remember the number {x}.
            ~ My number is {x}, keep it in mind.
            """
        ),
        "I will remember the number {x}.",
        phrasings(
            """
            What is my lucky number?
            What is my favourite number?
            What was the number?
            Which number should you remember?
            What is my number?
            Do you remember the number?
            Do you know my lucky number?
            Tell me my number.
            Which number do I like?
            Which number did I tell you?
            And my number?
            Say my number.
            ~ What was my lucky number?
            ~ Do you remember my number?
            ~ Which number did I say?
            """
        ),
        "Your number is {x}.",
    ),
    Memory(
        "hobby",
        lambda rng: _word(rng.choice(HOBBIES)),
        phrasings(
            """
            My hobby is {x}.
            In my free time I enjoy {x}.
            I spend my free time with {x}.
            My favourite hobby is {x}.
            {x} is my hobby.
            On weekends I enjoy {x}.
            I have a hobby: {x}.
            I have taken up {x} as a hobby.
            My new hobby is {x}.
            After work I enjoy {x}.
            ~ I enjoy {x}, it is my hobby.
            ~ My hobby in my free time is {x}.
            """
        ),
        "{x} is a fine hobby.",
        phrasings(
            """
            What is my hobby?
            Which hobby do I have?
            What do I do in my free time?
            Do you remember my hobby?
            Do you know my hobby?
            Tell me my hobby.
            What do I enjoy?
            How do I spend my free time?
            And my hobby?
            What do I enjoy on weekends?
            ~ What was my hobby?
            ~ What hobby do I have?
            ~ Do you know what I do in my free time?
            """
        ),
        "Your hobby is {x}.",
    ),
    Memory(
        "trip",
        lambda rng: _word(some_city(rng)),
        phrasings(
            """
            I am going to travel to {x}.
            I will fly to {x} tomorrow.
            My next trip goes to {x}.
            I am planning a trip to {x}.
            Next week I travel to {x}.
            I have a ticket to {x}.
            I want to go to {x} in summer.
            My holiday will be in {x}.
            I am on my way to {x}.
            We will go on holiday to {x}.
            ~ I will travel to {x} on my next holiday.
            ~ I am planning to fly to {x}.
            """
        ),
        "Have a good trip to {x}!",
        phrasings(
            """
            Where will I travel?
            Where am I going?
            Where does my trip go?
            Which city will I travel to?
            Where will I fly?
            Do you remember where I am going?
            Do you know where I will travel?
            Tell me where I am going.
            Where will my holiday be?
            And where does my trip go?
            What place am I going to?
            Where do I want to go?
            ~ Where does my next trip go?
            ~ Which city am I going to?
            ~ Do you remember where I will travel?
            """
        ),
        "You travel to {x}.",
    ),
)

CORRECTIONS = phrasings(
    """
    Sorry, that was wrong:
    Actually,
    No, wait,
    I was wrong,
    Correction:
    I made a mistake,
    ~ Sorry, wait:
    ~ No, that was a mistake:
    """
)

# Two things in one sentence: the second begins with one of these words.
SECOND_PARTS = ("I ", "My ")

# How a system prompt says what the user is called.
USER_NAME = phrasings(
    """
    The user's name is {}.
    The user is called {}.
    The name of the user is {}.
    You talk to {}.
    You are talking to a user named {}.
    You help {}.
    Your user is {}.
    {} is the user.
    You are the assistant of {}.
    You are a helpful assistant. The user is called {}.
    ~ The user has the name {}.
    ~ You are talking to {}.
    ~ You are a helpful assistant. The user's name is {}.
    """
)
NEXT_ONE = phrasings(
    """
    And {}?
    And of {}?
    What about {}?
    And what about {}?
    Now {}.
    Then {}?
    {}?
    Okay, and {}?
    ~ Good, and {}?
    ~ Now what about {}?
    """
)
NOT_TOLD = "You have not told me that yet."
NO_TOOL = "I cannot look that up without a tool."
DO_NOT_KNOW = "I do not know that."

# Styles that a system prompt asks for

ONE_WORD = phrasings(
    """
    Answer in one word.
    Answer with one word.
    Use only one word.
    Always answer in one word.
    Answer with a single word only.
    One word answers only.
    You answer with just one word.
    Give answers of one word.
    Your answers have one word.
    Please answer every question in one word.
    ~ Answer with only one word.
    ~ Please use a single word.
    ~ Always use just one word.
    """
)
ENDING = phrasings(
    """
    Always end with '{}!'
    End every answer with '{}!'
    Always say '{}!' at the end.
    Finish each answer with '{}!'
    End your answers with '{}!'
    The last word of each answer is '{}!'
    You end all answers with '{}!'
    You are a helpful assistant. Always end with '{}!'
    Put '{}!' at the end of every answer.
    ~ Always finish with '{}!'
    ~ End each of your answers with '{}!'
    ~ Say '{}!' at the end of each answer.
    """
)
BEGINNING = phrasings(
    """
    Always begin with '{}!'
    Begin every answer with '{}!'
    Always say '{}!' first.
    Start each answer with '{}!'
    Start your answers with '{}!'
    The first word of each answer is '{}!'
    You begin all answers with '{}!'
    You are a helpful assistant. Always begin with '{}!'
    Put '{}!' at the start of every answer.
    ~ Always start with '{}!'
    ~ Begin each of your answers with '{}!'
    ~ Say '{}!' at the start of each answer.
    """
)
CALL_USER = phrasings(
    """
    Call the user {}.
    Always call the user {}.
    Call me {} in every answer.
    Say {} to the user in each answer.
    The user wants to be called {}.
    Address the user as {}.
    You call the user {}.
    Be polite and call the user {}.
    ~ Please call the user {}.
    ~ Address the user as {} in every answer.
    """
)
PERSONA = phrasings(
    """
    You are {name}, {job}.
    You are {job} named {name}.
    Your name is {name}. You are {job}.
    You are {job}. Your name is {name}.
    Act as {name}, {job}.
    Play {name}, {job}.
    You are {name}, {job}. Be friendly.
    Your name is {name} and you are {job}.
    You are called {name}. You work as {job}.
    Speak as {job} named {name}.
    Answer as {name}, {job}.
    ~ Act as {job} named {name}.
    ~ You are {job}. You are called {name}.
    ~ Speak as {name}, {job}.
    """
)
ASK_PERSONA = phrasings(
    """
    Who are you?
    What are you?
    What is your name?
    What is your job?
    What do you do?
    Tell me who you are.
    Introduce yourself.
    Who am I talking to?
    May I know your name?
    What are you called?
    What do you work as?
    Hello, who are you?
    Hi! What is your name?
    Tell me your name.
    What is your profession?
    Say who you are.
    ~ Please introduce yourself.
    ~ Hi, who am I talking to?
    ~ Please tell me your name.
    """
)
EXCLAMATIONS = (
    "ahoy cheers yes indeed hooray bravo hello welcome peace voila amen wow super great good hurrah tada yay "
    "aloha over done "
    "salute forward always wonderful excellent splendid fine"
).split()
TITLES = "Captain Boss Sir Madam Chief Doctor Professor Friend Master Commander Majesty Champion Coach Buddy".split()

# Talk

HOW_ARE_YOU = phrasings(
    """
    How are you?
    How are you today?
    How are you doing?
    How do you do?
    How do you feel?
    How do you feel today?
    Are you well?
    Are you fine?
    Are you okay?
    How is it going?
    How are things?
    What's up?
    How was your day?
    Is everything okay?
    Is all well with you?
    Hello, how are you?
    Hi, how are you doing?
    Hey, how is it going?
    How is your day?
    How have you been?
    Did you sleep well?
    ~ Hi, how are you today?
    ~ Are you doing well?
    ~ How is everything going?
    ~ How are you feeling?
    """
)
HUMAN = phrasings(
    """
    Are you human?
    Are you a human?
    Are you a person?
    Are you a real person?
    Are you a robot or a human?
    Do you have a body?
    Are you alive?
    Am I talking to a human?
    Am I talking to a real person?
    Do you have feelings?
    Are you a man or a woman?
    Do you sleep?
    Do you eat?
    Do you have a heart?
    Do you have parents?
    Are you a machine?
    ~ Are you a real human?
    ~ Am I talking to a person?
    ~ Do you have a body or a heart?
    """
)
COMPLIMENTS = phrasings(
    """
    You are great!
    You are smart.
    You are very clever.
    You are nice.
    You are funny.
    You are very kind.
    You are good at this.
    Well done!
    Good job!
    Good answer!
    Great answer!
    I like you.
    I love you.
    You are my friend.
    You are the best!
    You are helpful.
    That was a good answer.
    That was very good.
    That is right, well done!
    You are amazing.
    You did a great job.
    Wow, you know a lot.
    ~ You are really great!
    ~ That was a great answer!
    ~ Wow, you are clever.
    ~ You did well!
    """
)
INSULTS = phrasings(
    """
    You are stupid.
    You are dumb.
    You are useless.
    You are boring.
    You are slow.
    That was wrong.
    That is wrong.
    That is not right.
    That was a bad answer.
    You know nothing.
    I do not like you.
    I do not like your answer.
    You are not very smart.
    You made a mistake.
    Bad bot!
    ~ Your answer was wrong.
    ~ You are a stupid bot.
    ~ That was not right.
    """
)
AGREEMENTS = phrasings(
    """
    Okay.
    Ok.
    I see.
    All right.
    Fine.
    Good.
    Great!
    Cool!
    Nice!
    Yes.
    Sure.
    Got it.
    I understand.
    That makes sense.
    Interesting.
    Good to know.
    That is good to know.
    Ah, okay.
    Oh, I see.
    Perfect!
    ~ Okay, I see.
    ~ Okay, got it.
    ~ Good, I understand.
    ~ Oh, interesting.
    """
)
ASK_JOKE = phrasings(
    """
    Tell me a joke.
    Tell a joke.
    Tell me a joke, please.
    Do you know a joke?
    Do you know any jokes?
    Make me laugh.
    Say something funny.
    Tell me something funny.
    I want to hear a joke.
    Can you tell a joke?
    Can you make me laugh?
    Give me a joke.
    Another joke, please.
    One more joke!
    Joke, please.
    I need a laugh. Do you have a joke?
    What is your best joke?
    ~ Please make me laugh.
    ~ Do you have a joke for me?
    ~ Can you say something funny?
    ~ I would like to hear a joke.
    """
)
JOKES = (
    "Why did the computer sneeze? It had a virus.",
    "Why do cows have bells? Their horns do not work.",
    "What is a bear without teeth? A gummy bear.",
    "Why was the clock tired? It ran all day.",
    "What has four legs and cannot walk? A table.",
    "Why did the book go to bed? It was full of sleepy words.",
    "Why do fish know so much? They live in schools.",
    "What gets wet while it dries? A towel.",
)

FEELINGS = (
    (
        "I am sorry to hear that.",
        phrasings(
            """
            I am sad.
            I feel sad today.
            I am not well.
            I am sick.
            I feel bad.
            I have a headache.
            I had a bad day.
            My day was terrible.
            I lost my keys.
            I lost my job.
            I am lonely.
            I am angry.
            I am unhappy.
            My dog is sick.
            My bike was stolen.
            I broke my arm.
            I missed the bus.
            I am afraid.
            ~ I feel very sad.
            ~ I am sick and sad today.
            ~ Today was a bad day.
            ~ I feel lonely.
            """
        ),
    ),
    (
        "That is great to hear!",
        phrasings(
            """
            I am happy.
            I feel great today.
            I feel good.
            I am in a good mood.
            I had a good day.
            My day was wonderful.
            I won a prize.
            I found a new friend.
            I have good news.
            I passed my exam.
            I am in love.
            I got a present.
            I am on holiday.
            Life is good.
            I am so glad.
            I am fine, too.
            I am doing well.
            ~ I feel happy today.
            ~ Today was a good day.
            ~ I am very glad today.
            ~ I feel wonderful.
            """
        ),
    ),
    (
        "Then you should get some rest.",
        phrasings(
            """
            I am tired.
            I am so tired.
            I am sleepy.
            I did not sleep well.
            I need some sleep.
            I have worked all day.
            I worked too much.
            I am exhausted.
            I feel tired today.
            I cannot keep my eyes open.
            It was a long day.
            ~ I feel so sleepy.
            ~ I am tired, I worked all day.
            ~ I need to sleep.
            """
        ),
    ),
    (
        "Then you should eat something.",
        phrasings(
            """
            I am hungry.
            I am so hungry.
            I did not eat today.
            I have not had lunch.
            I skipped breakfast.
            I could eat a horse.
            My stomach is empty.
            I need some food.
            I feel hungry.
            ~ I am very hungry now.
            ~ I have not had breakfast.
            ~ I need to eat.
            """
        ),
    ),
    (
        "Shall I tell you a joke?",
        phrasings(
            """
            I am bored.
            I am so bored.
            I have nothing to do.
            This is boring.
            What shall we do?
            What should I do now?
            I feel bored.
            Today is a boring day.
            I do not know what to do.
            Entertain me.
            ~ I feel so bored today.
            ~ I have nothing to do now.
            """
        ),
    ),
)

LOOKUPS = phrasings(
    """
    What will the weather be tomorrow?
    What is the weather like?
    What is the weather in {city}?
    How is the weather in {city}?
    Will it rain tomorrow?
    Will it rain in {city}?
    Is it raining in {city}?
    How warm is it in {city}?
    What is the temperature in {city}?
    Is it cold outside?
    Will it snow today?
    What time is it?
    What time is it in {city}?
    What is the date today?
    Which day is today?
    What day is it?
    What is in the news?
    What is the latest news?
    Tell me the news.
    What happened today?
    What happened in {city} today?
    Who won the game yesterday?
    Who won the match in {city}?
    What is the price of gold?
    How much does a flight to {city} cost?
    When does the next train to {city} leave?
    How do I get to {city}?
    How far is it to {city}?
    Which films are on in {city}?
    How many people live in {city}?
    What is my bank balance?
    Do I have new mail?
    Do I have a meeting today?
    Search the web for {city}.
    Look up {city} for me.
    Find a hotel in {city}.
    Book a table in {city}.
    Is the shop in {city} open?
    Where is the nearest shop?
    What is the traffic like in {city}?
    ~ Tell me the weather in {city}.
    ~ Will it be warm in {city} tomorrow?
    ~ What is the time now?
    ~ What is the news today?
    ~ Who won the match yesterday?
    ~ When is the next train to {city}?
    ~ Find a shop in {city}.
    """
)
UNKNOWN = phrasings(
    """
    Who is {name}?
    Who was {name}?
    Do you know {name}?
    How old is {name}?
    Where does {name} live?
    What did {name} do yesterday?
    What does {name} like?
    Is {name} married?
    Who is the mayor of {city}?
    Who lives in {city}?
    Where is {city}?
    What can I see in {city}?
    When was {city} built?
    Who is the king of {city}?
    How tall is {name}?
    What is the phone number of {name}?
    When was {name} born?
    ~ What is {name} doing?
    ~ Where was {name} born?
    ~ Who was the mayor of {city}?
    """
)

THINGS_TO_LIKE = (
    "music|pizza|football|rain|snow|books|films|cats|dogs|chess|coffee|tea|the sea|the mountains|winter|summer|"
    "spring|autumn|"
    "school|work|cake|chocolate|dancing|travel|trains|cars|poems|jokes|games|flowers|birds|computers|Java|numbers|art|"
    "science|history|the moon|the sun|parties|holidays|Mondays|cheese|apples|tennis|robots|people|children|horses"
).split("|")
ASK_LIKING = phrasings(
    """
    Do you like {}?
    Do you love {}?
    Do you enjoy {}?
    What do you think about {}?
    What do you think of {}?
    How do you like {}?
    Are you a fan of {}?
    Do you hate {}?
    I like {}. Do you?
    I love {}. What about you?
    What is your opinion of {}?
    Tell me what you think of {}.
    Do you also like {}?
    ~ Do you really like {}?
    ~ What is your opinion about {}?
    ~ I like {}. And you?
    """
)
KINDS_OF_FAVOURITES = (
    "colour food animal city song book film number day month season game drink fruit sport word country flower "
    "band place"
).split()
ASK_OWN_FAVOURITE = phrasings(
    """
    What is your favourite {}?
    What's your favourite {}?
    Which {} do you like best?
    Which {} do you like most?
    Do you have a favourite {}?
    Which {} is your favourite?
    Tell me your favourite {}.
    And your favourite {}?
    And what is your favourite {}?
    What {} do you like?
    What {} do you love?
    ~ Do you have your own favourite {}?
    ~ Which {} do you love most?
    ~ And which {} is your favourite?
    """
)

# Simple knowledge: answer, answer in one word, and how it is asked for.
GENERAL = (
    (
        "A week has 7 days.",
        "7.",
        phrasings(
            """
            How many days does a week have?
            How many days are in a week?
            How many days are there in a week?
            How long is a week?
            A week has how many days?
            ~ How many days has a week?
            """
        ),
    ),
    (
        "A year has 12 months.",
        "12.",
        phrasings(
            """
            How many months does a year have?
            How many months are in a year?
            How many months are there in a year?
            A year has how many months?
            ~ How many months has a year?
            """
        ),
    ),
    (
        "A day has 24 hours.",
        "24.",
        phrasings(
            """
            How many hours does a day have?
            How many hours are in a day?
            How many hours are there in a day?
            A day has how many hours?
            ~ How many hours has a day?
            """
        ),
    ),
    (
        "An hour has 60 minutes.",
        "60.",
        phrasings(
            """
            How many minutes does an hour have?
            How many minutes are in an hour?
            How many minutes are there in an hour?
            An hour has how many minutes?
            ~ How many minutes has an hour?
            """
        ),
    ),
    (
        "A year has 365 days.",
        "365.",
        phrasings(
            """
            How many days does a year have?
            How many days are in a year?
            How many days are there in a year?
            A year has how many days?
            ~ How many days has a year?
            """
        ),
    ),
    (
        "The alphabet has 26 letters.",
        "26.",
        phrasings(
            """
            How many letters does the alphabet have?
            How many letters are in the alphabet?
            How many letters are there in the alphabet?
            The alphabet has how many letters?
            ~ How many letters has the alphabet?
            """
        ),
    ),
    (
        "The seasons are spring, summer, autumn and winter.",
        "Four.",
        phrasings(
            """
            What are the seasons?
            Name the seasons.
            Which seasons are there?
            What are the four seasons?
            Tell me the names of the seasons.
            ~ What are the names of the four seasons?
            """
        ),
    ),
    (
        "The days are Monday, Tuesday, Wednesday, Thursday, Friday, Saturday and Sunday.",
        "Seven.",
        phrasings(
            """
            What are the days of the week?
            Name the days of the week.
            Which days are in a week?
            List the days of the week.
            Tell me the seven days.
            ~ What are the seven days of the week?
            """
        ),
    ),
    (
        "The first month is January.",
        "January.",
        phrasings(
            """
            What is the first month?
            What is the first month of the year?
            Which month is the first?
            With which month does the year begin?
            Name the first month.
            ~ Which month is the first of the year?
            """
        ),
    ),
    (
        "The last month is December.",
        "December.",
        phrasings(
            """
            What is the last month?
            What is the last month of the year?
            Which month is the last?
            With which month does the year end?
            Name the last month.
            ~ Which month is the last of the year?
            """
        ),
    ),
    (
        "A spider has 8 legs.",
        "8.",
        phrasings(
            """
            How many legs does a spider have?
            How many legs has a spider got?
            A spider has how many legs?
            Count the legs of a spider.
            ~ How many legs has a spider?
            """
        ),
    ),
    (
        "A dog has 4 legs.",
        "4.",
        phrasings(
            """
            How many legs does a dog have?
            How many legs has a dog got?
            A dog has how many legs?
            Count the legs of a dog.
            ~ How many legs has a dog?
            """
        ),
    ),
    (
        "A triangle has 3 sides.",
        "3.",
        phrasings(
            """
            How many sides does a triangle have?
            How many sides has a triangle got?
            How many corners does a triangle have?
            A triangle has how many sides?
            ~ How many sides has a triangle?
            """
        ),
    ),
    (
        "A square has 4 sides.",
        "4.",
        phrasings(
            """
            How many sides does a square have?
            How many sides has a square got?
            How many corners does a square have?
            A square has how many sides?
            ~ How many sides has a square?
            """
        ),
    ),
    (
        "The largest ocean is the Pacific.",
        "Pacific.",
        phrasings(
            """
            What is the largest ocean?
            Which ocean is the largest?
            Which is the biggest ocean?
            What is the biggest ocean?
            Name the largest ocean.
            ~ Which ocean is the biggest?
            """
        ),
    ),
    (
        "The sun is a star.",
        "Star.",
        phrasings(
            """
            What is the sun?
            What kind of thing is the sun?
            Is the sun a star or a planet?
            Is the sun a planet?
            Is the sun a star?
            ~ What is the sun, a star or a planet?
            """
        ),
    ),
    (
        "Bees make honey.",
        "Bees.",
        phrasings(
            """
            Who makes honey?
            Which animals make honey?
            Where does honey come from?
            What do bees make?
            Which insects make honey?
            ~ Which animals does honey come from?
            """
        ),
    ),
    (
        "Milk comes from cows.",
        "Cows.",
        phrasings(
            """
            Where does milk come from?
            Which animals give milk?
            Who gives us milk?
            Which animal does milk come from?
            What gives milk?
            ~ Which animal gives milk?
            """
        ),
    ),
    (
        "Water boils at 100 degrees.",
        "100.",
        phrasings(
            """
            When does water boil?
            At how many degrees does water boil?
            At which temperature does water boil?
            What is the boiling point of water?
            How hot is boiling water?
            ~ At what temperature does water boil?
            """
        ),
    ),
    (
        "Water freezes at 0 degrees.",
        "0.",
        phrasings(
            """
            When does water freeze?
            At how many degrees does water freeze?
            At which temperature does water freeze?
            What is the freezing point of water?
            When does water turn to ice?
            ~ At what temperature does water freeze?
            """
        ),
    ),
)

CAPITALS = (
    ("France", "Paris"),
    ("Germany", "Berlin"),
    ("Italy", "Rome"),
    ("Spain", "Madrid"),
    ("Portugal", "Lisbon"),
    ("England", "London"),
    ("Ireland", "Dublin"),
    ("Austria", "Vienna"),
    ("Switzerland", "Bern"),
    ("Belgium", "Brussels"),
    ("the Netherlands", "Amsterdam"),
    ("Denmark", "Copenhagen"),
    ("Sweden", "Stockholm"),
    ("Norway", "Oslo"),
    ("Finland", "Helsinki"),
    ("Poland", "Warsaw"),
    ("Greece", "Athens"),
    ("Hungary", "Budapest"),
    ("Russia", "Moscow"),
    ("Turkey", "Ankara"),
    ("Egypt", "Cairo"),
    ("Kenya", "Nairobi"),
    ("Japan", "Tokyo"),
    ("China", "Beijing"),
    ("India", "New Delhi"),
    ("South Korea", "Seoul"),
    ("Canada", "Ottawa"),
    ("Mexico", "Mexico City"),
    ("Cuba", "Havana"),
    ("Peru", "Lima"),
    ("Australia", "Canberra"),
    ("the United States", "Washington"),
)
ASK_CAPITAL = phrasings(
    """
    What is the capital of {}?
    What's the capital of {}?
    Which city is the capital of {}?
    What is the capital city of {}?
    Name the capital of {}.
    Tell me the capital of {}.
    Do you know the capital of {}?
    The capital of {}?
    What is the name of the capital of {}?
    Which capital does {} have?
    Give me the capital of {}.
    Capital of {}?
    And the capital of {}?
    What city is the capital of {}?
    ~ Can you name the capital of {}?
    ~ Which is the capital city of {}?
    ~ What capital does {} have?
    """
)
ASK_COUNTRY = phrasings(
    """
    {} is the capital of which country?
    Which country has the capital {}?
    Of which country is {} the capital?
    In which country is {}?
    Which country is {} in?
    What country has {} as its capital?
    ~ Which country does the capital {} belong to?
    ~ {} is the capital of what country?
    """
)

OPPOSITES = tuple(
    tuple(pair.split("/"))
    for pair in (
        "hot/cold big/small fast/slow high/low old/new light/dark good/bad happy/sad long/short open/closed "
        "full/empty up/down "
        "left/right day/night black/white rich/poor hard/soft wet/dry early/late loud/quiet strong/weak "
        "clean/dirty thick/thin "
        "wide/narrow near/far first/last true/false love/hate begin/end buy/sell push/pull win/lose "
        "inside/outside above/below "
        "sweet/sour brave/afraid easy/difficult cheap/expensive yes/no always/never friend/enemy "
        "summer/winter north/south east/west deep/shallow sharp/blunt"
    ).split()
)
ASK_OPPOSITE = phrasings(
    """
    What is the opposite of {}?
    What's the opposite of {}?
    Which word is the opposite of {}?
    Name the opposite of {}.
    Tell me the opposite of {}.
    The opposite of {}?
    Opposite of {}?
    Give me the opposite of {}.
    Do you know the opposite of {}?
    What word means the opposite of {}?
    And the opposite of {}?
    {} is the opposite of what?
    What is the opposite word of {}?
    ~ Which word means the opposite of {}?
    ~ Can you name the opposite of {}?
    ~ Say the opposite of {}.
    """
)

DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MONTHS = "January February March April May June July August September October November December".split()
ASK_AFTER = phrasings(
    """
    What {kind} comes after {name}?
    Which {kind} comes after {name}?
    What is the {kind} after {name}?
    Which {kind} is after {name}?
    Which {kind} follows {name}?
    What {kind} follows {name}?
    What comes after {name}?
    What is after {name}?
    Name the {kind} after {name}.
    Tell me the {kind} after {name}.
    The {kind} after {name}?
    After {name} comes which {kind}?
    What is the next {kind} after {name}?
    ~ Which is the next {kind} after {name}?
    ~ After {name} comes what?
    ~ Do you know the {kind} after {name}?
    """
)
ASK_BEFORE = phrasings(
    """
    What {kind} comes before {name}?
    Which {kind} comes before {name}?
    What is the {kind} before {name}?
    Which {kind} is before {name}?
    What comes before {name}?
    What is before {name}?
    Name the {kind} before {name}.
    Tell me the {kind} before {name}.
    The {kind} before {name}?
    Before {name} comes which {kind}?
    What {kind} was before {name}?
    What is right before {name}?
    ~ Which {kind} was right before {name}?
    ~ Before {name} comes what?
    ~ Do you know the {kind} before {name}?
    """
)

COLOURS_OF_THINGS = (
    ("the sky", "blue"),
    ("grass", "green"),
    ("snow", "white"),
    ("coal", "black"),
    ("blood", "red"),
    ("a lemon", "yellow"),
    ("a banana", "yellow"),
    ("a carrot", "orange"),
    ("an orange", "orange"),
    ("milk", "white"),
    ("chocolate", "brown"),
    ("the sun", "yellow"),
    ("an elephant", "grey"),
    ("a frog", "green"),
    ("a tomato", "red"),
    ("a strawberry", "red"),
    ("a cucumber", "green"),
    ("a flamingo", "pink"),
    ("a pig", "pink"),
    ("the sea", "blue"),
    ("a crow", "black"),
    ("a swan", "white"),
    ("salt", "white"),
    ("gold", "yellow"),
    ("a fire engine", "red"),
    ("a leaf", "green"),
    ("coffee", "brown"),
    ("the night", "black"),
    ("wood", "brown"),
    ("a polar bear", "white"),
    ("an eggplant", "purple"),
    ("cheese", "yellow"),
)
ASK_COLOUR = phrasings(
    """
    What colour is {}?
    What color is {}?
    Which colour does {} have?
    Which color does {} have?
    What is the colour of {}?
    What is the color of {}?
    Tell me the colour of {}.
    Which colour is {}?
    The colour of {}?
    Do you know the colour of {}?
    Name the colour of {}.
    What colour does {} have?
    And what colour is {}?
    ~ Which color is {}?
    ~ Can you tell me the colour of {}?
    ~ Do you know what colour {} is?
    """
)

PLURALS = tuple(
    tuple(pair.split("/"))
    for pair in (
        "mouse/mice foot/feet tooth/teeth goose/geese child/children man/men woman/women ox/oxen sheep/sheep fish/fish "
        "leaf/leaves wolf/wolves knife/knives life/lives wife/wives half/halves shelf/shelves loaf/loaves "
        "thief/thieves "
        "box/boxes fox/foxes bus/buses glass/glasses dish/dishes watch/watches church/churches tomato/tomatoes "
        "potato/potatoes "
        "hero/heroes city/cities baby/babies lady/ladies story/stories party/parties country/countries "
        "fly/flies cherry/cherries "
        "cat/cats dog/dogs house/houses tree/trees car/cars book/books day/days boy/boys girl/girls key/keys "
        "apple/apples "
        "table/tables horse/horses bird/birds ship/ships flower/flowers door/doors lamp/lamps cow/cows shard/shards "
        "model/models server/servers plugin/plugins"
    ).split()
)
ASK_PLURAL = phrasings(
    """
    What is the plural of {}?
    What's the plural of {}?
    Which word is the plural of {}?
    Tell me the plural of {}.
    Name the plural of {}.
    The plural of {}?
    Plural of {}?
    Give me the plural of {}.
    Do you know the plural of {}?
    How do I write the plural of {}?
    What is the plural form of {}?
    And the plural of {}?
    One {}, two what?
    ~ Can you tell me the plural of {}?
    ~ Say the plural of {}.
    ~ What is the plural for {}?
    """
)

SOUNDS = (
    ("a cow", "moo"),
    ("a dog", "woof"),
    ("a cat", "meow"),
    ("a sheep", "baa"),
    ("a duck", "quack"),
    ("a pig", "oink"),
    ("a bee", "buzz"),
    ("a snake", "hiss"),
    ("a lion", "roar"),
    ("a mouse", "squeak"),
    ("an owl", "hoot"),
    ("a crow", "caw"),
)
ASK_SOUND = phrasings(
    """
    What does {} say?
    Which sound does {} make?
    What sound does {} make?
    What is the sound of {}?
    What noise does {} make?
    How does {} sound?
    Tell me what {} says.
    ~ Which noise does {} make?
    ~ Tell me the sound of {}.
    """
)

# A claim, and what is true about it.
CLAIMS = (
    ("fire is hot", "fire is hot"),
    ("fire is cold", "fire is hot"),
    ("ice is cold", "ice is cold"),
    ("ice is hot", "ice is cold"),
    ("snow is white", "snow is white"),
    ("snow is black", "snow is white"),
    ("water is wet", "water is wet"),
    ("water is dry", "water is wet"),
    ("sugar is sweet", "sugar is sweet"),
    ("sugar is salty", "sugar is sweet"),
    ("lemons are sour", "lemons are sour"),
    ("lemons are sweet", "lemons are sour"),
    ("a mouse is small", "a mouse is small"),
    ("a mouse is big", "a mouse is small"),
    ("an elephant is big", "an elephant is big"),
    ("an elephant is small", "an elephant is big"),
    ("a snail is slow", "a snail is slow"),
    ("a snail is fast", "a snail is slow"),
    ("the earth is round", "the earth is round"),
    ("the earth is flat", "the earth is round"),
    ("birds can fly", "birds can fly"),
    ("dogs can fly", "dogs cannot fly"),
    ("fish can swim", "fish can swim"),
    ("stones can swim", "stones cannot swim"),
    ("the sun is hot", "the sun is hot"),
    ("the sun is cold", "the sun is hot"),
    ("grass is green", "grass is green"),
    ("grass is red", "grass is green"),
)
ASK_CLAIM = phrasings(
    """
    Is it true that {}?
    Is it right that {}?
    {}, is that true?
    {}, is that right?
    True or false: {}?
    Right or wrong: {}?
    Can you say whether {}?
    I heard that {}. Is that true?
    Somebody told me that {}. Is that right?
    Do you think that {}?
    Would you say that {}?
    ~ I heard that {}. Is that right?
    ~ Is it really true that {}?
    ~ {}, true or false?
    """
)

SHORT_WORDS = (
    "cat dog sun moon tree fish bird house apple bread water light green blue star book door river stone milk "
    "cake hand foot "
    "nose lamp ship rain snow wind fire king queen horse mouse table chair spoon fork plate glass shard model "
    "token cloud train "
    "plane beach field grass flower lemon melon tiger zebra camel paper pencil music song dance smile happy "
    "hello friend night"
).split()
ASK_SPELLING = phrasings(
    """
    Spell {}.
    Spell the word {}.
    Please spell {}.
    How do you spell {}?
    How is {} spelled?
    How do I spell {}?
    Spell {} for me.
    Spell {} letter by letter.
    What are the letters of {}?
    Which letters are in {}?
    Tell me the letters of {}.
    Can you spell {}?
    Say the letters of {}.
    Write {} letter by letter.
    ~ Please spell the word {}.
    ~ Can you spell {} for me?
    ~ How do you write {} letter by letter?
    """
)
WORDS_TO_REPEAT = (
    "blue moon green tree red house little bird old river happy dog sun water stone big small apple night rain "
    "song light open "
    "door snow wind good morning my friend one two three the cat and sea gold star white horse cold tea warm "
    "bread seven hills "
    "never always round table black box sweet dream hello world long road deep lake tall tower soft cloud"
).split()
ASK_REPETITION = phrasings(
    """
    Repeat after me: {}
    Please repeat after me: {}
    Repeat: {}
    Please repeat: {}
    Repeat this: {}
    Repeat the words: {}
    Say this: {}
    Say: {}
    Please say: {}
    Say after me: {}
    Now say: {}
    Echo: {}
    Write exactly this: {}
    Write this: {}
    Copy this: {}
    Copy these words: {}
    Can you repeat this: {}
    ~ Please say after me: {}
    ~ Repeat these words: {}
    ~ Can you say this: {}
    ~ Please copy this: {}
    """
)
ASK_COUNTING = phrasings(
    """
    Count to {}.
    Count up to {}.
    Please count to {}.
    Count from 1 to {}.
    Can you count to {}?
    Can you count up to {}?
    Show me how to count to {}.
    List the numbers from 1 to {}.
    Write the numbers from 1 to {}.
    Give me the numbers up to {}.
    ~ Please count from 1 to {}.
    ~ Can you list the numbers up to {}?
    ~ Count for me up to {}.
    """
)
