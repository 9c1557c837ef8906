"""Needles in haystacks: values told somewhere in a long text, and questions for them.

A needle says which value an attribute of a thing has, such as the code of the harbour. A haystack is a list
of pieces, each a sentence or a line with the blank or line break after it. Held out are wordings, plots and
sentences of the filler.
"""

import random
import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import Callable, Dict, Iterator, List, Optional, Sequence, Set

from . import framing, stories
from .dialog import HELD_OUT, TRAIN, Conversation, Question, assistant, system, user
from .facts import FACTS
from .phrasing import Phrasings, any_of, phrasings, upper_first

# Estimates of how text becomes tokens: a digit or a line break is a token of its own.
CHARACTERS_PER_TOKEN = 3.3
TOKENS_PER_MESSAGE = 5
NEEDLE_TOKENS = 16
TOKENS_PER_TURN = 42
SHORTEST = 40
MOST_ASKED = 6  # of short texts
UNKNOWN_SHARE = 0.05

_SINGLE = re.compile(r"[0-9\n]")
_WORD = re.compile(r"[a-z0-9]+")
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*\"?\s*")
_SLOT = re.compile(r"{(\w+)}")

Source = Callable[[random.Random, str], List[str]]


@dataclass(frozen=True)
class Needle:
    """An attribute and its value; `thing` has its article and is empty where the attribute stands alone."""

    attribute: str
    thing: str
    value: str
    person: bool = False

    def answer(self) -> str:
        return f"The {self.topic()} is {self.value}."

    def topic(self) -> str:
        return f"{self.attribute} of {self.thing}" if self.thing else self.attribute


# Attributes by what their values are.
NUMBERED = (
    "code,code,code,code,number,number,number,secret number,secret number,secret code,secret code,"
    "access code,access code,door code,entry code,lock code,alarm code,PIN,PIN,key,key,key number,"
    "magic number,magic number,special number,special magic number,lucky number,room number,phone number,"
    "house number,order number,serial number,ticket number,ID,index,price,price,weight,height,length,depth,"
    "age,year,size,score,speed,area,value,cost,distance,count,level,temperature,width,capacity,rent,"
    "account number,invoice number,badge number"
).split(",")
PERSONAL = (
    "owner,owner,captain,keeper,guard,boss,manager,leader,builder,mayor,guest,friend,teacher,neighbour"
).split(",")
NAMED = "name,nickname,old name,real name,secret name".split(",")
WORDED = (
    "password,password,password,secret word,secret word,code word,magic word,symbol,motto,keyword"
).split(",")
COLOURED = "colour,colour,colour,main colour,favourite colour".split(",")
ALONE = (
    "secret number,magic number,special number,special magic number,secret code,access code,code,password,"
    "secret word,code word,magic word,PIN,lucky number,secret name,secret colour,key,final score,"
    "room number,phone number"
).split(",")

COLOURS = (
    "red blue green yellow white black grey brown pink purple orange violet gold silver turquoise crimson "
    "scarlet beige ivory indigo lilac maroon olive teal cyan magenta amber bronze copper cream coral navy "
    "khaki rose"
).split()
VALUE_WORDS = (
    "apple banana cherry lemon mango melon olive peach pepper ginger cinnamon honey sugar coffee cocoa "
    "tiger falcon eagle dolphin panther otter raven sparrow lobster salmon thunder lightning rainbow "
    "sunrise sunset comet galaxy planet rocket meteor saturn jupiter diamond emerald ruby sapphire marble "
    "granite crystal velvet cotton ribbon anchor compass lantern hammer ladder castle dragon wizard "
    "phoenix unicorn cactus tulip lily orchid maple willow cedar bamboo clover violin trumpet guitar piano "
    "melody waltz puzzle riddle sesame freedom courage wisdom patience harvest blizzard volcano "
    "glacier canyon desert lagoon meadow pebble feather whisper shadow mirror"
).split()

# Things that have attributes.
NOUNS = (
    "harbour,harbour,lighthouse,bakery,library,museum,station,airport,school,hospital,church,castle,tower,"
    "palace,bridge,tunnel,mill,farm,barn,stable,garden,park,forest,island,lake,river,mountain,valley,cave,"
    "mine,quarry,dam,factory,workshop,warehouse,office,bank,hotel,inn,tavern,cafe,restaurant,kitchen,"
    "cellar,attic,garage,shed,hall,theatre,cinema,stadium,pool,gym,market,shop,pharmacy,bookshop,laundry,"
    "post office,town hall,court,prison,embassy,zoo,circus,aquarium,observatory,laboratory,archive,vault,"
    "safe,chest,box,locker,drawer,cupboard,cabinet,wardrobe,suitcase,bag,basket,barrel,crate,parcel,letter,"
    "book,map,painting,statue,clock,piano,lamp,mirror,computer,server,printer,router,phone,camera,radio,"
    "television,robot,drone,machine,engine,pump,generator,boiler,lift,door,gate,window,roof,fence,wall,"
    "stairs,balcony,fountain,well,pond,bench,kiosk,booth,ship,boat,ferry,yacht,submarine,train,tram,bus,"
    "car,truck,van,tractor,bicycle,plane,balloon,rocket,sledge,wagon,cart,dog,cat,horse,cow,parrot,"
    "elephant,tiger,dragon,king,queen,baker,doctor,pilot,sailor,farmer,teacher,project,team,club,meeting,"
    "mission,report,contract,account,ticket,order,recipe,file,folder,key,ring,crown,sword,flag,bell,drum,"
    "tent,camp,cabin,villa,apartment,bathroom,bedroom,lobby,terrace,greenhouse,orchard,vineyard,beach,pier,"
    "dock,canal,square,monument,temple,windmill,brewery,dairy,forge,sawmill,depot,garden house,boathouse,"
    "control room,guest house,meeting room,engine room,wine cellar,bus station,fire station,police station,"
    "power station,ice cream shop"
).split(",")
MARKS = (
    "north south east west upper lower front back main old new big small left right first second third "
    "last red blue green yellow white black grey brown golden silver wooden iron stone hidden secret royal "
    "central little long"
).split()
BELONGINGS = (
    "locker,safe,house,car,boat,dog,cat,horse,office,desk,phone,computer,bicycle,suitcase,room,garden,flat,"
    "shop,farm,account,bag,key,door,box,garage,cabin,book,parcel,mailbox,team,printer,camera"
).split(",")
TOWNS = (
    "the city of {},the city of {},the town of {},the village of {},the island of {},the kingdom of {},"
    "the castle of {},the port of {},the ship {},the planet {},the river {},the Hotel {},agent {},"
    "Captain {},Doctor {},project {}"
).split(",")
NUMBERED_THINGS = "room,gate,locker,door,platform,house,box,bus,cabin,hall,table,seat".split(",")

