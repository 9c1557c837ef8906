"""Chats that ask for lists: things of a kind, shopping lists, steps, orders, sorting, and counting the words of a text.

Held out are phrasings. A list is numbered unless the user asks for bullets or for one line.
"""

import random
from typing import Iterator, Sequence

from .dialog import Conversation
from .framing import asked, chat, name, of_split

CATEGORIES = {
    "fruits": "apple, banana, pear, orange, grape, cherry, lemon, plum, peach, melon",
    "vegetables": "carrot, potato, onion, tomato, bean, pea, cabbage, pepper, leek, spinach",
    "colours": "red, blue, green, yellow, black, white, brown, orange, purple, grey",
    "animals": "dog, cat, horse, cow, lion, fox, bear, elephant, mouse, rabbit",
    "farm animals": "cow, pig, sheep, goat, horse, hen, duck, donkey",
    "wild animals": "lion, tiger, wolf, bear, fox, elephant, deer, monkey",
    "pets": "dog, cat, rabbit, hamster, parrot, turtle, fish, mouse",
    "birds": "eagle, owl, swan, crow, duck, goose, stork, robin, penguin, parrot",
    "insects": "bee, ant, fly, wasp, butterfly, beetle, moth, cricket",
    "fish": "salmon, trout, tuna, cod, herring, carp, shark, eel",
    "trees": "oak, pine, birch, maple, beech, willow, ash, elm",
    "flowers": "rose, tulip, daisy, lily, violet, poppy, sunflower, iris",
    "planets": "Mercury, Venus, Earth, Mars, Jupiter, Saturn, Uranus, Neptune",
    "countries": "France, Germany, Italy, Spain, Switzerland, Japan, Brazil, Canada, India, Egypt",
    "cities": "Paris, London, Rome, Berlin, Bern, Madrid, Tokyo, Vienna, Cairo, Oslo",
    "rivers": "Rhine, Danube, Nile, Amazon, Thames, Seine, Volga, Congo",
    "mountains": "Matterhorn, Eiger, Everest, Etna, Olympus, Fuji, Elbrus, Ararat",
    "oceans": "Pacific, Atlantic, Indian, Arctic, Southern",
    "continents": "Africa, Asia, Europe, Australia, Antarctica, North America, South America",
    "languages": "English, German, French, Italian, Spanish, Greek, Latin, Arabic, Chinese, Hindi",
    "programming languages": "Java, Python, C, Rust, Go, Kotlin, Ruby, Swift",
    "sports": "football, tennis, swimming, running, skiing, rowing, boxing, hockey",
    "games": "chess, checkers, cards, dominoes, darts, tag, marbles, go",
    "hobbies": "reading, cooking, painting, gardening, singing, hiking, dancing, fishing",
    "jobs": "teacher, doctor, baker, farmer, cook, driver, painter, nurse, pilot, judge",
    "tools": "hammer, saw, knife, screwdriver, drill, axe, file, rake",
    "instruments": "piano, violin, guitar, flute, drum, trumpet, harp, horn",
    "drinks": "water, tea, coffee, milk, juice, lemonade, wine, beer",
    "desserts": "cake, ice cream, pudding, pie, cookies, chocolate, jelly, waffles",
    "breakfast foods": "bread, butter, jam, eggs, cheese, honey, yoghurt, cereal",
    "spices": "salt, pepper, cinnamon, ginger, paprika, garlic, saffron, nutmeg",
    "nuts": "walnut, hazelnut, almond, peanut, cashew, pecan, chestnut",
    "clothes": "shirt, trousers, coat, hat, shoes, socks, dress, scarf, gloves, skirt",
    "pieces of furniture": "table, chair, bed, sofa, desk, shelf, bench, cupboard",
    "rooms": "kitchen, bathroom, bedroom, living room, hall, cellar, attic, office",
    "things in a kitchen": "pot, pan, knife, spoon, plate, bowl, oven, fridge",
    "things in a school": "desk, book, pen, board, chair, map, ruler, pencil",
    "vehicles": "car, bus, train, bicycle, truck, ship, tram, plane",
    "buildings": "house, school, church, tower, castle, bridge, mill, museum",
    "parts of the body": "head, arm, leg, hand, foot, nose, ear, eye, mouth, knee",
    "metals": "iron, gold, silver, copper, tin, lead, zinc, nickel",
    "shapes": "circle, square, triangle, star, oval, cube, cone, ball",
    "feelings": "joy, anger, fear, love, hope, pride, sadness, envy",
    "kinds of weather": "sun, rain, snow, wind, fog, storm, frost, hail",
    "family members": "mother, father, sister, brother, aunt, uncle, cousin, grandmother",
    "computer parts": "screen, keyboard, mouse, processor, memory, disk, fan, battery",
    "toys": "ball, doll, kite, puzzle, train, bear, blocks, top",
    "gemstones": "diamond, ruby, emerald, sapphire, opal, jade, topaz, pearl",
}

