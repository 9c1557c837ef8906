"""Short stories from a grammar of plots, and chats that ask for stories, for their continuation and for poems.

A plot is a list of steps, each a choice of sentences; a choice that is empty leaves the step out. Held out are plots,
lines of poems and phrasings.
"""

import random
from typing import Iterator, Mapping

from .dialog import Conversation
from .framing import article, asked, chat, of_split, two_names

ANIMALS = (
    "fox bear wolf rabbit mouse cat dog owl frog hedgehog squirrel duck goose hen sheep goat horse donkey cow pig deer "
    "badger beaver otter mole crow swan stork lion tiger elephant monkey turtle snail bee ant whale penguin seal camel"
).split()
PEOPLE = (
    "girl boy king queen prince princess farmer baker sailor fisher painter miller tailor teacher doctor singer dancer "
    "gardener knight giant dwarf wizard witch robot pirate hunter shepherd cook smith traveller child merchant student"
).split()
SUBJECTS = ANIMALS + PEOPLE

OBJECTS = (
    "lamp key book ring bell drum hat coat boot scarf basket box bag cup pot spoon plate bowl jar bottle candle "
    "lantern mirror clock watch map letter pen brush comb needle rope hammer saw ladder wheel kite ball doll flute "
    "violin horn trumpet stone shell feather apple pear cake pie egg nut seed flower rose coin crown cloak chair stool "
    "blanket pillow umbrella whistle bucket button pebble statue puppet compass"
).split()
LOOKS = (
    "old new small big red blue green yellow white black golden silver shiny heavy light round pretty strange".split()
)

PLACES = (
    "in a small village",
    "by the sea",
    "near a dark forest",
    "on a high mountain",
    "at the end of a long road",
    "in a quiet valley",
    "beside a river",
    "in an old mill",
    "in a busy town",
    "on a green island",
    "under a big oak tree",
    "in a stone house",
    "near a deep lake",
    "in a garden full of roses",
    "behind the hills",
    "in a little wooden house",
)
SPOTS = (
    "under a bench",
    "behind a stone",
    "in the tall grass",
    "near the well",
    "beside the bridge",
    "in a hollow tree",
    "under the stairs",
    "by the river",
    "behind the door",
    "on the roof",
    "under a pile of leaves",
    "next to the gate",
)
TIMES = (
    "One morning",
    "One evening",
    "One day",
    "One cold day",
    "One sunny day",
    "One rainy morning",
    "In the spring",
    "In the autumn",
    "On a winter morning",
    "Late one night",
    "One summer day",
)
MOODS = ("kind", "brave", "shy", "clever", "lazy", "curious", "cheerful", "quiet", "proud", "careful", "young", "old")

OPENINGS = (
    "Once there was {ak} named {h}. {h} lived {p}.",
    "Once upon a time, {ak} named {h} lived {p}.",
    "There was once a {m} {k} named {h} who lived {p}.",
    "{h} was a {m} {k} who lived {p}.",
    "Long ago, {ak} named {h} lived {p}.",
    "This is the story of {h}, a {m} {k} who lived {p}.",
    "{P}, there lived {ak} named {h}.",
    "{h} the {k} lived {p}. Everyone said that {h} was {m}.",
)

ENDINGS = (
    "From that day on, {h} and {f} were friends.",
    "That night {h} slept well.",
    "{h} never forgot that day.",
    "And so the day ended well.",
    "Everyone was happy, and {h} most of all.",
    "{h} smiled all the way home.",
    "Since then, {h} and {f} meet every week.",
    "{h} still tells this story today.",
    "In the evening they sat by the fire and laughed.",
    "{h} learned that a good friend is worth more than gold.",
    "The {k} and the {g} stayed friends for many years.",
    "{h} told everyone about the {o}.",
)