STATEMENTS = phrasings(
    """
    The {a} for {t} is {v}.
    The {a} for {t} is {v}.
    {P} {a} is {v}.
    {P} {a} is {v}.
    Remember: the {a} of {t} is {v}.
    Remember that the {a} of {t} is {v}.
    Please note that the {a} of {t} is {v}.
    Note: the {a} of {t} is {v}.
    Important: {p} {a} is {v}.
    {T} has the {a} {v}.
    {V} is the {a} of {t}.
    {V} is {p} {a}.
    {A} of {t}: {v}.
    {A} of {t}: {v}
    {A} for {t}: {v}
    {T}: {a} {v}.
    {T} ({a}: {v}) is well known.
    By the way, the {a} of {t} is {v}.
    By the way, {p} {a} is {v}.
    Do not forget that the {a} of {t} is {v}.
    As {a} of {t} we use {v}.
    The {a} of {t} was {v}.
    The {a} of {t} is: {v}.
    The {a} for {t} is: {v}.
    The {a} of {t} = {v}.
    They said that the {a} of {t} is {v}.
    Somebody wrote down the {a} of {t}: {v}.
    The {a} of {t}, as everyone knows, is {v}.
    The {a} of {t} is now {v}.
    You should know that {p} {a} is {v}.
    I heard that the {a} for {t} is {v}.
    One more thing: the {a} of {t} is {v}.
    For {t} the {a} is {v}.
    If you need the {a} of {t}, it is {v}.
    {T} got the {a} {v}.
    The {a} which belongs to {t} is {v}.
    The special fact is that the {a} of {t} is {v}.
    ~ Keep in mind that the {a} of {t} is {v}.
    ~ For your information, the {a} of {t} is {v}.
    ~ Write this down: the {a} for {t} is {v}.
    ~ We all know that {p} {a} is {v}.
    ~ It is known that the {a} of {t} is {v}.
    ~ {V} was chosen as the {a} of {t}.
    ~ Here is the {a} for {t}: {v}.
    ~ The {a} given to {t} is {v}.
    """
)
PLAIN = "The {a} of {t} is {v}."
STATEMENTS_ALONE = phrasings(
    """
    The {a} is {v}.
    The {a} is {v}.
    The {a} is {v}.
    The {a} is: {v}.
    Remember: the {a} is {v}.
    Please note that the {a} is {v}.
    {A}: {v}
    By the way, the {a} is {v}.
    {V} is the {a}.
    Important: the {a} is {v}.
    Do not forget that the {a} is {v}.
    Remember this: the {a} is {v}.
    ~ Keep in mind that the {a} is {v}.
    ~ For your information, the {a} is {v}.
    ~ Write this down: the {a} is {v}.
    """
)

ASKS = phrasings(
    """
    What is the {a} of {t}?
    What is the {a} of {t}?
    What is the {a} of {t}?
    What is the {a} of {t}?
    What is the {a} for {t}?
    What is the {a} for {t}?
    What is {p} {a}?
    What is {p} {a}?
    What was the {a} of {t}?
    What was the {a} for {t}?
    What was {p} {a}?
    Which {a} does {t} have?
    Which {a} has {t}?
    What {a} does {t} have?
    Which is the {a} of {t}?
    Tell me the {a} of {t}.
    Tell me the {a} for {t}.
    Tell me {p} {a}.
    Please tell me the {a} of {t}.
    Do you remember the {a} of {t}?
    Do you remember {p} {a}?
    Do you know the {a} of {t}?
    Do you still know the {a} for {t}?
    Can you tell me the {a} of {t}?
    Could you find the {a} of {t}?
    {A} of {t}?
    {A} for {t}?
    {P} {a}?
    The {a} of {t} is
    According to the text, what is the {a} of {t}?
    According to the text, what is {p} {a}?
    What is the {a} of {t} according to the text?
    What is the {a} for {t} in the text above?
    In the text, which {a} does {t} have?
    What does the text say about the {a} of {t}?
    Find the {a} of {t} in the text.
    Find the {a} for {t}.
    Give me the {a} of {t}.
    Give me {p} {a}.
    I need the {a} of {t}.
    I need the {a} for {t}, please.
    I forgot the {a} of {t}.
    I forgot {p} {a}. What is it?
    I want to know the {a} of {t}.
    I am looking for the {a} of {t}.
    Repeat the {a} of {t}.
    Say the {a} of {t}.
    What did I say is the {a} of {t}?
    What did I tell you about the {a} of {t}?
    What is the {a} of {t} that I told you?
    What is the {a} for {t} mentioned in the text?
    The text mentions the {a} of {t}. What is it?
    There is a {a} for {t} in the text. Which one?
    Now answer: what is the {a} of {t}?
    Read the text and answer: what is the {a} of {t}?
    Answer from the text: what is {p} {a}?
    For {t}, what is the {a}?
    What is the value of the {a} of {t}?
    ~ Can you tell me what the {a} of {t} is?
    ~ What {a} was given for {t}?
    ~ Based on the text above, what is the {a} for {t}?
    ~ Please look up the {a} of {t}.
    ~ I need to know the {a} of {t}. What is it?
    ~ Which {a} belongs to {t}?
    ~ Name the {a} of {t}.
    ~ Somewhere in the text is the {a} of {t}. What is it?
    ~ What have you read about the {a} of {t}?
    ~ Remind me of {p} {a}.
    ~ In this text, what is the {a} of {t}?
    ~ Do you recall the {a} for {t}?
    """
)
ASKS_PERSON = phrasings(
    """
    Who is the {a} of {t}?
    Who was the {a} of {t}?
    Who is {p} {a}?
    According to the text, who is the {a} of {t}?
    Do you know who the {a} of {t} is?
    ~ Can you tell me who the {a} of {t} is?
    ~ Based on the text above, who is {p} {a}?
    """
)
ASKS_ALONE = phrasings(
    """
    What is the {a}?
    What is the {a}?
    What is the {a}?
    What was the {a}?
    Tell me the {a}.
    Do you remember the {a}?
    {A}?
    According to the text, what is the {a}?
    What is the {a} in the text?
    What is the {a} mentioned in the text?
    I forgot the {a}.
    Find the {a} in the text.
    Which {a} did I tell you?
    Give me the {a}.
    ~ Can you tell me what the {a} is?
    ~ Based on the text above, what is the {a}?
    ~ Please look up the {a}.
    ~ Remind me of the {a}.
    """
)
ASKS_NEXT = phrasings(
    """
    And the {a} of {t}?
    And the {a} for {t}?
    And {p} {a}?
    What about the {a} of {t}?
    And what is the {a} of {t}?
    Now the {a} of {t}.
    ~ Okay, and the {a} of {t}?
    ~ How about the {a} of {t}?
    """
)