ORDERS = {
    "days of the week": "Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday",
    "months": "January, February, March, April, May, June, July, August, September, October, November, December",
    "planets": "Mercury, Venus, Earth, Mars, Jupiter, Saturn, Uranus, Neptune",
    "seasons": "spring, summer, autumn, winter",
}

SHOPPING = {
    "pancakes": "flour, eggs, milk, butter, sugar, salt",
    "an apple pie": "apples, flour, butter, sugar, eggs, cinnamon",
    "a tomato soup": "tomatoes, onions, garlic, cream, salt, bread",
    "a salad": "lettuce, tomatoes, cucumber, onions, oil, vinegar",
    "a cake": "flour, sugar, eggs, butter, chocolate, milk",
    "pizza": "flour, yeast, tomatoes, cheese, oil, salt",
    "a sandwich": "bread, butter, cheese, ham, lettuce, tomatoes",
    "breakfast": "bread, butter, jam, eggs, milk, coffee",
    "a picnic": "bread, cheese, apples, grapes, juice, cookies",
    "spaghetti": "spaghetti, tomatoes, onions, garlic, oil, cheese",
    "fruit salad": "apples, bananas, oranges, grapes, lemon, sugar",
    "cookies": "flour, butter, sugar, eggs, chocolate, salt",
    "an omelette": "eggs, milk, butter, cheese, salt, pepper",
    "bread": "flour, yeast, water, salt",
    "lemonade": "lemons, sugar, water, ice",
    "a barbecue": "sausages, bread, potatoes, salad, corn, juice",
    "fondue": "cheese, bread, garlic, wine, pepper",
    "vegetable soup": "carrots, potatoes, leek, onions, beans, salt",
}

STEPS = {
    "make tea": "Boil the water.|Put the tea into a cup.|Pour the water on the tea.|Wait three minutes.",
    "make coffee": "Boil the water.|Put the coffee into the filter.|Pour the water on the coffee.|Wait a little.",
    "boil an egg": "Boil the water.|Put the egg into the water.|Wait seven minutes.|Cool the egg in cold water.",
    "wash the dishes": "Fill the sink with warm water.|Add some soap.|Wash the dishes.|Dry the dishes.",
    "plant a tree": "Dig a hole.|Put the tree into the hole.|Fill the hole with earth.|Water the tree.",
    "bake bread": "Mix flour, yeast, water and salt.|Let the dough rest.|Form a loaf.|Bake it in a hot oven.",
    "make pancakes": "Mix flour, eggs and milk.|Heat some butter in a pan.|Pour in some dough.|Turn the pancake.",
    "brush your teeth": "Wet the brush.|Put paste on the brush.|Brush for three minutes.|Rinse your mouth.",
    "write a letter": "Take a pen and paper.|Write the date.|Write your text.|Sign it.|Put it into an envelope.",
    "wash your hands": "Wet your hands.|Take some soap.|Rub your hands.|Rinse your hands.|Dry your hands.",
    "make a sandwich": "Cut two slices of bread.|Put butter on the bread.|Add cheese.|Put the slices together.",
    "light a candle": "Put the candle on a plate.|Take a match.|Light the match.|Hold it to the candle.",
    "make a salad": "Wash the vegetables.|Cut them into pieces.|Mix oil and vinegar.|Mix it all in a bowl.",
    "borrow a book": "Go to the library.|Look for the book.|Show your card.|Take the book home.",
    "pack a bag": "Choose your clothes.|Fold them.|Put them into the bag.|Close the bag.",
    "learn a song": "Listen to the song.|Read the words.|Sing one line after the other.|Sing the whole song.",
    "clean a window": "Fill a bucket with water.|Add some soap.|Wash the window.|Dry it with a cloth.",
    "feed a cat": "Take the bowl.|Fill it with food.|Put it on the floor.|Call the cat.",
}

NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven"}

NAME_SOME = (
    "Name {n} {c}.",
    "List {n} {c}.",
    "Give me {n} {c}.",
    "Tell me {n} {c}.",
    "Can you name {n} {c}?",
    "Could you list {n} {c}?",
    "Write a list of {n} {c}.",
    "I need {n} {c}.",
    "Please name {n} {c}.",
    "Which {n} {c} do you know?",
    "Make a list of {n} {c}.",
    "Can you give me the names of {n} {c}?",
    "What are {n} {c}?",
    "Do you know {n} {c}?",
    "{n} {c}, please.",
    "Please list {n} {c}.",
    "Show me {n} {c}.",
    "Please give me a list of {n} {c}.",
)
AS_BULLETS = (
    "Name {n} {c} as a bulleted list.",
    "List {n} {c} with bullets.",
    "Give me {n} {c} as bullets.",
    "Write {n} {c} as a bulleted list.",
    "A bulleted list of {n} {c}, please.",
    "Make a list with bullets of {n} {c}.",
    "Bulleted list: {n} {c}.",
)
IN_ONE_LINE = (
    "Name {n} {c} in one line.",
    "List {n} {c} in one line.",
    "Give me {n} {c} with commas.",
    "Write {n} {c} in one line.",
    "Tell me {n} {c}, with commas.",
    "{n} {c} in one line, please.",
)
ONE_EXAMPLE = (
    "Name one of the {c}.",
    "Give me an example of {c}.",
    "Tell me an example of {c}.",
    "Name an example of {c}.",
    "What is an example of {c}?",
    "Do you know an example of {c}?",
)
ASK_SHOPPING = (
    "Give me a shopping list for {d}.",
    "Write a shopping list for {d}.",
    "What do I need for {d}?",
    "What do I have to buy for {d}?",
    "Make a shopping list for {d}.",
    "Which things must I buy for {d}?",
    "Shopping list for {d}, please.",
    "I want to make {d}. What do I need?",
    "Tell me what I need for {d}.",
    "Can you write a shopping list for {d}?",
    "What should I buy for {d}?",
    "Could you give me a shopping list for {d}?",
)
ASK_STEPS = (
    "How do I {t}?",
    "Tell me how to {t}.",
    "What are the steps to {t}?",
    "List the steps to {t}.",
    "Explain how to {t}.",
    "Can you tell me how to {t}?",
    "How can I {t}?",
    "Give me the steps to {t}.",
    "How to {t}?",
    "Steps to {t}, please.",
    "I want to {t}. What are the steps?",
    "Please explain step by step how to {t}.",
)
ASK_ORDER = (
    "Name the {c} in order.",
    "List the {c} in order.",
    "What are the {c}?",
    "Tell me all {c}.",
    "List all {c}.",
    "Can you list all the {c} in order?",
    "Name all {c}.",
    "Which are the {c}?",
    "Give me all the {c}.",
    "What are the {c} in order?",
    "Write down the {c}.",
    "Do you know all the {c}?",
)
ASK_AFTER = (
    "What comes after {x}?",
    "Which comes after {x}?",
    "What follows {x}?",
    "What is next after {x}?",
    "After {x} comes what?",
    "Tell me what comes after {x}.",
)
ASK_BEFORE = (
    "What comes before {x}?",
    "Which comes before {x}?",
    "What is just before {x}?",
    "What is before {x}?",
    "Before {x} comes what?",
    "Tell me what comes before {x}.",
)
ASK_SORT = (
    "Sort these words: {x}.",
    "Sort: {x}.",
    "Put these words in order: {x}.",
    "Sort the words {x}.",
    "Sort these words from A to Z: {x}.",
    "Can you sort these words? {x}",
    "Sort by the alphabet: {x}.",
)
ASK_SORT_NUMBERS = (
    "Sort these numbers: {x}.",
    "Sort the numbers {x}.",
    "Put these numbers in order: {x}.",
    "Sort from small to large: {x}.",
    "Order these numbers: {x}.",
    "Can you sort these numbers? {x}",
    "Sort by size: {x}.",
)
ASK_LARGEST = (
    "Which is the largest number: {x}?",
    "What is the largest of {x}?",
    "Find the largest number: {x}.",
    "Which of these numbers is the largest: {x}?",
    "Largest of {x}?",
    "Tell me the largest number of {x}.",
)
ASK_FIRST_LETTER = (
    'What is the first letter of "{x}"?',
    'First letter of "{x}"?',
    'Which letter does "{x}" begin with?',
    'Tell me the first letter of "{x}".',
    'With which letter does the word "{x}" start?',
    'What letter does the word "{x}" begin with?',
)
ASK_COUNT = (
    'How many words are in "{x}"?',
    'Count the words: "{x}"',
    'How many words has "{x}"?',
    'Count the words in "{x}".',
    'How many words are there in "{x}"?',
    'Please tell me how many words are in "{x}".',
)
ASK_FIRST_WORD = (
    'What is the first word of "{x}"?',
    'First word of "{x}"?',
    'Which word is first in "{x}"?',
    'Tell me the first word of "{x}".',
    'Give me the first word: "{x}"',
    'Can you tell me the first word of "{x}"?',
)
ASK_LAST_WORD = (
    'What is the last word of "{x}"?',
    'Last word of "{x}"?',
    'Which word is last in "{x}"?',
    'Tell me the last word of "{x}".',
    'Give me the last word: "{x}"',
    'Can you tell me the last word of "{x}"?',
)
ASK_REPEAT = (
    "Repeat: {x}",
    "Say: {x}",
    "Repeat after me: {x}",
    "Please repeat: {x}",
    "Please say: {x}",
    "Can you repeat this? {x}",
)
ASK_REVERSE = (
    "Reverse this list: {x}.",
    "Write this list backwards: {x}.",
    "Reverse the order: {x}.",
    "Turn this list around: {x}.",
    "Put these in reverse order: {x}.",
    "Can you reverse this list? {x}",
)