PLOTS = (
    (  # Lost and found.
        ("{h} had {al} {o} and took it everywhere.", "{h} loved nothing more than {al} {o}."),
        ("{t}, the {o} was gone.", "{t}, {h} could not find the {o}.", "{t}, {h} looked for the {o}, but it was gone."),
        ("{h} looked in the house and in the yard.", "{h} looked everywhere and felt sad.", ""),
        (
            "{h} asked {f} the {g} for help.",
            "Then {f} the {g} came by and offered to help.",
            "{f} the {g} heard {h} cry.",
        ),
        ("Together they looked until the sun went down.", '"Let us look again," said {f}.', ""),
        ("At last {f} found the {o} {s}.", "Then {h} saw something {s}. It was the {o}!"),
        ('"Thank you!" said {h}.', "{h} was so glad that {h} danced.", ""),
    ),
    (  # A present.
        ("{f} the {g} was a good friend of {h}.", "{h} had a friend, {f} the {g}."),
        ("{t}, {h} heard that it was the birthday of {f}.", "{t}, {f} had a birthday."),
        ("{h} wanted to give {f} a present but had no money.", '"What can I give to {f}?" thought {h}.'),
        ("{h} looked at all the things in the house.", "{h} thought about it for a long time.", ""),
        ("Then {h} took {al} {o} and cleaned it well.", "At last {h} made {al} {o} by hand."),
        ("{h} put the {o} in paper and went to {f}.", "With the {o} under one arm, {h} went to {f}."),
        ("{f} opened the present and laughed with joy.", '"I always wanted {ao}!" said {f}.'),
        ("They ate cake and sang songs.", "The two friends sat together until it was dark.", ""),
    ),
    (  # Something breaks.
        ("{h} had {al} {o} from an old aunt.", "In the house of {h} there was {al} {o}."),
        ("{t}, the {o} fell to the floor and broke.", "{t}, {h} dropped the {o}, and it broke."),
        ("{h} was very sad.", '"Oh no!" cried {h}.', "{h} tried to mend it but could not."),
        ("Next door lived {f} the {g}, who could mend things.", "{h} took the parts to {f} the {g}."),
        ("{f} worked on it for three days.", "{f} took some glue and began to work.", '"I can mend it," said {f}.'),
        ("{h} brought tea and bread and waited.", ""),
        ("Then the {o} was as good as new.", "In the end the {o} was whole again, and even better than before."),
        ("{h} thanked {f} and gave {f} a big cake.", '"How can I thank you?" asked {h}. "Be my friend," said {f}.'),
    ),
    (  # Who owns it?
        ("{t}, {h} found {al} {o} {s}.", "{t}, {h} went for a walk and found {al} {o}."),
        ('"Who may have lost it?" thought {h}.', "It was not the {o} of {h}, so {h} looked for the owner."),
        ("{h} asked the baker, but the baker shook his head.", "{h} went from door to door.", ""),
        ("Nobody in the village knew the {o}.", "All day long nobody could help.", ""),
        ("Then {h} met {f} the {g}, who looked sad.", "At the bridge sat {f} the {g} and cried."),
        ('"I lost my {o}," said {f}.', '"I miss my {o}," said {f}.'),
        ("{h} held up the {o}, and {f} jumped for joy.", '"Is it this one?" asked {h}. "Yes!" said {f}.'),
        ("{f} asked {h} to stay for dinner.", ""),
    ),
    (  # Sharing.
        ("{h} knew a {m} {g} named {f}.", "Next door lived {f}, a {m} {g}."),
        ("{t}, both of them saw {al} {o} {s}.", "{t}, they found {al} {o} at the same time."),
        ('"It is mine!" said {h}. "No, it is mine!" said {f}.', "Both wanted to have it, and they began to shout."),
        ("They pulled at the {o} until they were tired.", "They did not talk for a whole day.", ""),
        ("An old turtle heard the noise.", "A wise owl sat in a tree and saw it all."),
        ('"Why do you not share it?" asked the wise one.', '"One day for you, one day for you," said the wise one.'),
        ("{h} thought about it and said yes.", "{h} and {f} looked at each other and laughed."),
        ("So {h} had the {o} on Monday and {f} had it on Tuesday.", "From then on they used the {o} together."),
    ),
    (  # A letter under a tree.
        ("{t}, {h} dug a hole in the garden.", "{t}, {h} worked in the field."),
        ("In the earth was {al} {o} with a note.", "Under a root lay {al} {o} and a piece of paper."),
        ('The note said: "Bring me to {f}."', 'On the paper were the words: "I belong to {f}."'),
        ("{h} did not know {f} and asked the neighbours.", "{h} packed some bread and began to walk.", ""),
        ("After two days {h} came to a house.", "Far away, {h} found the right house."),
        ("There lived {f}, a very old {g}.", "An old {g} opened the door. It was {f}."),
        ('"My {o}! I lost it when I was young," said {f}.', "{f} took the {o} and had tears of joy."),
        ("{f} told {h} about the old days.", ""),
    ),
    (  # A trade.
        ("{h} had {al} {o} but nothing to eat.", "{h} was hungry and had only {al} {o}."),
        ("{t}, {h} went to the market.", "{t}, {h} took the {o} and went to town."),
        ("There {h} met {f} the {g}, who sold bread.", "At the gate stood {f} the {g} with warm bread."),
        ('"Give me your {o}, and I will give you bread," said {f}.', '"What do you want for the {o}?" asked {f}.'),
        ("{h} gave away the {o} and ate.", "{h} took the bread and gave the {o} to {f}."),
        ("But then {h} missed the {o} very much.", "On the way home {h} was sad.", ""),
        ("{f} saw it and ran after {h}.", "{f} felt sorry and came back."),
        (
            '"Keep your {o}," said {f}. "You can help me in my shop."',
            '"Work for me one day, and it is yours again," said {f}.',
        ),
        ("So {h} worked in the shop and liked it.", ""),
    ),
    (  # A storm.
        ("{t}, {h} went out with {al} {o}.", "{t}, {h} carried {al} {o} to the next village."),
        ("Then a big storm came up.", "Soon the sky was black, and it began to rain."),
        ("The wind was so strong that {h} could not walk.", "{h} was wet and cold.", ""),
        ("{h} saw a small light and walked to it.", "Far away there was a house with a light."),
        ("{f} the {g} opened the door.", "In the house lived {f} the {g}."),
        ('"Come in and sit by the fire," said {f}.', "{f} gave {h} hot soup and a dry coat."),
        ("All night they talked and listened to the rain.", "The storm went on all night.", ""),
        ("In the morning the sun was back.", "The next day the sky was blue again."),
        ("{h} gave the {o} to {f} as a thank you.", "{h} left the {o} as a present."),
    ),
    (  # The way home.
        ("{t}, {h} went into the forest with {al} {o}.", "{t}, {h} walked far away with {al} {o}."),
        ("{h} looked at birds and flowers and forgot the way.", "Soon all the trees looked the same."),
        ('"How do I get home?" asked {h}.', "It grew dark, and {h} was afraid."),
        ("{h} put the {o} on a stone, so that someone might see it.", "{h} sat down and held the {o}.", ""),
        ("{f} the {g} saw the {o} and came near.", "After a while {f} the {g} came along the path."),
        ('"I know the way," said {f}.', '"Do not be afraid," said {f}. "Follow me."'),
        ("They crossed a river and climbed a hill.", "They walked under the stars.", ""),
        ("At last {h} saw the lights of home.", "Soon they stood in front of the house of {h}."),
    ),
    (  # A thief.
        ("{h} had {al} {o} that shone in the sun.", "The best thing in the house of {h} was {al} {o}."),
        ("{t}, the window was open and the {o} was gone.", "{t}, somebody took the {o}."),
        ("On the floor lay a black feather.", "{h} saw marks of small feet.", ""),
        ('"A bird was here," said {h}.', "{h} followed the marks to a tall tree."),
        ("{h} could not climb the tree and called {f} the {g}.", "{f} the {g} was good at climbing and came to help."),
        ("High up in a nest lay the {o}.", "In the nest they found the {o} and three spoons."),
        ('"I only like things that shine," said the bird.', '"I am sorry," said the bird.'),
        ("{h} was not angry and gave the bird a piece of glass.", "{h} took the {o} back and gave the bird a shell."),
    ),
    (  # Learning.
        ("{h} wanted to learn to sing.", "{h} wanted to learn to swim.", "{h} wanted to learn to paint."),
        ("But at first it went badly.", "But it was hard, and the others laughed.", ""),
        ("{t}, {h} met {f} the {g}, a good teacher.", '{t}, {f} the {g} said: "I can teach you."'),
        ('"You must try every day," said {f}.', '"Slowly, step by step," said {f}.'),
        ("{f} gave {h} {al} {o} for good luck.", "{h} always kept {al} {o} for good luck."),
        ("{h} tried in the morning and in the evening.", "{h} tried for many weeks.", "Day after day {h} tried."),
        ("Then there was a feast, and {h} showed it to all.", "After a year {h} was the best in the village."),
        ("Everybody clapped.", "Nobody laughed now.", ""),
    ),
    (  # Fear of the dark.
        ("{h} was afraid of the dark.", "When night came, {h} was always afraid."),
        ("{t}, {h} heard a noise outside.", "{t}, something moved in the dark."),
        ("{h} took {al} {o} and went to the door.", "{h} held {al} {o} and hid behind a chair."),
        ('"Who is there?" asked {h}.', "The noise came nearer.", ""),
        ("It was only {f} the {g}.", "Then {h} saw {f} the {g} in the moonlight."),
        ('"I am afraid too," said {f}.', '"I cannot sleep," said {f}.'),
        ("They looked at the stars together.", "They drank warm milk and talked."),
        ("After that the dark was not so dark.", "Now {h} was not afraid any more."),
    ),
    (  # A heavy load.
        ("{h} had to bring {al} {o} to an aunt.", "{t}, {h} had to carry {al} {o} over the mountain."),
        ("The way was long, and the {o} felt heavy.", "The road was steep and full of stones."),
        ("After an hour {h} sat down and could not go on.", "{h} was tired and hungry.", ""),
        ("Then {f} the {g} came along.", "On the road {h} met {f} the {g}."),
        ('"Let me carry it for a while," said {f}.', '"Two can carry more than one," said {f}.'),
        ("They sang and told jokes, and the way felt short.", "Now the {o} was light and the road was easy."),
        ("In the evening they reached the house.", "Before night they were there."),
        ("The aunt gave them soup and bread.", "The aunt took the {o} and kissed them both.", ""),
    ),
    (  # A wish.
        ("{t}, {h} found {al} {o}. It could speak!", "{t}, {h} cleaned {al} {o}, and it began to speak."),
        ('"You have one wish," said the {o}.', '"I can give you one wish," said the {o}.'),
        ("{h} thought of gold and of a big house.", "{h} did not know what to say.", ""),
        ("But {f} the {g} was ill and lay in bed.", "Then {h} thought of {f} the {g}, who was ill."),
        ('"Make {f} well again," said {h}.', '"I wish that {f} is well," said {h}.'),
        ("There was a bright light.", "The {o} shone and then was quiet."),
        ("The next morning {f} stood at the door and laughed.", "When {h} came to {f}, {f} was up and danced."),
        ("The {o} never spoke again.", ""),
    ),
    (  # A contest.
        ("Every year there was a fair.", "{t}, the king asked for the best {o} in the land."),
        ("{h} wanted to win with {al} {o}.", "{h} worked a whole month on {al} {o}."),
        ("But {f} the {g} had a better one.", "There {h} saw the {o} of {f} the {g}, and it was better."),
        ("{h} was sad, but told {f} the truth.", '"Yours is better than mine," said {h}.'),
        ("The judge heard it and smiled.", "All the people heard it.", ""),
        ("{f} got the first prize and {h} the second.", "The first prize went to {f}."),
        ("But {f} shared the prize with {h}.", '"Let us share the prize," said {f}.'),
    ),
    (  # A bridge.
        ("{h} wanted to visit {f} the {g}, but a river lay between them.", "A river lay between {h} and {f} the {g}."),
        ("{t}, the old bridge fell into the water.", "{t}, the water took the bridge away."),
        ('"We need a new bridge," called {h}.', "{h} stood on one side and {f} on the other."),
        ("{h} had only {al} {o} to begin with.", "{h} took {al} {o} and began to work."),
        ("They worked from both sides, day after day.", "{h} brought wood and {f} brought stones."),
        ("When it rained, they worked on.", "Many others came to help.", ""),
        ("After a month they met in the middle.", "At last the bridge was ready."),
        ("They put the {o} on it as a sign.", ""),
    ),
)