INTROS = phrasings(
    """
    Here is the text:
    Here is a text:
    Text:
    Read this text:
    Read this:
    Please read this text:
    Please read the following text.
    Remember what I tell you.
    I will ask you about this text:
    Below is a long text.
    Context:
    Document:
    This is the report:
    Some numbers are hidden in this text. Remember them.
    A fact is hidden in the following text. Find it.
    ~ Please go through this text:
    ~ Have a look at this:
    ~ Some facts are hidden below.
    """
)
NOTED = ("Okay.", "Okay.", "Okay.", "Noted.", "I have read it.")
JOINTS = ("\n\n", "\n\n", "\n", "\n", " ", " ", "\n\nQuestion: ", "\nQuestion: ", "\n---\n")

# Words of the filler's sentences.
SLOTS = {
    "adj": (
        "old new small big quiet busy narrow wide clean dusty bright dark warm cool heavy light plain "
        "pretty strange famous modern simple tall low deep round square broken fresh dry wet soft wooden "
        "rusty tidy empty crowded"
    ).split(),
    "colour": "red blue green yellow white black grey brown pale dark".split(),
    "person": (
        "baker,farmer,teacher,doctor,postman,gardener,painter,driver,sailor,fisherman,cook,waiter,nurse,"
        "clerk,butcher,tailor,carpenter,mechanic,student,neighbour,mayor,guard,engineer,singer,librarian,"
        "judge,tourist,shepherd,plumber,electrician"
    ).split(","),
    "people": (
        "children,visitors,workers,neighbours,tourists,farmers,students,guests,players,sailors,teachers,"
        "drivers,customers,villagers,travellers,musicians,cyclists,hikers,merchants,passengers"
    ).split(","),
    "name": framing.COMMON_NAMES,
    "place": (
        "harbour,market,station,school,library,park,church,bridge,mill,farm,museum,town hall,old tower,"
        "bakery,river,lake,forest,castle,garden,square,post office,factory,beach,hill,hotel,theatre,"
        "airport,workshop"
    ).split(","),
    "thing": (
        "table,chair,lamp,box,basket,clock,ladder,bench,window,door,roof,fence,wall,gate,carpet,shelf,"
        "kettle,mirror,blanket,bottle,bucket,hammer,rope,umbrella,suitcase,newspaper,letter,picture,candle,"
        "bell,cart,wheel"
    ).split(","),
    "food": (
        "bread,cheese,apples,pears,potatoes,carrots,onions,tomatoes,soup,fish,rice,beans,eggs,butter,milk,"
        "honey,jam,plums,cherries,grapes,cabbage,mushrooms,nuts,cake,biscuits,tea,coffee,juice,salt,flour"
    ).split(","),
    "plant": (
        "roses tulips daisies lilies oaks pines birches ferns herbs bushes vines sunflowers apples weeds"
    ).split(),
    "animal": (
        "dog cat horse cow goat sheep duck goose fox rabbit hare squirrel owl crow swan heron bee frog"
    ).split(),
    "boat": "boat,ship,ferry,sailing boat,fishing boat,barge,yacht,canoe,tug,steamer".split(","),
    "vehicle": "bus,train,tram,car,truck,van,bicycle,tractor,taxi,lorry".split(","),
    "when": (
        "in the morning,in the evening,at noon,at night,before lunch,after dinner,on Monday,on Tuesday,"
        "on Wednesday,on Thursday,on Friday,on Saturday,on Sunday,last week,every day,in spring,in summer,"
        "in autumn,in winter,yesterday,today,this week,after the rain,early in the day,late in the day,"
        "at sunset,at dawn"
    ).split(","),
    "day": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(),
    "month": "January February March April May June July August September October November December".split(),
    "weather": "sunny cloudy rainy windy foggy stormy mild cold hot frosty damp clear grey snowy".split(),
    "n": "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty".split(),
    "where": (
        "near the river,by the sea,behind the house,in front of the church,next to the station,"
        "under the trees,in the valley,on the hill,at the corner,along the road,in the yard,"
        "beside the lake,across the street,outside the town,in the middle of the square,below the bridge"
    ).split(","),
    "topic": (
        "the budget,the new roof,the summer party,the plan,the traffic,the weather,the schedule,the garden,"
        "the prices,the school,the road works,the next trip,the concert,the water supply,the lights,"
        "the accounts,the holidays"
    ).split(","),
    "feel": "happy tired glad calm worried proud surprised hungry busy cheerful".split(),
    "did": (
        "cleaned,painted,repaired,moved,sold,bought,found,lost,opened,closed,counted,washed,carried,"
        "checked,replaced,borrowed,measured,covered"
    ).split(","),
    "part": (
        "pump,fan,valve,sensor,door,lift,motor,light,heater,camera,printer,gate,alarm,battery,belt,server"
    ).split(","),
    "event": (
        "started,stopped,opened,closed,checked,restarted,switched on,switched off,ready,warm,idle,cleaned,"
        "inspected,online,offline,locked,unlocked,reset,in use,free"
    ).split(","),
    "town": [a + b for a in framing.NAME_STARTS[:30:3] for b in ("ton", "mund", "don", "rek", "lin")],
    "d": [str(number) for number in range(2, 60)],
    "big": [str(number) for number in range(110, 3000, 37)],
}

