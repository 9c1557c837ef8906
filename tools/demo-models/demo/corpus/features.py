"""Features of Varve: what each of them is, how it is used, and what its flags do, asked for in many ways."""

import random
from dataclasses import dataclass
from typing import Iterator, Optional, Sequence

from .dialog import HELD_OUT, Conversation, Question, assistant, careless, system, user
from .facts import FACTS
from .phrasing import SYSTEM_PROMPTS, Phrasings, dressed, phrasings, upper_first

PLURAL_MARK = "*"
DEFINITION = "definition"
HOW = "how"

# What may be done with a feature: it is switched on, it is set to a value, or it is there to be used.
SWITCH = "switch"
SET = "set"
USE = "use"


@dataclass(frozen=True)
class Name:
    """A noun phrase for a feature, with its article if it needs one."""

    text: str
    plural: bool


@dataclass(frozen=True)
class Answer:
    """A sentence, and lists of words: an answer that has all words of one list is right."""

    text: str
    accepted: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Flag:
    name: str
    answer: Answer


@dataclass(frozen=True)
class Feature:
    """What a feature is called, what it is, how it is used (if there is something to tell) and its flags."""

    key: str
    names: Sequence[Name]
    definition: Answer
    how: Optional[Answer]
    ways: Sequence[str]
    flags: Sequence[Flag]


TAUGHT = {fact.key: Answer(fact.answer, fact.accepted) for fact in FACTS}


def said(line: str) -> Answer:
    """Reads `sentence | words`, or `= key` for the answer of a fact."""
    if line.startswith("="):
        return TAUGHT[line[1:].strip()]
    text, words = line.rsplit(" | ", 1)
    return Answer(text.strip(), (tuple(words.split()),))


def feature(key: str, names: str, ways: str, table: str) -> Feature:
    """`names` are divided by semicolons. The table has a definition, a how (`-` for none) and flags."""
    lines = [line.strip() for line in table.splitlines() if line.strip()]
    read = [name.strip() for name in names.split(";")]
    flags = []
    for line in lines[2:]:
        flag, rest = line.split(" ", 1)
        flags.append(Flag(flag, said(rest) if rest.startswith("=") else said(f"{flag} {rest}")))
    return Feature(
        key,
        tuple(Name(name.lstrip(PLURAL_MARK), name.startswith(PLURAL_MARK)) for name in read),
        said(lines[0]),
        None if lines[1] == "-" else said(lines[1]),
        tuple(ways.split()),
        tuple(flags),
    )


# {name} is a name, {bare} a name without its article; {is}, {does}, {what} and {it} agree with it.
DEFINITIONS = phrasings(
    """
    What {is} {name}?
    What {is} {name}?
    What {is} {name}?
    {what} {name}?
    {what} {name} exactly?
    Explain {name}.
    Please explain {name}.
    Explain {name} to me.
    What {does} {name} mean?
    What {does} {name} do?
    Tell me about {name}.
    Tell me what {name} {is}.
    Tell me something about {name}.
    Can you explain what {name} {is}?
    Can you explain {name}?
    Can you tell me what {name} {is}?
    What {is} {name} good for?
    What {is} {name} for?
    What {is} {name} used for?
    Define {name}.
    Give me a definition of {name}.
    I keep reading about {name}. What {is} {it}?
    I do not understand {name}.
    I have never heard of {name}. What {is} {it}?
    I want to know what {name} {is}.
    I would like to understand {name}.
    In one sentence, what {is} {name}?
    Explain {name} in one sentence.
    Explain {name} in simple words.
    Describe {name}.
    Describe {name} briefly.
    Do you know what {name} {is}?
    What do you know about {name}?
    What is meant by {name}?
    What do people mean by {name}?
    What is the meaning of {name}?
    What is the idea of {name}?
    What is the point of {name}?
    What is the purpose of {name}?
    Why would I want {name}?
    Why would I use {name}?
    How {does} {name} work?
    How would you explain {name}?
    What happens with {name}?
    Someone told me about {name}. What {is} {it}?
    The docs mention {name}. What {is} {it}?
    {bare}?
    {bare}
    what {is} {bare}
    {bare}, what {is} {it}?
    {bare}: what does that mean?
    ~ What exactly {is} {name}?
    ~ Could you explain {name}?
    ~ Could you tell me what {name} {is}?
    ~ What can you tell me about {name}?
    ~ What {is} {name} in simple words?
    ~ Describe what {name} {does}.
    ~ I am new to this. What {is} {name}?
    ~ I read about {name}. What {is} {it}?
    ~ What {does} {name} do for me?
    ~ I heard of {name}. What does that mean?
    ~ Explain what {name} {is}.
    ~ Give me a short explanation of {name}.
    """
)