EXTRAS = (
    "The birds sang.",
    "It was very quiet.",
    "The sun was warm.",
    "A soft wind blew.",
    "{h} liked the smell of fresh bread.",
    "{h} liked to look at the clouds.",
    "Every morning {h} drank a cup of milk.",
    "The neighbours often came to visit.",
    "There was always a lot to do.",
    "In the evening the moon rose.",
)

TELL_BOTH = (
    "Tell me a story about {as} and {ao}.",
    "Tell me a short story about {as} and {ao}.",
    "Write a story about {as} and {ao}.",
    "Can you tell me a story about {as} and {ao}?",
    "Write a short story with {as} and {ao}.",
    "Please tell a story with {as} and {ao} in it.",
    "I want a story about {as} and {ao}.",
    "A story about {as} and {ao}, please.",
    "Make up a story about {as} and {ao}.",
    "Please write a short story about {as} and {ao}.",
    "Do you know a story about {as} and {ao}?",
    "Could you make up a short story about {as} and {ao}?",
)
TELL_SUBJECT = (
    "Tell me a story about {as}.",
    "Write a short story about {as}.",
    "Do you know a story about {as}?",
    "Tell me a tale about {as} named {h}.",
    "Write a story about {as} named {h}.",
    "Could you tell me a story about {as}?",
    "A short story about {as}, please.",
    "Tell me a short story about {as} named {h}.",
)
TELL_OBJECT = (
    "Tell me a story about {ao}.",
    "Write a short story about {ao}.",
    "Do you know a story about {ao}?",
    "A story with {ao}, please.",
    "Make up a story about {ao}.",
    "Could you tell me a story about {ao}?",
)
TELL_ANY = (
    "Tell me a story.",
    "Tell me a short story.",
    "Do you know a story?",
    "Write a story.",
    "Can you tell me a story?",
    "Could you tell a short story?",
    "Please tell me a story.",
    "A story, please.",
    "I want to hear a story.",
    "Tell me something nice before I go to bed.",
    "Tell me a bedtime story.",
    "Please make up a story for me.",
)
CONTINUE = (
    "Continue.",
    "Go on.",
    "And then?",
    "What happens next?",
    "Please continue.",
    "Please go on with the story.",
    "How does the story go on?",
    "Continue the story.",
    "What happened then?",
    "More, please.",
    "How does it end?",
    "What comes next in the story?",
)
CONTINUE_THIS = (
    "Continue this story: {x}",
    "Go on with this story: {x}",
    "Continue: {x}",
    "How does this story go on? {x}",
    "Please continue this story: {x}",
    "Please write how this story goes on: {x}",
)
ASK_POEM = (
    "Write a poem about {as}.",
    "Write a short poem about {as}.",
    "Tell me a poem about {as}.",
    "A poem about {as}, please.",
    "Can you write a poem about {as}?",
    "Could you make a short poem about {as}?",
    "Please write four lines about {as} that rhyme.",
    "Do you know a poem about {as}?",
    "Write a rhyme about {as}.",
    "Make a poem about {as}.",
    "Give me a little poem about {as}.",
    "Please make a rhyme about {as}.",
)