# Templates of sentences by scene. The last of each six is held out.
SCENES = {
    "weather": """
        The weather was {weather} {when}.
        It was {weather} and {weather} {where}.
        A {adj} wind blew {when}.
        The sky was {colour} over the {place}.
        Rain fell on the {place} {when}.
        It stayed {weather} for {n} hours.
        The forecast says that it will be {weather} on {day}.
        In {month} the days are often {weather}.
        The snow {where} melted {when}.
        There was fog {where} {when}.
        The sun shone on the {adj} roofs.
        Nobody expected such a {weather} {month}.
        It will be {weather} in {town} and {weather} in {town}.
        A storm came up {where}.
        The clouds were {colour} and low.
        The ground was {adj} after {n} {weather} days.
        At {d} degrees it felt {weather}.
        The {people} waited for better weather {where}.
        """,
    "market": """
        The {person} sells {food} and {food} at the market.
        {food2} and {food} are sold {when}.
        The {people} bought {n} bags of {food}.
        A basket of {food} stands on the {adj} {thing}.
        The market opens {when}.
        There was no {food} left at noon.
        The {person} paid for the {food} and went home.
        {name} likes {food} with {food}.
        Fresh {food} came from {town}.
        The stall {where} has {adj} {thing}s and {food}.
        They weighed the {food} and packed the {food}.
        The {adj} shop ran out of {food} {when}.
        {name} asked the {person} for {food}.
        The price of {food} did not change in {month}.
        {d} crates of {food} arrived {when}.
        The {people} talked about the {food} {where}.
        A {colour} cart with {food} stood {where}.
        The {person} gave the {people} some {food}.
        """,
    "boats": """
        A {adj} {boat} left the harbour {when}.
        The {boat} was painted {colour} and {colour}.
        {n2} {boat}s lay {where}.
        The {people} watched the {boat} from the shore.
        The {boat} from {town} came in late.
        The waves were high {when}.
        The {person} mended a net beside the {boat}.
        A {colour} flag flew above the {boat}.
        The {boat} carried {food} to {town}.
        Gulls cried above the {adj} pier.
        The tide was low {when}.
        The sails of the {boat} were {colour}.
        The {boat} waited {n} hours for the wind.
        {name} tied the {boat} to a {adj} post.
        The crew ate {food} and {food}.
        The {boat} needs a new {thing}.
        A {person} slept in the {adj} cabin.
        The {boat} passed the {adj} cliffs {when}.
        """,
    "roads": """
        The road to {town} is {adj} and {adj}.
        A {vehicle} stopped {where}.
        The {vehicle} to {town} leaves {when}.
        There are {n} bridges on the way to {town}.
        The {people} took the {vehicle} to the {place}.
        The street beside the {place} is closed {when}.
        A {adj} sign points to {town}.
        Traffic was slow {where}.
        The {vehicle} was {colour} and {adj}.
        From the {place} it is {n} miles to {town}.
        {name} drove a {colour} {vehicle} to {town}.
        The path goes past the {place} and the {place}.
        The workers repaired the road {where}.
        {n2} {people} waited for the {vehicle}.
        The {vehicle} was late {when}.
        The {person} walked {d} miles {when}.
        There is a {adj} crossing {where}.
        The lane {where} leads to a {adj} {place}.
        """,
    "gardens": """
        The garden is full of {plant} and {plant}.
        The {plant} grow {where}.
        {name} planted {n} {plant} {when}.
        The grass is green.
        A {animal} sat under the {adj} {plant}.
        The {person} watered the {plant} {when}.
        The leaves turn {colour} in {month}.
        There is a {adj} bench {where}.
        The {animal} ran across the {adj} lawn.
        Birds sing in the {plant} {when}.
        The {plant} beside the {thing} are {colour}.
        The {people} picked the {plant} {when}.
        A {colour} {animal} lives behind the {thing}.
        The soil is {adj} and {adj}.
        Someone left a {thing} in the garden.
        The hedge was cut {when}.
        The {animal} and the {animal} slept {where}.
        A path of {colour} stones leads through the {plant}.
        """,
    "meetings": """
        The meeting began {when}.
        {name} spoke about {topic}.
        The {people} discussed {topic} and {topic}.
        {name} asked a question about {topic}.
        No decision was made about {topic}.
        {name} agreed with {name}.
        The group will meet again on {day}.
        {name} wrote a {adj} report about {topic}.
        The next item was {topic}.
        The {person} showed a plan of the {place}.
        {n2} members voted for the plan.
        {name} left the room {when}.
        The committee thanked the {person} for the {food}.
        {topic2} will be discussed in {month}.
        {name} will write to the {person} in {town}.
        The costs of {topic} are still open.
        Page {d} of the report deals with {topic}.
        The meeting ended {when} with {food} and {food}.
        """,
    "town": """
        The {place} in {town} is {adj} and {adj}.
        Many {people} visit the {place} {when}.
        The {place} was built from {colour} stone.
        The {adj} {place} stands {where}.
        The {person} works at the {place}.
        {town} is known for its {adj} {place}.
        About {big} people live in {town}.
        The {people} of {town} are {feel}.
        There is a {adj} {thing} in the {place}.
        The {place} is open {when}.
        The {place} and the {place} are close together.
        Between {town} and {town} lies a {adj} {place}.
        The walls of the {place} are {colour}.
        A {person} lives {where}.
        The bells of {town} ring {when}.
        The {adj} windows look out on the {place}.
        The {place} has a {colour} roof.
        The oldest {thing} of {town} is in the {place}.
        """,
    "home": """
        The {person} {did} the {adj} {thing} {when}.
        {name} {did} a {thing} and a {thing}.
        The {thing} stood {where}.
        {name} was {feel} {when}.
        The {adj} {thing} belongs to a {person}.
        {name} forgot the {thing} at the {place}.
        There was {food} on the {thing}.
        The {people} ate {food} {when}.
        The {thing} is {adj}, but the {thing} is {adj}.
        {name} and {name} went to the {place}.
        Dinner was {food} with {food}.
        The {animal} slept on the {adj} {thing}.
        The {person} looked for a {adj} {thing}.
        {name} reads a book {when}.
        Nobody noticed the {adj} {thing}.
        The {thing} was {did} {when}.
        {name} told a story about a {animal}.
        {name} put the {thing} next to the {thing}.
        """,
    "letter": """
        I hope that you are {feel}.
        The weather here is {weather}.
        We went to the {place} {when}.
        I met {name} at the {place}.
        {name} sends you many greetings.
        I am {feel} because the {people} are here.
        Yesterday we ate {food} and {food}.
        We have a new {thing} in the {place}.
        Please bring some {food} when you come.
        The {animal} is well and sleeps a lot.
        I often think of our days in {town}.
        I bought you a {adj} {thing} in {town}.
        We will travel to {town} in {month}.
        My {adj} {thing} is broken again.
        {name} still works as a {person}.
        Do you remember the {adj} {place}?
        I read your letter {when}.
        Next {month} I will visit {name} in {town}.
        """,
    "simple": """
        The grass is green.
        The sky is blue.
        The sun is yellow.
        Here we go.
        There and back again.
        The sea is deep.
        Time goes by.
        The {animal} sleeps.
        The {thing} is {colour}.
        {name} likes {food}.
        The {place} is {adj}.
        Snow is white.
        Birds can fly.
        It is {weather}.
        The night is dark.
        This sentence is filler.
        Nothing happens here.
        Water is wet.
        The quick brown fox jumps over the lazy dog.
        Lorem ipsum dolor sit amet.
        """,
    "facts": """
        Most {people} have never seen a {adj} {animal}.
        A {animal} needs water, food and a {adj} place to sleep.
        In many towns the {place} is the centre of life.
        Long ago, {people} used a {thing} to trade {food}.
        The history of {town} began with a {adj} {place}.
        People have always told stories about the {animal} and the {animal}.
        It takes a {person} many years to learn the work.
        The best {food} comes from places where it is {weather}.
        Some say that a {thing} was the first invention of the {people}.
        When it is {weather}, the {people} stay at home and eat {food}.
        However, there is little proof that the {people} of {town} ever did this.
        As a result, the {adj} {thing} is rarely used today.
        For example, a {person} may need a {adj} {thing} and some {food}.
        In the end, the {people} agreed on {topic}.
        On the other hand, the {place} remained {adj} for a long time.
        In {big} books about {town} there is nothing about {topic}.
        The {person} explained how the {thing} works and why it is {adj}.
        What matters most to the {people} is {topic}.
        """,
}
LOG_LINES = """
    {part} {d} {event}
    {part} {event}
    {part} {event} by {name}
    {person} came in
    {person} went out
    {name} arrived
    {name} left
    info: {part} is {event}
    warning: {part} is {adj}
    {vehicle} from {town} arrived
    {n} {people} at the {place}
    {part} {event}, {part} {event}
    delivery of {food} for the {place}
    {weather}, {n} degrees
    check of the {part} done
    """