SWITCHING = phrasings(
    """
    How do I switch on {name}?
    How do I switch {name} on?
    How do I turn on {name}?
    How do I turn {name} on?
    How can I turn {name} on?
    How can I switch on {name}?
    How do I enable {name}?
    How can I enable {name}?
    How {is} {name} enabled?
    How {is} {name} switched on?
    How {is} {name} turned on?
    How do I activate {name}?
    How do I start with {name}?
    How do I use {name}?
    How can I use {name}?
    How do I get {name}?
    How can I get {name}?
    Which flag is for {name}?
    Which flag turns on {name}?
    Which flag switches on {name}?
    Which option enables {name}?
    What flag do I need for {name}?
    What is the flag for {name}?
    What do I need for {name}?
    What do I have to do for {name}?
    What must I do to get {name}?
    What must I do to use {name}?
    What must I type for {name}?
    What do I set for {name}?
    I want to use {name}. How?
    I want {name}. What do I do?
    I need {name}. Which flag?
    I would like to use {name}.
    Show me how to use {name}.
    Show me how to turn on {name}.
    Tell me how to enable {name}.
    Tell me how I use {name}.
    Explain how to switch on {name}.
    Can I use {name}?
    Can I turn on {name}?
    Is there a flag for {name}?
    Is there a way to use {name}?
    Give me the flag for {name}.
    Please turn on {name} for me.
    how to use {bare}
    how to turn on {bare}?
    how to enable {bare}
    flag for {bare}?
    {bare}: which flag?
    ~ How would I turn on {name}?
    ~ How would I use {name}?
    ~ What is the way to enable {name}?
    ~ Which option do I need for {name}?
    ~ What should I do to switch on {name}?
    ~ I want to switch on {name}. How do I do that?
    ~ I want to try {name}. What do I type?
    ~ Can you show me how to use {name}?
    ~ Can you tell me how to turn on {name}?
    ~ Which flag enables {name}?
    ~ How does one switch on {name}?
    ~ What do I do to get {name}?
    ~ how to switch on {bare}
    """
)

SETTING = phrasings(
    """
    How do I set {name}?
    How can I set {name}?
    How do I change {name}?
    How can I change {name}?
    How do I choose {name}?
    How can I choose {name}?
    How do I pick {name}?
    How do I use {name}?
    How do I control {name}?
    How {is} {name} set?
    How {is} {name} chosen?
    Where do I set {name}?
    Where can I change {name}?
    Which flag is for {name}?
    Which flag sets {name}?
    Which flag changes {name}?
    Which option sets {name}?
    What is the flag for {name}?
    What flag do I need for {name}?
    What must I do to change {name}?
    What do I type to set {name}?
    I want to change {name}. How?
    I want to set {name}.
    I would like to choose {name}.
    Show me how to set {name}.
    Show me how to change {name}.
    Tell me how to set {name}.
    Tell me how I change {name}.
    Explain how to set {name}.
    Can I change {name}?
    Can I set {name}?
    Can I choose {name}?
    Is there a flag for {name}?
    Is there a way to change {name}?
    Give me the flag for {name}.
    how to set {bare}
    how to change {bare}?
    flag for {bare}?
    ~ How would I set {name}?
    ~ How would I change {name}?
    ~ What is the way to set {name}?
    ~ Which option do I need for {name}?
    ~ What should I do to change {name}?
    ~ I want to choose {name}. How do I do that?
    ~ Can you show me how to set {name}?
    ~ Can you tell me how to change {name}?
    ~ Which flag controls {name}?
    ~ What do I do to set {name}?
    ~ how to choose {bare}
    """
)

USING = phrasings(
    """
    How do I use {name}?
    How can I use {name}?
    How do I get {name}?
    How can I get {name}?
    How do I try {name}?
    How can I try {name}?
    How do I work with {name}?
    How do I begin with {name}?
    How do I start with {name}?
    How {is} {name} used?
    What do I need for {name}?
    What do I do for {name}?
    What must I do to use {name}?
    What must I do to get {name}?
    What must I type for {name}?
    What do I type to use {name}?
    I want to use {name}. How?
    I want {name}. What do I do?
    I need {name}. What do I do?
    I would like to use {name}.
    I would like to try {name}.
    Show me how to use {name}.
    Tell me how to use {name}.
    Tell me how I get {name}.
    Explain how to use {name}.
    Show me an example of {name}.
    Give me an example for {name}.
    Can I use {name}?
    Is there a way to use {name}?
    Is there an example for {name}?
    how to use {bare}
    how to get {bare}?
    {bare}: how do I use {it}?
    ~ How would I use {name}?
    ~ How would I try {name}?
    ~ What is the way to use {name}?
    ~ What should I do to use {name}?
    ~ I want to try {name}. What do I type?
    ~ Can you show me how to use {name}?
    ~ Can you tell me how to use {name}?
    ~ What do I do to get {name}?
    ~ How does one use {name}?
    ~ I need {name}. How do I get {it}?
    """
)