# First lines name the subject; each pair is an ending sound's lines, which end in different words.
RHYMES = (
    (
        ("The {s} walks out into the night", "A little {s} looks for the light", "The {s} goes to bed at night"),
        (
            "and sees a star that shines so bright.",
            "and everything will be all right.",
            "the moon above is round and white.",
        ),
    ),
    (
        ("The {s} is sitting by the sea", "The {s} is resting by a tree", "A {s} came by and smiled at me"),
        ("as glad as anyone can be.", "and drinks a little cup of tea.", "and hums as softly as a bee."),
    ),
    (
        ("The {s} went out to play today", "A {s} went down the long, long way", "One morning in the month of May"),
        ("and all the clouds had gone away.", "and sang a song about the day.", "the {s} had nothing more to say."),
    ),
    (
        ("The {s} lives in a little house", "The {s} once met a tiny mouse"),
        ("as quiet as a tiny mouse.", "behind the garden of the house."),
    ),
    (
        ("The {s} can hear the river flow", "The {s} is standing in the snow", "A {s} was walking very slow"),
        (
            "where yellow flowers always grow.",
            "and feels the winds of winter blow.",
            "and does not know which way to go.",
        ),
    ),
    (
        ("The {s} is looking at the sky", "The {s} once saw a bird so high", "A {s} looked up and wondered why"),
        ("and sees the clouds go slowly by.", "the swallows up there never cry.", "the birds and not the fishes fly."),
    ),
    (
        ("The {s} is singing in the rain", "The {s} is waiting for the train", "A {s} once walked along the lane"),
        (
            "and then the sun comes out again.",
            "and looks out through the window pane.",
            "and hears the rain upon the grain.",
        ),
    ),
    (
        ("The {s} has found a silver ring", "The {s} is waiting for the spring", "A {s} once dreamed to be a king"),
        (
            "and hears the birds begin to sing.",
            "and laughs about the smallest thing.",
            "and sits upon the garden swing.",
        ),
    ),
    (
        ("The {s} has slept in a warm bed", "A {s} with a hat upon its head", "The {s} is eating fresh, warm bread"),
        ("has heard what all the others said.", "and sees the sky in gold and red."),
    ),
    (
        ("The {s} comes home when day is done", "The {s} loves walking in the sun", "A {s} once had a lot of fun"),
        ("and watches how the rivers run.", "and greets the neighbours, one by one."),
    ),
)
SECOND_PAIRS = (
    ("And when the evening stars appear,", "the {s} can feel that home is near."),
    ("The wind is soft, the grass is deep,", "and soon the {s} will fall asleep."),
    ("The summer goes, the leaves come down,", "in red and yellow, gold and brown."),
    ("So take a friend and hold a hand,", "and dance with me across the land."),
    ("The world is wide, the road is long,", "and every bird has got a song."),
    ("A little joy, a little rest,", "and home is where it is the best."),
    ("Tomorrow is another day,", "and all the {s} will do is play."),
    ("The clock says ten, the lamp is low,", "good night, it is the time to go."),
    ("The garden sleeps, the moon is bright,", "sleep well, my {s}, sleep well, good night."),
    ("The stars above are cold and clear,", "but we are warm and we are here."),
    ("The bell has rung, the boats are in,", "and now the stories can begin."),
    ("The fields are green, the sky is blue,", "this little poem is for you."),
)