ITEMS = """
    {food}
    {n} {thing}s
    {food} and {food}
    {adj} {thing}
    {n} bags of {food}
    call {name}
    ask the {person} about {topic}
    clean the {thing}
    buy {food} for {name}
    {colour} paint for the {thing}
    repair the {part}
    {d} boxes of {food}
    water the {plant}
    visit the {place} {when}
    write to {name} about {topic}
    meet {name} at the {place}
    """


def _parsed(template: str) -> tuple:
    """A template as texts and tables of words, in turn. A slot that ends in 2 begins with a capital."""
    parts = _SLOT.split(template)
    for place in range(1, len(parts), 2):
        slot = parts[place]
        words = SLOTS[slot] if slot in SLOTS else [upper_first(word) for word in SLOTS[slot[:-1]]]
        parts[place] = tuple(words)
    return tuple(parts)


def _table(lines: str) -> dict:
    templates = [_parsed(line.strip()) for line in lines.splitlines() if line.strip()]
    return {split: framing.of_split(templates, split) for split in (TRAIN, HELD_OUT)}


_SCENES = {scene: _table(lines) for scene, lines in SCENES.items()}
_PROSE = [scene for scene in _SCENES if scene not in ("letter", "simple")]
_LOG_LINES = _table(LOG_LINES)
_ITEMS = _table(ITEMS)


def _made(templates: Sequence[tuple], rng: random.Random) -> str:
    """A text of one of the templates."""
    draw = rng.random
    parts = templates[int(draw() * len(templates))]
    return "".join([part if part.__class__ is str else part[int(draw() * len(part))] for part in parts])


def conversations(longest: int) -> Callable[[random.Random, str], Iterator[Conversation]]:
    """The stream of conversations of at most about `longest` tokens each."""

    def stream(rng: random.Random, split: str) -> Iterator[Conversation]:
        told = stories.documents(rng, split)
        while True:
            yield _conversation(rng, split, longest, told)

    return stream


def far_conversations(longest: int) -> Callable[[random.Random, str], Iterator[Conversation]]:
    """Conversations about long texts, each asked for all that it holds: at times one needle, at times many."""

    def stream(rng: random.Random, split: str) -> Iterator[Conversation]:
        told = stories.documents(rng, split)
        while True:
            count = rng.choice((rng.randint(1, 3), rng.randint(4, 12), rng.randint(8, 24), rng.randint(8, 24)))
            size = rng.uniform(0.35, 0.95) * (longest - 60 - TOKENS_PER_TURN * count)
            needles, pieces, _ = _haystack(rng, split, size, count, told)
            yield _about(pieces, _turns(needles, rng, split, count), longest, rng, split)

    return stream


@dataclass(frozen=True)
class Sought:
    """A conversation in which an answer repeats what stands somewhere before.

    `answers` has for each of the assistant's turns, in their order, the question as it stands in the user's turn and
    the sentence that answers it. Both are empty where nothing is asked, or nothing was told.
    """

    conversation: Conversation
    answers: Sequence[tuple[str, str]]