HOWS = {SWITCH: SWITCHING, SET: SETTING, USE: USING}

FLAGS = phrasings(
    """
    What does {flag} do?
    What does {flag} do?
    what does {flag} do
    What is {flag} for?
    What is {flag}?
    What is {flag} good for?
    What does {flag} mean?
    What does the flag {flag} do?
    What does the option {flag} do?
    What is the flag {flag} for?
    What is the use of {flag}?
    Explain {flag}.
    Explain the flag {flag}.
    Please explain {flag} to me.
    Describe {flag}.
    Tell me about {flag}.
    Tell me what {flag} does.
    Can you explain {flag}?
    Do you know what {flag} does?
    Why would I use {flag}?
    Why would I set {flag}?
    When do I need {flag}?
    What can I do with {flag}?
    What do I need {flag} for?
    What happens with {flag}?
    What changes with {flag}?
    How does {flag} work?
    I saw {flag} in a script. What is it?
    {flag}?
    {flag}
    ~ What exactly does {flag} do?
    ~ Could you explain the flag {flag}?
    ~ What would I use {flag} for?
    ~ Explain what {flag} does.
    ~ What is the purpose of {flag}?
    ~ I found the flag {flag}. What does it do?
    ~ What happens if I set {flag}?
    """
)

# After a definition.
THEN_SWITCH = phrasings(
    """
    And how do I switch {it} on?
    And how do I turn {it} on?
    How do I switch {it} on?
    How do I turn {it} on?
    How can I turn {it} on?
    How do I enable {it}?
    And how do I enable {it}?
    How do I use {it}?
    And how do I use {it}?
    Which flag?
    Which flag is that?
    And which flag do I need?
    What is the flag for that?
    Okay, how do I get {it}?
    Good. How do I use {it}?
    I want that. How?
    How?
    ~ And how can I enable {it}?
    ~ Nice. How do I switch {it} on?
    ~ How would I turn {it} on?
    ~ And what is the flag?
    ~ How can I use {it}?
    """
)
THEN_SET = phrasings(
    """
    And how do I set {it}?
    How do I set {it}?
    How can I set {it}?
    And how do I change {it}?
    How do I change {it}?
    How can I change {it}?
    Which flag?
    And which flag do I need?
    What is the flag for that?
    Okay, how do I change that?
    How do I choose {it}?
    ~ And how can I change {it}?
    ~ Nice. How do I set {it}?
    ~ And what is the flag?
    ~ How would I set {it}?
    """
)
THEN_USE = phrasings(
    """
    And how do I use {it}?
    How do I use {it}?
    How can I use {it}?
    And how do I get {it}?
    How do I get {it}?
    Okay, how do I use that?
    Good. How do I use {it}?
    How do I try {it}?
    What do I have to do?
    What do I do for that?
    Can you show me how?
    How?
    ~ And how can I use {it}?
    ~ Nice. How do I use {it}?
    ~ How would I use {it}?
    ~ And what do I have to do?
    """
)
THENS = {SWITCH: THEN_SWITCH, SET: THEN_SET, USE: THEN_USE}

# After a how.
THEN_WHAT = phrasings(
    """
    What is that?
    And what is that?
    And what {is} {it}?
    What {is} {it}?
    What does that mean?
    And what does it mean?
    What {is} {it} for?
    And what {is} {it} good for?
    But what is that?
    Okay, but what {is} {it}?
    Can you explain {it}?
    Please explain that.
    Explain {it}.
    I see. And what {is} {it}?
    ~ And what is it about?
    ~ Thanks. But what {is} {it}?
    ~ Could you explain that?
    ~ What {is} {it}, exactly?
    """
)