def with_capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def cast(rng: random.Random, subject: str = "", thing: str = "") -> dict[str, str]:
    """The values that a plot's sentences take: hero, friend, object, place and time."""
    hero, friend = two_names(rng)
    kind = subject or rng.choice(SUBJECTS)
    friend_kind = rng.choice([other for other in SUBJECTS if other != kind])
    thing = thing or rng.choice(OBJECTS)
    place = rng.choice(PLACES)
    return {
        "h": hero,
        "f": friend,
        "k": kind,
        "ak": article(kind),
        "g": friend_kind,
        "o": thing,
        "ao": article(thing),
        "al": article(rng.choice(LOOKS)),
        "p": place,
        "P": with_capital(place),
        "s": rng.choice(SPOTS),
        "t": rng.choice(TIMES),
    }


def spoken(template: str, values: Mapping[str, str], rng: random.Random) -> str:
    return with_capital(template.format(m=rng.choice(MOODS), **values)).replace(" a old ", " an old ")


def sentences(values: Mapping[str, str], rng: random.Random, split: str, extras: int) -> list[str]:
    """A story's sentences, one step each, with up to so many that only add colour."""
    steps = [rng.choice(OPENINGS)]
    for choices in rng.choice(of_split(PLOTS, split)):
        steps.append(rng.choice(choices))
    for extra in rng.sample(EXTRAS, rng.randint(0, extras)):
        steps.insert(1, extra)
    steps.append(rng.choice(ENDINGS))
    return [spoken(step, values, rng) for step in steps if step]