WORDS = (
    "sun moon star tree house river road door window garden table apple bread water fire wind rain snow cloud stone "
    "boat train book pen lamp clock chair green blue red small big old new warm cold quick slow happy quiet cat dog "
    "bird horse fish mouse bear fox king queen child friend teacher doctor morning evening night summer winter"
).split()
LINES = (
    "The {a} is near the {b}.",
    "{n} likes the {a}.",
    "{n} has a {a} and a {b}.",
    "I see a {a}.",
    "Good morning, {n}!",
    "The {a} and the {b} are here.",
    "{n} and {m} are friends.",
    "We go home now.",
    "My name is {n}.",
    "{n} sits by the {a} and sings.",
    "There is a {a} in the picture.",
    "Please bring the {a} to {n}.",
)
LINE_NOUNS = "sun moon tree house river garden table boat train book lamp clock cat dog bird horse bear fox".split()


def items(text: str) -> list[str]:
    return text.split(", ")


def numbered(entries: Sequence[str]) -> str:
    return "\n".join(f"{place}. {entry}" for place, entry in enumerate(entries, 1))


def bulleted(entries: Sequence[str]) -> str:
    return "\n".join("- " + entry for entry in entries)


def phrase(table, rng: random.Random, split: str, **values) -> str:
    return asked(rng.choice(of_split(table, split)).format(**values), rng)


def quoting(table, rng: random.Random, split: str, text: str) -> str:
    """A request that holds a text which the answer repeats letter by letter, so it is never typed carelessly."""
    return rng.choice(of_split(table, split)).format(x=text)


def some(rng, split):
    """So many things of a kind, mostly those that come to mind first."""
    kind = rng.choice(list(CATEGORIES))
    count = rng.choice((2, 3, 3, 3, 4, 5, 5, 6, 7))
    known = items(CATEGORIES[kind])
    count = min(count, len(known))
    entries = known[:count] if rng.random() < 0.7 else rng.sample(known, count)
    shown = NUMBERS[count] if rng.random() < 0.65 else str(count)
    roll = rng.random()
    if roll < 0.72:
        table, answer = NAME_SOME, numbered(entries)
    elif roll < 0.88:
        table, answer = AS_BULLETS, bulleted(entries)
    else:
        table, answer = IN_ONE_LINE, ", ".join(entries)
    question = phrase(table, rng, split, n=shown, c=kind)
    return question[:1].upper() + question[1:] if rng.random() < 0.7 else question, answer