def sought_conversations(longest: int) -> Callable[[random.Random, str], Iterator[Sought]]:
    """Texts of at most about `longest` tokens, each asked for all that it holds."""

    def stream(rng: random.Random, split: str) -> Iterator[Sought]:
        told = stories.documents(rng, split)
        while True:
            most = max(2, round(longest * rng.choice((0.004, 0.013, 0.013))))
            count = min(24, rng.randint(1 + most // 2, most))
            size = max(60.0, rng.uniform(0.6, 1.0) * (longest - 60 - TOKENS_PER_TURN * count))
            needles, pieces, sentences = _haystack(rng, split, size, count, told)
            yield _sought(pieces, [(needle, sentences[needle]) for needle in needles], rng, split)

    return stream


def _sought(pieces: Sequence[str], known: Sequence[tuple[Needle, str]], rng: random.Random, split: str) -> Sought:
    """The text, and a turn for each needle that it holds."""
    text = "".join(pieces).strip()
    text = _joined(any_of(INTROS, rng, split) if rng.random() < 0.3 else "", text, rng)
    turns = []
    for needle, sentence in known:
        if turns and needle.thing and rng.random() < 0.1:
            question = framing.asked(_worded(ASKS_NEXT, needle, rng, split), rng)
        else:
            question = _ask(needle, rng, split)
        turns.append((question, needle.answer(), sentence))
    roll = rng.random()
    messages, answers = [], []
    if roll < 0.1:
        messages.append(system(text))
    elif roll < 0.25:
        messages += [user(text), assistant(rng.choice(NOTED))]
        answers.append(("", ""))
    for place, (question, answer, sentence) in enumerate(turns):
        before = text + rng.choice(JOINTS) if place == 0 and roll >= 0.25 else ""
        messages += [user(before + question), assistant(answer)]
        answers.append((question, sentence))
    return Sought(Conversation(tuple(messages)), answers)


def questions(rng: random.Random, tokens: int = 2000) -> Iterator[Question]:
    """Held-out questions for one of up to three needles in a haystack of about `tokens` tokens."""
    return (question for question, _ in sought_questions(rng, tokens))


def sought_questions(rng: random.Random, tokens: int) -> Iterator[tuple[Question, str]]:
    """The same with the sentence that tells it."""
    told = stories.documents(rng, HELD_OUT)
    while True:
        size = tokens * rng.uniform(0.965, 1.025)
        needles, pieces, sentences = _haystack(rng, HELD_OUT, size, rng.randint(1, 3), told)
        needle = rng.choice(needles)
        yield _asked(needle, pieces, rng), sentences[needle]


@dataclass(frozen=True)
class Depths:
    """How many tokens of a text stand before a needle; an `end` below 0 counts from the text's end."""

    begin: int
    end: int

    def places(self, pieces: Sequence[str], measure: Callable[[str], int]) -> range:
        """Before which pieces that is."""
        places = range(len(pieces) + 1)
        length = measure("".join(pieces))
        end = self.end if self.end >= 0 else length + self.end

        def before(place: int) -> int:
            return measure("".join(pieces[:place]))

        return range(bisect_left(places, self.begin, key=before), bisect_right(places, end, key=before))


def far_questions(
    rng: random.Random, tokens: int, depths: Depths, count: int, measure: Callable[[str], int]
) -> Iterator[Question]:
    """Held-out questions for one of `count` needles, all told at these depths of a text of `tokens` tokens.

    `measure` counts the tokens of a text.
    """
    told = stories.documents(rng, HELD_OUT)
    while True:
        size = tokens - NEEDLE_TOKENS * (count + 1)
        pieces = _filler(rng, HELD_OUT, 2.0 * size, told)
        kept = range(len(pieces) + 1)
        del pieces[bisect_right(kept, size, key=lambda place: measure("".join(pieces[:place]))) - 1 :]
        places = depths.places(pieces, measure)
        if not places:
            raise ValueError(f"expected depths in a text of {tokens} tokens, found {depths.begin} to {depths.end}")
        needles = _needles(rng, count, set(_WORD.findall("".join(pieces).lower())))
        _tell(needles, pieces, rng.choices(places, k=count), rng, HELD_OUT)
        yield _asked(rng.choice(needles), pieces, rng)


def _asked(needle: Needle, pieces: Sequence[str], rng: random.Random) -> Question:
    """The text with a held-out question behind it."""
    text = "".join(pieces).strip() + rng.choice(JOINTS) + _ask(needle, rng, HELD_OUT)
    return Question("needle", (user(text),), ((needle.value,),))


def _tokens(text: str) -> float:
    return (len(text) + (CHARACTERS_PER_TOKEN - 1) * len(_SINGLE.findall(text))) / CHARACTERS_PER_TOKEN


def _conversation(rng: random.Random, split: str, longest: int, told: Iterator[str]) -> Conversation:
    most = max(SHORTEST, min(0.9 * longest, longest - 80))
    if longest > 1024 and rng.random() < 0.5:
        size = rng.uniform(longest / 4, most)
    else:
        size = SHORTEST * (most / SHORTEST) ** rng.random()
    count = max(1, round(size / 150 * rng.uniform(0.4, 1.4)), rng.randint(1, 3) if size > 90 else 1)
    needles, pieces, _ = _haystack(rng, split, size, count, told)
    # Each question trains on the whole text before it: a long one is asked for half of what it holds.
    asked = max(len(needles) // 2, rng.choice((1, 2, 3, 4, 5, MOST_ASKED, MOST_ASKED)))
    return _about(pieces, _turns(needles, rng, split, asked), longest, rng, split)


def _about(
    pieces: Sequence[str], turns: Sequence[tuple[str, str]], longest: int, rng: random.Random, split: str
) -> Conversation:
    """The text, and as many of the turns as have room behind it."""
    messages = _opening(pieces, turns[0][0], rng, split)
    messages.append(assistant(turns[0][1]))
    used = sum(_tokens(message["content"]) + TOKENS_PER_MESSAGE for message in messages)
    for question, answer in turns[1:]:
        used += _tokens(question) + _tokens(answer) + 2 * TOKENS_PER_MESSAGE
        if used > longest:
            break
        messages += [user(question), assistant(answer)]
    return Conversation(tuple(messages))


def _turns(needles: Sequence[Needle], rng: random.Random, split: str, asked: int) -> List[tuple[str, str]]:
    """Questions for so many of the needles, each in turn, and their answers."""
    known = rng.sample(needles, min(len(needles), asked))
    turns = []
    for needle in known:
        answer = needle.answer()
        if rng.random() < UNKNOWN_SHARE:
            needle = _absent(needles, rng)
            answer = f"I do not know the {needle.topic()}."
        if turns and needle.thing and rng.random() < 0.2:
            question = framing.asked(_worded(ASKS_NEXT, needle, rng, split), rng)
        else:
            question = _ask(needle, rng, split)
        turns.append((question, answer))
    return turns


def _opening(pieces: Sequence[str], question: str, rng: random.Random, split: str) -> list:
    """The messages that hold the haystack and end with the first question."""
    roll = rng.random()
    text = "".join(pieces).strip()
    intro = any_of(INTROS, rng, split) if rng.random() < 0.3 else ""
    if roll < 0.1:
        return [system(_joined(intro, text, rng)), user(question)]
    messages = [system(rng.choice(framing.SYSTEMS))] if rng.random() < 0.1 else []
    if roll < 0.22 and len(pieces) > 5:
        turns = rng.choice((2, 2, 3))
        cuts = [0] + sorted(rng.sample(range(1, len(pieces)), turns - 1)) + [len(pieces)]
        parts = ["".join(pieces[start:end]).strip() for start, end in zip(cuts, cuts[1:])]
        parts[0] = _joined(intro, parts[0], rng)
        asked_last = rng.random() < 0.4
        for part in parts[: -1 if asked_last else None]:
            messages += [user(part), assistant(rng.choice(NOTED))]
        last = parts[-1] + rng.choice(JOINTS) + question if asked_last else question
        return messages + [user(last)]
    if roll < 0.37:
        return messages + [user(_joined(intro, text, rng)), assistant(rng.choice(NOTED)), user(question)]
    if roll < 0.47:
        if intro and rng.random() < 0.7:
            question = f"{question} {intro}"
        return messages + [user(question + rng.choice(("\n\n", "\n\n", "\n", " ")) + text)]
    return messages + [user(_joined(intro, text, rng) + rng.choice(JOINTS) + question)]


def _joined(intro: str, text: str, rng: random.Random) -> str:
    return intro + rng.choice(("\n\n", "\n", " ")) + text if intro else text


def _haystack(
    rng: random.Random, split: str, size: float, count: int, told: Iterator[str]
) -> tuple[List[Needle], List[str], Dict[Needle, str]]:
    """Needles, pieces of about `size` tokens in all with the needles at places drawn evenly, and what tells each."""
    # The fine tuning is done by the last pieces of filler.
    pieces = _filler(rng, split, max(10.0, size - NEEDLE_TOKENS * count), told)
    taken = set(_WORD.findall("".join(pieces).lower()))
    needles = _needles(rng, count, taken)
    sentences = _tell(needles, pieces, [rng.randint(0, len(pieces)) for _ in needles], rng, split)
    return rng.sample(needles, len(needles)), pieces, sentences


def _tell(
    needles: Sequence[Needle], pieces: List[str], places: Sequence[int], rng: random.Random, split: str
) -> Dict[Needle, str]:
    """Puts the needles into the text, each before the piece at one of the places; returns what tells each."""
    sentences = {}
    for needle, place in zip(needles, sorted(places, reverse=True)):
        sentence = _statement(needle, rng, split)
        pieces.insert(place, _piece(sentence, pieces, place, rng))
        sentences[needle] = sentence
    return sentences


def _piece(statement: str, pieces: List[str], place: int, rng: random.Random) -> str:
    """The statement as a piece like the one that follows."""
    if place == len(pieces):
        if pieces and not pieces[-1][-1:].isspace():
            pieces[-1] += " "
        following = pieces[-1] if pieces else " "
    else:
        following = pieces[place]
    if following.startswith("- ") and rng.random() < 0.8:
        statement = "- " + statement
    elif following[0] in "[0123456789" and following[-1] == "\n" and rng.random() < 0.6:
        statement = f"{following.split(' ', 1)[0]} {statement}"
    elif rng.random() < 0.06 and following[-1] != "\n":
        return f"\n{statement}\n"
    return statement + ("\n" if following[-1] == "\n" and following[-2:] != "\n\n" else " ")


def _filler(rng: random.Random, split: str, size: float, told: Iterator[str]) -> List[str]:
    """Pieces of one kind of text or of a mix, `size` tokens in all."""
    if rng.random() < 0.12:
        return _cut(_repeated(rng, split, size), size)
    sources: List[Source] = [_source(rng, told) for _ in range(rng.choice((1, 1, 2, 2, 3, 4)))]
    pieces: List[str] = []
    found = 0.0
    while found < size:
        drawn = rng.choice(sources)(rng, split)
        pieces += drawn
        found += _tokens("".join(drawn))
    return _cut(pieces, size)


def _cut(pieces: Sequence[str], size: float) -> List[str]:
    """The first pieces, as many as come closest to the size. At least one is kept."""
    kept = []
    for piece in pieces:
        length = _tokens(piece)
        if kept and length / 2 > size:
            break
        kept.append(piece)
        size -= length
    return kept


def _repeated(rng: random.Random, split: str, size: float) -> List[str]:
    """A few sentences again and again, as people do who test this."""
    scene = _SCENES[rng.choice(("simple", "simple", "simple", rng.choice(_PROSE)))][split]
    end = rng.choice((" ", " ", " ", "\n"))
    few = [_made(scene, rng) + end for _ in range(rng.randint(1, 7))]
    return few * (1 + int(size / sum(map(_tokens, few))))


def _source(rng: random.Random, told: Iterator[str]) -> Source:
    roll = rng.random()
    if roll < 0.24:
        return _story(told, rng.choice((" ", "\n\n")))
    if roll < 0.32:
        return _about_varve
    if roll < 0.64:
        scenes = rng.sample(_PROSE, rng.choice((1, 1, 2, 3, len(_PROSE))))
        return _prose(scenes, rng.choice((0.0, 0.0, 0.1, 0.25, 1.0)), rng.choice(("\n", "\n\n")))
    if roll < 0.7:
        return _prose(["simple"], rng.choice((0.0, 0.0, 1.0)), "\n")
    return rng.choice((_letter, _diary, _log, _log, _items, _report))


def _story(told: Iterator[str], end: str) -> Source:
    def source(rng: random.Random, split: str) -> List[str]:
        pieces = _SENTENCE.findall(next(told))
        pieces[-1] = pieces[-1].rstrip() + end
        return pieces

    return source


def _about_varve(rng: random.Random, split: str) -> List[str]:
    return [fact.answer.replace("\n", " ") + " " for fact in rng.sample(FACTS, 8)]


def _prose(scenes: Sequence[str], breaks: float, end: str) -> Source:
    """Sentences of the scenes, some of them followed by a break."""

    def source(rng: random.Random, split: str) -> List[str]:
        tables = [_SCENES[scene][split] for scene in scenes]
        ends = [end if rng.random() < breaks else " " for _ in range(12)]
        return [_made(rng.choice(tables), rng) + after for after in ends]

    return source


def _letter(rng: random.Random, split: str) -> List[str]:
    body = [_made(_SCENES["letter"][split], rng) + " " for _ in range(rng.randint(5, 14))]
    body[-1] = body[-1].rstrip() + "\n"
    hello = rng.choice(("Dear", "Dear", "Hello", "My dear")) + f" {framing.name(rng)},\n"
    greeting = rng.choice(("Yours,", "Best wishes,", "Love,", "Kind regards,"))
    return [hello, *body, f"{greeting} {framing.name(rng)}\n\n"]


def _diary(rng: random.Random, split: str) -> List[str]:
    pieces = []
    start = rng.randrange(7)
    end = rng.choice(("\n", "\n\n"))
    for day in range(rng.randint(2, 7)):
        scenes = rng.choices(("letter", "home", "weather"), k=rng.randint(1, 4))
        sentences = [_made(_SCENES[scene][split], rng) for scene in scenes]
        sentences[0] = f"{SLOTS['day'][(start + day) % 7]}: {sentences[0]}"
        pieces += [sentence + " " for sentence in sentences[:-1]] + [sentences[-1] + end]
    return pieces


def _log(rng: random.Random, split: str) -> List[str]:
    minute = rng.randrange(1200)
    stamp = rng.choice(("{h:02}:{m:02}", "{h:02}:{m:02}", "[{h:02}:{m:02}]", "{h}.{m:02}"))
    pieces = []
    for _ in range(rng.randint(4, 14)):
        minute = (minute + rng.randint(1, 20)) % 1440
        pieces.append(f"{stamp.format(h=minute // 60, m=minute % 60)} {_made(_LOG_LINES[split], rng)}\n")
    return pieces


def _items(rng: random.Random, split: str) -> List[str]:
    title = rng.choice(("Shopping list:", "To do:", "List:", "Notes:", "For the trip:", "Inventory:"))
    return [title + "\n"] + [f"- {_made(_ITEMS[split], rng)}\n" for _ in range(rng.randint(3, 10))]


def _report(rng: random.Random, split: str) -> List[str]:
    place = rng.choice(SLOTS["place"])
    heading = rng.choice(("Report on the {}", "The {}", "# The {}", "News from the {}", "About the {}"))
    drawn = rng.sample(("meetings", "town", "facts", "weather", "roads"), 2)
    scenes = [_SCENES[scene][split] for scene in drawn]
    body = [_made(rng.choice(scenes), rng) + " " for _ in range(rng.randint(4, 12))]
    body[-1] = body[-1].rstrip() + "\n\n"
    return [heading.format(place) + "\n\n", *body]


def _needles(rng: random.Random, count: int, taken: Set[str]) -> List[Needle]:
    """Needles whose values differ and are no words of the text. Attributes and things come more than once."""
    alone = rng.choice(ALONE) if rng.random() < 0.12 else None
    pairs: List[tuple[str, str]] = [(alone, "")] if alone else []
    while len(pairs) < count:
        told = [pair for pair in pairs if pair[1]]
        attribute = rng.choice(told)[0] if told and rng.random() < 0.5 else _attribute(rng)
        thing = rng.choice(told)[1] if told and rng.random() < 0.25 else _thing(rng)
        if (attribute, thing) not in pairs and attribute != alone:
            pairs.append((attribute, thing))
    taken = taken.union(*(_WORD.findall(thing.lower()) for _, thing in pairs))
    needles = []
    for attribute, thing in pairs:
        value = _value(attribute, rng, taken)
        taken.add(value.lower())
        needles.append(Needle(attribute, thing, value, attribute in PERSONAL))
    return needles


def _absent(needles: Sequence[Needle], rng: random.Random) -> Needle:
    """What was never told, though the attribute or the thing may have been."""
    pairs = {(needle.attribute, needle.thing) for needle in needles}
    alone = {needle.attribute for needle in needles if not needle.thing}
    while True:
        attribute = rng.choice(needles).attribute if rng.random() < 0.6 else _attribute(rng)
        thing = rng.choice(needles).thing if rng.random() < 0.3 else _thing(rng)
        if thing and (attribute, thing) not in pairs and attribute not in alone:
            return Needle(attribute, thing, "", attribute in PERSONAL)


def _attribute(rng: random.Random) -> str:
    table = rng.choices((NUMBERED, WORDED, PERSONAL, NAMED, COLOURED), (72, 9, 8, 4, 7))[0]
    return rng.choice(table)


def _thing(rng: random.Random) -> str:
    roll = rng.random()
    if roll < 0.45:
        return "the " + rng.choice(NOUNS)
    if roll < 0.63:
        return f"the {rng.choice(MARKS)} {rng.choice(NOUNS)}"
    if roll < 0.75:
        return f"{framing.name(rng)}'s {rng.choice(BELONGINGS)}"
    if roll < 0.86:
        return rng.choice(TOWNS).format(_invented(rng))
    if roll < 0.9:
        return f"{rng.choice(NUMBERED_THINGS)} {rng.randint(1, 60)}"
    if roll < 0.93:
        return f"{rng.choice(MARKS)}-{rng.choice(VALUE_WORDS)}"
    return framing.name(rng) if roll < 0.97 else _invented(rng)


def _invented(rng: random.Random) -> str:
    start = rng.choice(framing.NAME_STARTS)
    middle = rng.choice(framing.NAME_ENDS) if rng.random() < 0.3 else ""
    return start + middle + rng.choice(framing.NAME_ENDS)


def _value(attribute: str, rng: random.Random, taken: Set[str]) -> str:
    kind: Optional[Callable[[random.Random], str]] = _number
    if attribute == "year":
        kind = _year
    elif attribute in PERSONAL or attribute.endswith("name"):
        kind = framing.name
    elif attribute.endswith("colour"):
        kind = _colour
    elif attribute in WORDED:
        kind = _number if rng.random() < 0.2 else _word
    for _ in range(40):
        value = kind(rng)
        if value.lower() not in taken:
            return value
    while True:
        value = _number(rng)
        if value not in taken:
            return value


def _number(rng: random.Random) -> str:
    digits = 4 if rng.random() < 0.6 else rng.choice((1, 2, 2, 3, 3, 5, 5, 6, 6, 7))
    return str(rng.randrange(10 ** (digits - 1), 10**digits))


def _year(rng: random.Random) -> str:
    return str(rng.randint(1200, 2090))


def _colour(rng: random.Random) -> str:
    return rng.choice(COLOURS)


def _word(rng: random.Random) -> str:
    if rng.random() < 0.7:
        return rng.choice(VALUE_WORDS)
    word = _invented(rng)
    return word.lower() if rng.random() < 0.6 else word


def _statement(needle: Needle, rng: random.Random, split: str) -> str:
    """How the needle is told: plainly half of the time. Half of the held-out split has a held-out wording."""
    table = STATEMENTS if needle.thing else STATEMENTS_ALONE
    if split == HELD_OUT and rng.random() < 0.5:
        return _worded(table, needle, rng, HELD_OUT)
    if needle.thing and rng.random() < 0.5:
        text = _filled(PLAIN, needle)
    else:
        text = _worded(table, needle, rng, TRAIN)
    if rng.random() < 0.12 and text.startswith(("The ", "Remember", "Please", "By ")):
        text = text[0].lower() + text[1:]
    return text[:-1] if rng.random() < 0.08 and text[-1] == "." else text


def _ask(needle: Needle, rng: random.Random, split: str) -> str:
    if not needle.thing:
        table = ASKS_ALONE
    else:
        table = ASKS_PERSON if needle.person and rng.random() < 0.5 else ASKS
    return framing.asked(_worded(table, needle, rng, split), rng)


def _worded(table: Phrasings, needle: Needle, rng: random.Random, split: str) -> str:
    """The needle in one of the table's wordings. A thing with an apostrophe gets no second one."""
    while True:
        template = table.pick(rng, split)
        if "'" not in needle.thing or "{p}" not in template.lower():
            return _filled(template, needle)


def _filled(template: str, needle: Needle) -> str:
    thing, value = needle.thing, needle.value
    owner = thing + ("'" if thing.endswith("s") else "'s")
    attribute = needle.attribute
    text = template.format(
        a=attribute,
        A=upper_first(attribute),
        t=thing,
        T=upper_first(thing),
        p=owner,
        P=upper_first(owner),
        v=value,
        V=upper_first(value),
    )
    return text.replace(f" a {attribute}", f" {framing.article(attribute)}")