def told(
    values: Mapping[str, str], rng: random.Random, split: str, shortest: int, longest: int, extras: int
) -> list[str]:
    """A story that has so many words and names its object."""
    while True:
        found = sentences(values, rng, split, extras)
        text = " ".join(found)
        if shortest <= len(text.split()) <= longest and values["o"] in text:
            return found


def documents(rng: random.Random, split: str) -> Iterator[str]:
    """Stories of 60 to 200 words, some with a title."""
    while True:
        values = cast(rng)
        story = told(values, rng, split, 60, 200, 3)
        half = len(story) // 2
        text = "\n\n".join((" ".join(story[:half]), " ".join(story[half:]))) if rng.random() < 0.3 else " ".join(story)
        if rng.random() < 0.4:
            title = rng.choice(("The {k} and the {o}", "{h} and the {o}", "{h} and {f}", "The {o}", "{h} the {k}"))
            text = title.format(**values) + "\n\n" + text
        yield text


def poem(subject: str, rng: random.Random, split: str) -> str:
    """Four lines that rhyme in pairs."""
    while True:
        first, second = rng.choice(RHYMES)
        first, second = rng.choice(first), rng.choice(second)
        if first.split()[-1] != second.split()[-1].rstrip(".") and "{s}" in first + second:
            break
    third, fourth = rng.choice(of_split(SECOND_PAIRS, split))
    lines = (first + ("" if second.startswith("and") else ","), second, third, fourth)
    return "\n".join(with_capital(line.format(s=subject)) for line in lines)