def example(rng, split):
    kind = rng.choice(list(CATEGORIES))
    entry = rng.choice(items(CATEGORIES[kind])[:3])
    return phrase(ONE_EXAMPLE, rng, split, c=kind), entry[:1].upper() + entry[1:] + "."


def shopping(rng, split):
    dish = rng.choice(list(SHOPPING))
    return phrase(ASK_SHOPPING, rng, split, d=dish), bulleted(items(SHOPPING[dish]))


def steps(rng, split):
    task = rng.choice(list(STEPS))
    return phrase(ASK_STEPS, rng, split, t=task), numbered(STEPS[task].split("|"))


def order(rng, split):
    kind = rng.choice(list(ORDERS))
    return phrase(ASK_ORDER, rng, split, c=kind), numbered(items(ORDERS[kind]))


def neighbour(rng, split):
    known = items(ORDERS[rng.choice(("days of the week", "months"))])
    place = rng.randrange(len(known))
    if rng.random() < 0.6:
        return (
            phrase(ASK_AFTER, rng, split, x=known[place]),
            f"{known[(place + 1) % len(known)]} comes after {known[place]}.",
        )
    return phrase(ASK_BEFORE, rng, split, x=known[place]), f"{known[place - 1]} comes before {known[place]}."


def sorting(rng, split):
    if rng.random() < 0.5:
        words = rng.sample(WORDS, rng.randint(3, 5))
        return quoting(ASK_SORT, rng, split, ", ".join(words)), ", ".join(sorted(words))
    numbers = rng.sample(range(101), rng.randint(3, 5))
    shown = ", ".join(map(str, numbers))
    return quoting(ASK_SORT_NUMBERS, rng, split, shown), ", ".join(map(str, sorted(numbers)))


def largest(rng, split):
    numbers = rng.sample(range(101), rng.randint(3, 5))
    shown = ", ".join(map(str, numbers))
    return quoting(ASK_LARGEST, rng, split, shown), f"The largest number is {max(numbers)}."


def reverse(rng, split):
    words = rng.sample(WORDS, rng.randint(3, 4))
    return quoting(ASK_REVERSE, rng, split, ", ".join(words)), ", ".join(reversed(words))


def first_letter(rng, split):
    word = rng.choice(WORDS) if rng.random() < 0.6 else name(rng)
    return quoting(ASK_FIRST_LETTER, rng, split, word), f'The first letter of "{word}" is {word[0].upper()}.'


def line(rng: random.Random) -> str:
    """A short sentence about things and people."""
    a, b = rng.sample(LINE_NOUNS, 2)
    return rng.choice(LINES).format(a=a, b=b, n=name(rng), m=name(rng))


def counted_words(rng, split):
    words = line(rng).rstrip(".!") if rng.random() < 0.6 else " ".join(rng.sample(WORDS, rng.randint(2, 6)))
    return quoting(ASK_COUNT, rng, split, words), f"There are {len(words.split())} words."


def end_word(rng, split):
    text = line(rng).rstrip(".!").replace(",", "")
    if rng.random() < 0.5:
        return quoting(ASK_FIRST_WORD, rng, split, text), f'The first word is "{text.split()[0]}".'
    return quoting(ASK_LAST_WORD, rng, split, text), f'The last word is "{text.split()[-1]}".'


def repetition(rng, split):
    text = line(rng)
    return quoting(ASK_REPEAT, rng, split, text), text


TURNS = (
    (some, 34),
    (example, 5),
    (shopping, 9),
    (steps, 9),
    (order, 7),
    (neighbour, 8),
    (sorting, 9),
    (largest, 3),
    (reverse, 3),
    (first_letter, 4),
    (counted_words, 3),
    (end_word, 4),
    (repetition, 6),
)


def conversations(rng: random.Random, split: str) -> Iterator[Conversation]:
    """Chats of one to three requests for lists."""
    makers = [make for make, _ in TURNS]
    weights = [weight for _, weight in TURNS]
    while True:
        chosen = rng.choices(makers, weights, k=rng.choice((1, 1, 2, 2, 3)))
        yield chat([make(rng, split) for make in chosen], rng)