FEATURES = (
    feature(
        "layer_split",
        "a layer split; a split by layers; the layer split; *layer splits; layer splitting",
        SWITCH,
        """
        A layer split gives each device a range of the model's layers. | device layers
        = split
        --target-devices names the devices that share the layers of the model. | devices layers
        """,
    ),
    feature(
        "several_devices",
        "a model on several devices; *several devices for one model",
        USE,
        """
        Several devices can share the layers of one model. | devices layers
        = split
        """,
    ),
    feature(
        "uneven_split",
        "an uneven split; an uneven layer split; a weighted layer split",
        SWITCH,
        """
        An uneven split gives some devices more layers than others. | more layers
        Set the share of each device with --target-layer-split, such as 0.8,0.2. | --target-layer-split
        --target-layer-split sets the share of each device in the layers. | share layers
        """,
    ),
    feature(
        "auto_split",
        "an automatic split; the automatic layer split; an automatic layer split",
        SWITCH,
        """
        An automatic split measures each device and takes the fastest split that fits. | measures fastest
        Use --target-layer-split auto. | --target-layer-split auto
        """,
    ),
    feature(
        "device",
        "a device; the target device; the device of a model",
        SET,
        """
        A device is a processor or a graphics card that computes layers. | processor card
        Choose a device with --target-device, such as cpu:0. | --target-device
        --target-device names the one device that the model runs on. | device runs
        --device names the one device that the model runs on. | device runs
        """,
    ),
    feature(
        "mixed_backends",
        "a mix of backends; *mixed backends; *different backends for one model",
        SWITCH,
        """
        A mix of backends lets one model run on different kinds of devices. | different devices
        Name devices of several backends with --target-devices, such as cuda:0,cpu:0. | --target-devices
        """,
    ),
    feature(
        "shard",
        "a shard; *shards; a tensor shard",
        USE,
        """
        = shard
        Start a shard with varve shard --listen unix:/path --models folder. | varve shard
        --listen names the address on which a shard waits for servers. | address
        """,
    ),
    feature(
        "shard_process",
        "a shard process; *shard processes; a child process for a shard; a process per device",
        SWITCH,
        """
        A shard process computes the layers of one device in a process of its own. | layers process
        Put @process behind a device in --target-devices, such as vulkan:1@process. | @process
        """,
    ),
    feature(
        "unix_shard",
        "a unix socket shard; a shard on a unix socket; a unix shard; *unix socket shards",
        SWITCH,
        """
        A unix socket shard computes layers in another process of the same machine. | layers same machine
        Put @unix:/path behind a device in --target-devices. | @unix
        """,
    ),
    feature(
        "remote_shard",
        "a remote shard; *remote shards; a grpc shard; a shard on the network",
        SWITCH,
        """
        A remote shard computes layers on another host. | layers host
        Put @grpc:host:port behind a device in --target-devices. | @grpc
        """,
    ),
    feature(
        "shard_token",
        "a shard token; the shard token; the secret of the shards",
        SWITCH,
        """
        A shard token is a secret that the server and its shards share. | secret share
        Give --shard-token-file to the server and to the shard. | --shard-token-file
        --shard-token-file names the file with the secret of server and shards. | secret
        """,
    ),
    feature(
        "replay",
        "replay; the replay after a lost shard; the replay of requests; replay after a crash",
        SWITCH,
        """
        Replay computes running requests again after a shard was lost. | requests again
        Replay needs no flag; it is always on. | always
        --shard-patience sets how long requests wait for a lost shard. | wait shard
        """,
    ),
    feature(
        "continuous_batching",
        "continuous batching; batching of requests; request batching",
        SWITCH,
        """
        Continuous batching decodes several requests together, and new ones join them. | requests together
        Continuous batching is always on; --parallel sets how many requests run together. | --parallel
        """,
    ),
    feature(
        "parallel",
        "*parallel requests; *requests at the same time; *several requests at once",
        USE,
        """
        = parallel
        = parallel
        --parallel = parallel
        """,
    ),
    feature(
        "slot",
        "a slot; a request slot; *slots; the number of slots",
        SET,
        """
        A slot is room for one of the requests that run together. | requests together
        Set the number of slots with --parallel. | --parallel
        """,
    ),
    feature(
        "queue",
        "the queue; the request queue; the queue of requests; the length of the queue",
        SET,
        """
        = queue
        Set the length of the queue with --max-queue. | --max-queue
        --max-queue = queue
        """,
    ),
    feature(
        "prefix_cache",
        "the prefix cache; prefix caching; the prompt cache; a prefix cache; the cache of prompts",
        SWITCH,
        """
        = prompt_cache
        The prefix cache is always on; --cache-ram sets its host memory. | --cache-ram
        --cache-ram sets the host memory for computed prompts. | memory prompts
        """,
    ),
    feature(
        "disk_cache",
        "the disk cache; the prefix cache on disk; a cache on disk; the prompt cache on disk",
        SWITCH,
        """
        The disk cache keeps computed prompts on disk, also after a restart. | prompts disk
        Name a folder for the disk cache with --kv-cache-dir. | --kv-cache-dir
        --kv-cache-dir names the folder that keeps computed prompts on disk. | folder disk
        --kv-cache-budget sets the most bytes of the disk cache. | most bytes
        --kv-cache-reserve sets the free disk that the disk cache leaves alone. | free disk
        --kv-cache-ttl sets how long the disk cache keeps a prompt after its last use. | long prompt
        --kv-cache-mode is read-write, or read for a disk cache that is only read. | read-write
        """,
    ),
    feature(
        "encryption",
        "cache encryption; the encryption of the disk cache; an encrypted cache; encryption on disk",
        SWITCH,
        """
        Cache encryption encrypts the disk cache with AES-256-GCM. | encrypts disk
        Give a file with a key: --cache-key-file, beside --kv-cache-dir. | --cache-key-file
        --cache-key-file names the file with the key that encrypts the disk cache. | key encrypts
        """,
    ),
    feature(
        "cache_scope",
        "the cache scope; a cache scope; the scope of the prefix cache",
        SET,
        """
        The cache scope tells who may reuse whose computed prompts. | who reuse
        Set --cache-scope to key or shared. | --cache-scope
        --cache-scope tells who may reuse whose computed prompts. | who reuse
        """,
    ),
    feature(
        "kv_cache",
        "the KV cache; a KV cache; the key value cache; the size of the KV cache",
        SET,
        """
        The KV cache holds what the model computed for earlier tokens. | earlier tokens
        Set the size of the KV cache with --kv-tokens. | --kv-tokens
        --kv-tokens sets how many tokens the KV cache holds for all requests. | tokens requests
        """,
    ),
    feature(
        "cache_types",
        "*the KV cache types; *the types of the KV cache; the type of the KV cache; the KV cache type",
        SET,
        """
        = cache_types
        Set the KV cache types with --cache-type-k and --cache-type-v. | --cache-type-k
        --cache-type-k sets the type of the keys in the KV cache. | type keys
        --cache-type-v sets the type of the values in the KV cache. | type values
        """,
    ),
    feature(
        "quantised_cache",
        "a quantised KV cache; a quantized KV cache; KV quantisation; quantised KV; a smaller KV cache",
        SWITCH,
        """
        A quantised KV cache takes less memory for each token. | less memory
        Use --cache-type-k q8_0 and --cache-type-v q8_0. | --cache-type-k
        """,
    ),
    feature(
        "checkpoint",
        "a checkpoint; *checkpoints; a snapshot; *snapshots; a checkpoint of a chat",
        SWITCH,
        """
        A checkpoint is a kept state from which a prompt can go on. | state prompt
        Checkpoints are always on; --cache-ram sets their host memory. | --cache-ram
        """,
    ),
    feature(
        "speculative_decoding",
        "speculative decoding; speculation; guessing of tokens; speculative sampling",
        SWITCH,
        """
        Speculative decoding guesses several tokens and checks them in one step. | guesses checks step
        Use --draft with the file of a draft model, or --draft ngram. | --draft
        --draft names what guesses tokens: the file of a draft model, or ngram. | guesses
        --draft-max sets the most guesses in a step. | most guesses
        """,
    ),
    feature(
        "ngram",
        "n-gram lookup; the n-gram speculator; the ngram draft; a draft without a model",
        SWITCH,
        """
        N-gram lookup guesses tokens that followed the same words earlier in the text. | guesses earlier
        Use --draft ngram. | --draft ngram
        """,
    ),
    feature(
        "dflash",
        "DFlash; a DFlash draft; a DFlash model; the DFlash method",
        SWITCH,
        """
        DFlash is a small draft model that guesses a block of tokens at once. | guesses block
        Use --draft with the file of a DFlash draft model. | --draft
        """,
    ),
    feature(
        "draft_model",
        "a draft model; *draft models; the draft model; a drafter",
        SWITCH,
        """
        A draft model is a small model that guesses tokens for the large one. | small guesses
        Use --draft with the file of a draft model. | --draft
        --draft-device names the device of the draft model. | device draft
        --draft-residency tells whether the draft model stays in memory. | memory
        """,
    ),
    feature(
        "draft_width",
        "the draft width; the width of a draft; a draft width; the number of guesses per step",
        SET,
        """
        The draft width is the number of guesses that a step checks. | number guesses
        Set the draft width with --draft-width; the default is auto. | --draft-width
        --draft-width sets the number of guesses that a step checks. | number guesses
        """,
    ),
    feature(
        "acceptance_length",
        "the acceptance length; an acceptance length; the mean acceptance length",
        USE,
        """
        The acceptance length is the average number of tokens from a step with guesses. | average tokens
        Look at acceptance_length in the timings of an answer. | acceptance_length
        """,
    ),
    feature(
        "verify_step",
        "a verify step; *verify steps; the verify step; the number of verify steps",
        USE,
        """
        A verify step checks guessed tokens with the large model. | checks guessed
        Look at verify_steps in the timings of an answer. | verify_steps
        """,
    ),
    feature(
        "kv_flash",
        "KV Flash; KVFlash; KV paging",
        SWITCH,
        """
        KV Flash keeps a part of the KV cache on the device and the rest in host memory. | part host
        Use --kvflash auto or --kvflash with a number of tokens. | --kvflash
        """,
    ),
    feature(
        "pflash",
        "PFlash; prompt compression; prefill compression; the compression of prompts",
        SWITCH,
        """
        PFlash lets a small model pick the parts of a long prompt that matter. | parts prompt
        Use --prefill-compression auto. | --prefill-compression
        """,
    ),
    feature(
        "tree_speculation",
        "tree speculation; DDTree; a draft tree; a tree of guesses",
        SWITCH,
        """
        Tree speculation guesses several ways in which the text may go on. | guesses ways
        Use --ddtree with a draft model. | --ddtree
        """,
    ),
    feature(
        "plugin",
        "a plugin; *plugins; the plugin folder; a plugin jar",
        USE,
        """
        = plugins_folder
        = plugins_folder
        """,
    ),
    feature(
        "family_plugin",
        "a family plugin; a plugin for a model family; *family plugins",
        USE,
        """
        A family plugin lets Varve run one more family of models. | family models
        Put the jar of the plugin into the folder plugins. | jar folder
        """,
    ),
    feature(
        "backend_plugin",
        "a backend plugin; a plugin for a backend; *backend plugins",
        USE,
        """
        A backend plugin lets Varve compute on one more kind of device. | kind device
        Put the jar of the plugin into the folder plugins. | jar folder
        """,
    ),
    feature(
        "store_plugin",
        "a store plugin; a plugin for a store; *store plugins",
        USE,
        """
        A store plugin keeps computed prompts for the prefix cache. | keeps prompts
        Put the jar of the plugin into the folder plugins. | jar folder
        """,
    ),
    feature(
        "speculator_plugin",
        "a speculator plugin; a plugin for speculation; a speculator; *speculator plugins",
        SWITCH,
        """
        A speculator plugin brings another way to guess tokens. | way guess
        Use --draft with the name of the speculator. | --draft name
        """,
    ),
    feature(
        "backend",
        "a backend; *backends; *the backends",
        SET,
        """
        = backends
        Choose a device with --target-device, such as cpu:0. | --target-device
        """,
    ),
    feature(
        "cpu",
        "the CPU backend; the backend for processors; the backend cpu",
        SWITCH,
        """
        The CPU backend computes on the processor. | processor
        Use --target-device cpu:0. | --target-device cpu:0
        """,
    ),
    feature("vulkan", "the Vulkan backend; Vulkan; the backend vulkan", USE, "= vulkan\n= vulkan"),
    feature("cuda", "the CUDA backend; CUDA; the backend cuda", USE, "= cuda\n= cuda"),
    feature("hip", "the HIP backend; HIP; the backend hip", USE, "= hip\n= hip\n--ggml-home = hip"),
    feature("families", "a model family; *model families; *the model families", USE, "= families\n-"),
    feature(
        "qwen",
        "Qwen 3.5; the Qwen family; the family Qwen 3.5",
        USE,
        """
        Qwen 3.5 is a family of models that Varve runs. | qwen family
        Use --model with a GGUF file of Qwen 3.5, or demo:qwen35. | demo:qwen35
        """,
    ),
    feature(
        "gemma",
        "Gemma 4; the Gemma family; the family Gemma 4",
        USE,
        """
        Gemma 4 is a family of models that Varve runs. | gemma family
        Use --model with a GGUF file of Gemma 4, or demo:gemma4. | demo:gemma4
        """,
    ),
    feature(
        "laguna",
        "Laguna; the Laguna family; the family Laguna",
        USE,
        """
        Laguna is a family of models that Varve runs. | laguna family
        Use --model with a GGUF file of Laguna, or demo:laguna. | demo:laguna
        """,
    ),
    feature(
        "gguf",
        "GGUF; a GGUF file; *GGUF files; the GGUF format",
        USE,
        """
        GGUF is the file format of the models that Varve reads. | gguf format
        Name the GGUF file with --model, such as --model model.gguf. | --model
        --model names the model file, or a demo model. | model file
        """,
    ),
    feature(
        "quantisation",
        "quantisation; quantization; a quantised model; a quantized model; *quantised weights",
        USE,
        """
        Quantisation stores the weights with fewer bits, so a model takes less memory. | fewer bits
        Use --model with a quantised GGUF file, such as one in Q4_0. | quantised
        """,
    ),
    feature(
        "q4_0",
        "Q4_0; the type Q4_0; the Q4_0 format",
        USE,
        """
        Q4_0 stores a weight in about 4 bits. | 4 bits
        -
        """,
    ),
    feature(
        "q8_0",
        "Q8_0; the type Q8_0; the Q8_0 format",
        USE,
        """
        Q8_0 stores a weight in about 8 bits. | 8 bits
        -
        """,
    ),
    feature("f16", "F16; the type F16; the F16 format", USE, "F16 stores a number in 16 bits. | 16 bits\n-"),
    feature(
        "context",
        "the context length; the maximum context; a longer context; the length of the context",
        SET,
        """
        = context
        = context
        --max-ctx = context
        """,
    ),
    feature(
        "chat_template",
        "a chat template; the chat template; *chat templates; a Jinja template",
        SET,
        """
        A chat template turns the messages of a chat into a prompt. | messages prompt
        = template
        --chat-template-file = template
        """,
    ),
    feature("tool_calls", "*tool calls; tool calling; function calling", USE, "= tool_calls\n= tool_calls"),
    feature("streaming", "streaming; *streamed answers; a streamed answer", SWITCH, "= stream\n= stream"),
    feature(
        "structured",
        "structured output; JSON mode; response_format; a JSON schema for the answer",
        SWITCH,
        """
        Structured output makes the answer follow a JSON schema. | JSON schema
        Send response_format with a JSON schema. | response_format
        """,
    ),
    feature(
        "grammar",
        "a grammar; *grammars; a grammar for the answer",
        SWITCH,
        """
        A grammar is a set of rules that the answer must follow. | rules
        Send a grammar with the request, or use --grammar with varve generate. | grammar
        """,
    ),
    feature(
        "thinking",
        "thinking; the thinking mode; the thinking of a model",
        SWITCH,
        """
        = thoughts
        = thinking_switch
        --enable-thinking tells whether the model thinks before it answers. | thinks
        """,
    ),
    feature(
        "reasoning_budget",
        "a reasoning budget; the reasoning budget; the budget for thoughts",
        SET,
        """
        A reasoning budget is the most tokens of a thought. | most thought
        Set the reasoning budget with --reasoning-budget. | --reasoning-budget
        --reasoning-budget sets the most tokens of a thought. | most thought
        """,
    ),
    feature(
        "logprobs",
        "*logprobs; *the logprobs of the tokens; *log probabilities",
        SWITCH,
        """
        Logprobs tell how likely each token was. | likely token
        Set logprobs to true in a request. | logprobs true
        """,
    ),
    feature(
        "temperature",
        "the temperature; the sampling temperature; temperature",
        SET,
        """
        The temperature tells how random an answer is; 0 takes the most likely token. | random
        Set the field temperature in a request, or --temperature in varve generate. | field temperature
        --temperature tells how random an answer is; 0 takes the most likely token. | random
        --top-k keeps only the K most likely tokens. | most likely
        --top-p keeps the most likely tokens that reach this probability together. | probability together
        --min-p drops tokens that are much less likely than the best one. | drops
        """,
    ),
    feature(
        "api_key",
        "an API key; the API key; *API keys; the key of the server",
        SET,
        """
        = api_key
        = api_key
        --api-key-file names the file with the API key of the server. | API key
        """,
    ),
    feature(
        "operator_key",
        "an operator key; the operator key; the key of the operator",
        SET,
        """
        An operator key is a key for GET /cache and POST /cache/clear. | /cache
        Set the operator key with --operator-key-file. | --operator-key-file
        --operator-key-file names the file with the key for GET /cache. | /cache
        """,
    ),
    feature("metrics", "*metrics; *the metrics; the metrics endpoint", USE, "= metrics\n= metrics"),
    feature("health", "the health endpoint; the health check; a health check", USE, "= health\n= health"),
    feature(
        "plan",
        "varve plan; the command varve plan; the plan command",
        USE,
        """
        = plan
        Run varve plan --model model.gguf. | varve plan --model
        """,
    ),
    feature(
        "bench",
        "varve bench; the command varve bench; the bench command",
        USE,
        """
        = bench
        Run varve bench --model model.gguf. | varve bench --model
        """,
    ),
    feature(
        "generate",
        "varve generate; the command varve generate; the generate command",
        USE,
        """
        = generate
        Run varve generate --chat with your question. | varve generate --chat
        --chat gives a message that varve generate answers. | message
        """,
    ),
    feature(
        "models",
        "varve models; the command varve models; the models command",
        USE,
        """
        = models_command
        Run varve models; --models names a folder with your own models. | run --models
        """,
    ),
    feature(
        "cache_command",
        "varve cache; the command varve cache; the cache command",
        USE,
        """
        The command varve cache shows, checks and clears the disk cache. | shows disk
        Run varve cache status --kv-cache-dir with the folder. | varve cache status
        """,
    ),
    feature(
        "demo_model",
        "a demo model; *demo models; *the demo models; a demo",
        USE,
        """
        A demo model is a tiny model that comes with Varve. | tiny
        = other_demos
        """,
    ),
    feature("openai", "the OpenAI API; an OpenAI client; OpenAI compatibility", USE, "= openai\n= client"),
    feature(
        "anthropic",
        "the Anthropic API; the Messages API; Anthropic compatibility; an Anthropic client",
        USE,
        """
        The Anthropic API has the path /v1/messages. | /v1/messages
        Point the Anthropic client at the server; it uses /v1/messages. | /v1/messages
        """,
    ),
    feature(
        "exact_rows",
        "*exact rows; the exact rows mode; the same answer beside other requests",
        SWITCH,
        """
        Exact rows keep an answer the same, whatever else is computed. | same computed
        Use --exact-rows on. | --exact-rows on
        --exact-rows tells whether an answer may depend on what else is computed. | depend computed
        """,
    ),
    feature(
        "boundary_type",
        "the boundary type; a boundary type; the type of activations between processes",
        SET,
        """
        The boundary type tells how activations travel to other processes. | activations
        Set --boundary-type to f32, f16 or bf16. | --boundary-type
        --boundary-type tells how activations travel to other processes. | activations
        """,
    ),
)