def request(rng, split) -> tuple[str, dict[str, str]]:
    """A user's wish for a story, and who plays in it."""
    values = cast(rng)
    table = rng.choices((TELL_BOTH, TELL_SUBJECT, TELL_OBJECT, TELL_ANY), (50, 20, 15, 15))[0]
    text = rng.choice(of_split(table, split))
    return text.format(**{"as": values["ak"], "ao": values["ao"], "h": values["h"]}), values


def story_turns(rng, split):
    text, values = request(rng, split)
    return [(asked(text, rng), " ".join(told(values, rng, split, 50, 120, 0)))]


def halted_turns(rng, split):
    """A story whose second half has to be asked for."""
    text, values = request(rng, split)
    story = told(values, rng, split, 60, 130, 1)
    half = rng.randint(3, len(story) - 3)
    more = asked(rng.choice(of_split(CONTINUE, split)), rng)
    return [(asked(text, rng), " ".join(story[:half])), (more, " ".join(story[half:]))]


def continued_turns(rng, split):
    """A story whose beginning the user gives."""
    story = told(cast(rng), rng, split, 50, 120, 0)
    half = rng.randint(1, 3)
    ask = rng.choice(of_split(CONTINUE_THIS, split)).format(x=" ".join(story[:half]))
    return [(ask, " ".join(story[half:]))]


def poem_turns(rng, split):
    subject = rng.choice(SUBJECTS)
    ask = rng.choice(of_split(ASK_POEM, split)).format(**{"as": article(subject)})
    return [(asked(ask, rng), poem(subject, rng, split))]


def conversations(rng: random.Random, split: str) -> Iterator[Conversation]:
    """Chats that ask for one or two stories or poems."""
    while True:
        turns = []
        for _ in range(rng.choice((1, 1, 1, 2))):
            make = rng.choices((story_turns, halted_turns, continued_turns, poem_turns), (50, 12, 12, 26))[0]
            turns += make(rng, split)
        yield chat(turns, rng)