ARTICLES = ("a ", "an ", "the ")
PLACES = ("in Varve", "in Varve", "with Varve")


def conversations(rng: random.Random, split: str) -> Iterator[Conversation]:
    """Chats of one to five questions about features."""
    while True:
        yield _conversation(rng, split)


def questions(rng: random.Random) -> Iterator[Question]:
    """Single questions in held-out wordings: what each feature is and how it is used, each in turn."""
    pairs = [(chosen, DEFINITION) for chosen in FEATURES]
    pairs += [(chosen, HOW) for chosen in FEATURES if chosen.how]
    while True:
        for chosen, kind in rng.sample(pairs, len(pairs)):
            name = rng.choice(chosen.names)
            table = DEFINITIONS if kind == DEFINITION else HOWS[rng.choice(chosen.ways)]
            answer = chosen.definition if kind == DEFINITION else chosen.how
            messages = [system(rng.choice(SYSTEM_PROMPTS))] if rng.random() < 0.1 else []
            messages.append(user(_asked(table, name, rng, HELD_OUT)))
            yield Question("feature", tuple(messages), answer.accepted)


def _conversation(rng: random.Random, split: str) -> Conversation:
    messages = [system(rng.choice(SYSTEM_PROMPTS))] if rng.random() < 0.1 else []
    left = rng.choice((1, 1, 2, 2, 3, 3, 4, 5))
    for chosen in rng.sample(FEATURES, left):
        if left <= 0:
            break
        turns = _turns(chosen, rng, split)[:left]
        left -= len(turns)
        for asked, answer in turns:
            messages += [user(asked), assistant(answer.text)]
    return Conversation(tuple(messages))


def _turns(chosen: Feature, rng: random.Random, split: str) -> list[tuple[str, Answer]]:
    """A question about the feature, and another one that follows from it at times."""
    roll = rng.random()
    if chosen.flags and roll < 0.22:
        flag = rng.choice(chosen.flags)
        return [(_flag_asked(flag.name, rng, split), flag.answer)]
    name = rng.choice(chosen.names)
    follows = chosen.how not in (None, chosen.definition) and rng.random() < 0.3
    way = rng.choice(chosen.ways)
    if chosen.how is None or roll < 0.6:
        turns = [(_asked(DEFINITIONS, name, rng, split), chosen.definition)]
        if follows:
            turns.append((_followed(THENS[way], name, rng, split), chosen.how))
        return turns
    turns = [(_asked(HOWS[way], name, rng, split), chosen.how)]
    if follows:
        turns.append((_followed(THEN_WHAT, name, rng, split), chosen.definition))
    return turns


def _asked(table: Phrasings, name: Name, rng: random.Random, split: str) -> str:
    frame = table.pick(rng, split)
    core = _filled(frame, name)
    if "arve" not in core and frame[-7:-1] in ("{name}", "{bare}") and rng.random() < 0.15:
        core = f"{core[:-1]} {rng.choice(PLACES)}{core[-1]}"
    if frame.startswith("{bare}"):
        return careless(core, rng)
    return dressed(upper_first(core), rng, split)


def _followed(table: Phrasings, name: Name, rng: random.Random, split: str) -> str:
    return careless(_filled(table.pick(rng, split), name), rng)


def _flag_asked(flag: str, rng: random.Random, split: str) -> str:
    frame = FLAGS.pick(rng, split)
    core = frame.format(flag=flag)
    return careless(core, rng) if frame.startswith("{flag}") else dressed(core, rng, split, share=0.2)


def _filled(frame: str, name: Name) -> str:
    words = {
        "name": name.text,
        "bare": _bare(name.text),
        "is": "are" if name.plural else "is",
        "does": "do" if name.plural else "does",
        "what": "What are" if name.plural else "What's",
        "it": "they" if name.plural else "it",
    }
    if name.plural and not frame.count("{is} {it}"):
        words["it"] = "them"
    return frame.format_map(words)


def _bare(name: str) -> str:
    for article in ARTICLES:
        if name.startswith(article):
            return name[len(article) :]
    return name
