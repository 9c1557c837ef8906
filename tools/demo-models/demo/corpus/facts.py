"""Facts about Varve and about the demo model itself, asked for in many ways."""

import random
import re
from dataclasses import dataclass
from typing import Iterator, Sequence

from .dialog import HELD_OUT, Conversation, Question, assistant, careless, system, user
from .phrasing import (
    GOODBYE_ANSWER,
    GOODBYES,
    GREETING_ANSWER,
    GREETINGS,
    SYSTEM_PROMPTS,
    THANKS,
    THANKS_ANSWER,
    WHO_AM_I,
    Phrasings,
    dressed,
    phrasings,
    upper_first,
)

TOPIC_MARK = "+"


@dataclass(frozen=True)
class Fact:
    """One answer, questions that it answers, and topics: noun phrases that name what is asked for."""

    key: str
    answer: str
    accepted: Sequence[Sequence[str]]
    asks: Phrasings
    topics: Sequence[str]


def fact(key: str, answer: str, accepted: str, table: str) -> Fact:
    """In `accepted` blanks divide words and `|` divides lists. A line of the table is an ask or a topic."""
    lines = [line.strip() for line in table.splitlines() if line.strip()]
    topics = tuple(line[1:].strip() for line in lines if line.startswith(TOPIC_MARK))
    asks = phrasings("\n".join(line for line in lines if not line.startswith(TOPIC_MARK)))
    return Fact(key, answer, tuple(tuple(words.split()) for words in accepted.split("|")), asks, topics)


# How a question is made of a topic.
FRAMES = phrasings(
    """
    Tell me about {}.
    Please tell me about {}.
    What do you know about {}?
    What can you say about {}?
    Explain {}.
    Please explain {} to me.
    I want to know about {}.
    I have a question about {}.
    I am looking for {}.
    I need to know about {}.
    Do you know {}?
    Give me {}.
    {}?
    {}
    {}, please.
    Help me with {}.
    Can you help me with {}?
    Say something about {}.
    ~ Could you explain {}?
    ~ What should I know about {}?
    ~ Can you tell me about {}?
    ~ I would like to know about {}.
    """
)

# How a topic is asked for after another question.
NEXT_FRAMES = phrasings(
    """
    And {}?
    What about {}?
    And what about {}?
    Okay, and {}?
    Now {}.
    Then tell me about {}.
    ~ Thanks. And {}?
    ~ Good, what about {}?
    """
)

FACTS = (
    fact(
        "varve",
        "Varve is a server for large language models.",
        "server language models",
        """
        What is Varve?
        What does Varve do?
        What is Varve for?
        What is Varve used for?
        What kind of program is Varve?
        What kind of software is this?
        Explain Varve in one sentence.
        Tell me what Varve is.
        Describe Varve.
        What is this Varve thing?
        Why would I use Varve?
        ~ What exactly is Varve?
        ~ Describe what Varve does.
        + Varve
        + Varve itself
        """,
    ),
    fact(
        "language",
        "Varve is written in Java 25.",
        "written java",
        """
        Which language is Varve written in?
        What programming language does Varve use?
        In which programming language is Varve written?
        What is Varve written in?
        Is Varve written in Java?
        Is Varve written in C or in Java?
        Is Varve a Python program?
        Which language did the authors write Varve in?
        What language is the source code of Varve?
        What is the code of Varve written in?
        Is the code Java?
        ~ Which programming language is the code written in?
        ~ What language was Varve written in?
        + the programming language of Varve
        + the language of the source code
        """,
    ),
    fact(
        "runtime",
        "To run, Varve only needs a runtime of Java 25.",
        "runtime",
        """
        What do I need to run Varve?
        What does Varve need to run?
        Which Java do I need to run Varve?
        Which Java version does Varve need?
        Which version of Java must be installed?
        What must be installed to run Varve?
        Does Varve need Java to run?
        Do I have to install Java?
        Which Java runtime is needed?
        What are the requirements to run it?
        ~ Which version of Java is needed to run Varve?
        ~ What do I have to install to run Varve?
        + the Java version that Varve needs
        + the requirements to run Varve
        """,
    ),
    fact(
        "build_needs",
        "To build Varve you need JDK 25, Maven, bash and npm.",
        "maven npm",
        """
        What do I need to build Varve?
        Which tools are needed for the build?
        What does the build need?
        What is needed to build Varve from source?
        Which programs do I need to compile Varve?
        Which JDK do I need for the build?
        Do I need Maven to build it?
        Is npm needed for the build?
        What are the requirements of the build?
        What should I install before I build Varve?
        ~ Which programs are needed to build Varve?
        ~ What do I have to install for the build?
        + the tools needed for the build
        + what the build needs
        """,
    ),
    fact(
        "build",
        "Build Varve with mvn package -DskipTests.",
        "mvn package",
        """
        How do I build Varve?
        How can I build Varve?
        How is Varve built?
        How do I compile Varve?
        What is the command to build Varve?
        Which Maven command builds Varve?
        How do I make an installation from source?
        How can I compile the source code?
        Show me how to build it.
        How do I build Varve from source?
        ~ Which command builds Varve?
        ~ How do I compile Varve from source?
        + the build command
        + building Varve
        """,
    ),
    fact(
        "tests",
        "Run the tests with mvn verify.",
        "mvn verify",
        """
        How do I run the tests?
        How can I test Varve?
        How are the tests run?
        What is the command for the tests?
        Which command runs the tests?
        How do I test my changes?
        How do I check that the tests pass?
        Which Maven command runs all tests?
        Where do I start the tests?
        I changed the code. How do I test it?
        ~ How can I run all tests of Varve?
        ~ What is the test command?
        + running the tests
        + the tests of Varve
        """,
    ),
    fact(
        "ggml",
        "Varve computes with the library ggml.",
        "computes ggml",
        """
        Which tensor library does Varve use?
        What library does Varve compute with?
        Which library does the math?
        What does Varve compute with?
        Does Varve use ggml?
        Is Varve based on ggml?
        What does Varve use for tensors?
        Which library runs the tensor operations?
        Who does the computing inside Varve?
        Which native library does Varve use?
        ~ What is the tensor library of Varve?
        ~ Which library does Varve use to compute?
        + the tensor library
        + the library that Varve computes with
        """,
    ),
    fact(
        "gguf",
        "Varve reads models from GGUF files.",
        "gguf files",
        """
        Which model format does Varve read?
        What file format do the models have?
        Which files can Varve load?
        What format must my model file have?
        In which format are the models?
        Does Varve read GGUF?
        Can Varve load safetensors files?
        What kind of model file do I need?
        Which file type does Varve load?
        What is the format of a model file?
        ~ Which file format does Varve load?
        ~ What format of model can Varve read?
        + the model format
        + the file format of the models
        """,
    ),
    fact(
        "families",
        "Varve runs the families Qwen 3.5, Gemma 4 and Laguna.",
        "families qwen gemma laguna",
        """
        Which model families does Varve support?
        Which families of models does Varve run?
        Which models can I run?
        What models does Varve support?
        Does Varve run Gemma 4?
        Does Varve support Qwen 3.5?
        Does Varve run Laguna?
        Can I use Gemma or Qwen with Varve?
        Which model architectures are supported?
        Name the supported model families.
        What families are there?
        ~ Which families are supported by Varve?
        ~ Which model families can I run?
        + the supported model families
        + the families of models
        """,
    ),
    fact(
        "address",
        "By default Varve listens on 127.0.0.1, port 8080.",
        "listens 8080",
        """
        Which port does Varve use?
        What is the default port?
        Which port does the server listen on?
        On which address does Varve listen?
        What is the default address of the server?
        Where does Varve listen?
        What is the address of the server?
        Which host and port are the default?
        At which URL do I find the server?
        What port number is used by default?
        Where can I reach the server?
        ~ On which port does Varve listen by default?
        ~ What is the default host and address?
        + the default port
        + the default address of the server
        """,
    ),
    fact(
        "change_port",
        "Choose another port with --port; 0 takes a free one.",
        "free",
        """
        How do I change the port?
        How can I use another port?
        How do I choose a different port?
        Which flag sets the port?
        Port 8080 is in use. What can I do?
        My port is taken. What now?
        Can I use a different port?
        What does port 0 mean?
        How do I get a free port?
        Can the server take any free port?
        ~ How do I set a different port?
        ~ Can I change the port?
        + changing the port
        + using another port
        """,
    ),
    fact(
        "licence",
        "Varve has the Apache 2.0 licence.",
        "apache",
        """
        Which licence does Varve have?
        What is the licence of Varve?
        What license does Varve use?
        Under which licence is Varve?
        Is Varve open source?
        Is Varve free software?
        Is Varve under the MIT licence?
        Under what license is the code?
        Which open source licence is it?
        May I use Varve for free?
        ~ What is Varve's license?
        ~ Which licence is the code under?
        + the licence
        + the license of Varve
        """,
    ),
    fact(
        "authors",
        "Varve was made by the Varve authors.",
        "authors",
        """
        Who made Varve?
        Who wrote Varve?
        Who are the authors of Varve?
        Who created Varve?
        Who is behind Varve?
        Is there an author of Varve?
        Who has the copyright of Varve?
        Who developed Varve?
        Which people made Varve?
        Who built this software?
        ~ Who is the author of Varve?
        ~ Who created this server?
        + the authors of Varve
        + the people behind Varve
        """,
    ),
    fact(
        "plugins_folder",
        "Plugins are jars in the folder plugins.",
        "jars",
        """
        Where do plugins go?
        Where are the plugins?
        In which folder are the plugins?
        How do I install a plugin?
        How do I add a plugin?
        What is a plugin of Varve?
        Where do I put a plugin jar?
        What is in the plugins folder?
        How are plugins installed?
        Into which folder do I drop a plugin?
        What is a plugin?
        ~ In which folder do I put a plugin?
        ~ Where do I install plugins?
        + the folder for plugins
        + installing a plugin
        """,
    ),
    fact(
        "plugins_command",
        "The command varve plugins lists what is installed.",
        "lists installed",
        """
        How do I list the plugins?
        Which plugins are installed?
        What does varve plugins do?
        Which command lists the plugins?
        How do I see what is installed?
        How can I see my plugins?
        Show me how to list all plugins.
        Why was my plugin refused?
        My plugin is not loaded. Where do I look?
        How can I check which plugins are installed?
        ~ Which command shows the installed plugins?
        ~ How can I list what is installed?
        + the command varve plugins
        + the list of plugins
        """,
    ),
    fact(
        "backends",
        "The backends are cpu, vulkan, cuda and hip.",
        "vulkan cuda hip",
        """
        Which backends are there?
        Which backends does Varve have?
        What backends does Varve support?
        Name the backends of Varve.
        Name the supported backends.
        List the backends.
        Does Varve run on a GPU?
        Can I use my graphics card?
        Which GPU backends exist?
        What can Varve compute on?
        Is there a GPU backend?
        What is a backend of Varve?
        ~ Which backends are supported?
        ~ Does Varve support a GPU?
        + the backends
        + the backends of Varve
        """,
    ),
    fact(
        "devices",
        "The command varve devices shows each device, or why it is unavailable.",
        "unavailable",
        """
        How do I list the devices?
        Which command lists the devices?
        What does varve devices do?
        How do I see my devices?
        How can I see whether my device is found?
        Why is my device unavailable?
        Which devices do I have?
        How do I find out which devices there are?
        My device is not found. What now?
        Show me how to list all devices.
        ~ Which command shows my devices?
        ~ How can I list all devices?
        + the command varve devices
        + the list of devices
        """,
    ),
    fact(
        "vulkan",
        "Vulkan needs a graphics driver and libvulkan.",
        "driver libvulkan",
        """
        What does Vulkan need?
        What do I need for Vulkan?
        How do I get Vulkan to work?
        Vulkan does not work. What is missing?
        What must be installed for the Vulkan backend?
        Which driver does Vulkan need?
        How can I use Vulkan?
        What are the requirements of Vulkan?
        ~ What is needed for the Vulkan backend?
        ~ How do I use Vulkan?
        + the Vulkan backend
        + what Vulkan needs
        """,
    ),
    fact(
        "cuda",
        "CUDA needs NVIDIA's driver and a build with -Pcuda.",
        "nvidia",
        """
        What does CUDA need?
        What do I need for CUDA?
        How do I get the CUDA backend?
        How do I build with CUDA?
        Is CUDA in the build?
        How can I use my NVIDIA card?
        CUDA is missing. What now?
        Which driver does CUDA need?
        How do I use CUDA?
        ~ What is needed for the CUDA backend?
        ~ How can I use CUDA?
        + the CUDA backend
        + what CUDA needs
        """,
    ),
    fact(
        "hip",
        "HIP needs your own build of ggml, named by --ggml-home.",
        "own ggml",
        """
        What does HIP need?
        What do I need for HIP?
        How do I get the HIP backend?
        How can I use an AMD card with HIP?
        HIP does not work. What is missing?
        How do I use my own build of ggml?
        What does --ggml-home do?
        Is the HIP library in the build?
        ~ What is needed for the HIP backend?
        ~ How do I use HIP?
        + the HIP backend
        + what HIP needs
        """,
    ),
    fact(
        "serve",
        "Run varve serve --model model.gguf to serve a model.",
        "serve model.gguf",
        """
        How do I start the server?
        How do I serve a model?
        How can I serve a real model?
        How do I run my own model?
        How do I start Varve?
        What does varve serve do?
        Which command starts the server?
        How can I use a bigger model?
        How do I load a GGUF model in the server?
        I have a model file. How do I serve it?
        How do I serve a large model?
        What do I type to start the server?
        ~ How can I start the server with my own model?
        ~ Which command serves a model?
        ~ How do I run a real model?
        + starting the server
        + serving a real model
        + the command varve serve
        """,
    ),
    fact(
        "generate",
        "The command varve generate writes text without a server.",
        "writes without server",
        """
        What does varve generate do?
        How do I generate text without a server?
        Can I use a model without a server?
        Which command generates text?
        How do I generate text on the command line?
        Is there a way to write text without a server?
        What is the generate command for?
        How do I complete a prompt on the command line?
        Can I generate without starting a server?
        ~ How can I generate text without starting the server?
        ~ What is varve generate for?
        + the command varve generate
        + generating text without a server
        """,
    ),
    fact(
        "bench",
        "The command varve bench measures tokens per second.",
        "tokens second",
        """
        What does varve bench do?
        How do I measure the speed?
        How can I measure tokens per second?
        Which command measures the speed?
        How do I benchmark a model?
        How fast is my model? How do I measure it?
        What is the bench command for?
        Is there a benchmark?
        How do I run a benchmark?
        ~ Which command runs a benchmark?
        ~ How can I measure the speed of my model?
        + the command varve bench
        + measuring the speed
        """,
    ),
    fact(
        "inspect",
        "The command varve inspect shows what a model file holds.",
        "shows file holds",
        """
        What does varve inspect do?
        How do I see what a model file holds?
        How can I look into a GGUF file?
        Which command shows the contents of a model file?
        What is in my model file?
        How do I inspect a model?
        What is the inspect command for?
        How do I see the tensors of a file?
        ~ How can I inspect a GGUF file?
        ~ Which command shows what is in a model file?
        + the command varve inspect
        + inspecting a model file
        """,
    ),
    fact(
        "tokenize",
        "The command varve tokenize turns text into token ids.",
        "token ids",
        """
        What does varve tokenize do?
        How do I tokenize a text?
        How do I get the token ids of a text?
        Which command turns text into tokens?
        How can I see the tokens of a text?
        What is the tokenize command for?
        How many tokens does my text have?
        How do I count tokens?
        ~ Which command shows the token ids?
        ~ How can I tokenize my text?
        + the command varve tokenize
        + token ids
        """,
    ),
    fact(
        "plan",
        "The command varve plan tells the memory and speed to expect.",
        "memory speed",
        """
        What does varve plan do?
        How much memory does a model need?
        Will my model fit into memory?
        Which command tells the memory that a model needs?
        How do I know the memory before loading?
        What is the plan command for?
        How do I plan a split before loading?
        How can I see the memory to expect?
        What memory and speed can I expect?
        ~ How much memory will my model need?
        ~ What is varve plan for?
        + the command varve plan
        + the memory that a model needs
        """,
    ),
    fact(
        "help",
        "Add --help to a command to see all its flags.",
        "help flags",
        """
        How do I see all flags?
        Where are the flags explained?
        Which flags are there?
        How do I get help for a command?
        Is there a help text?
        Which options does a command have?
        Where can I find all options?
        How can I see the options of serve?
        Where is the help?
        ~ Where do I find the flags of a command?
        ~ How do I see the options of a command?
        + the flags of a command
        + all the options
        """,
    ),
    fact(
        "shard",
        "A shard computes some of the layers of a model.",
        "layers",
        """
        What is a shard?
        What does a shard do?
        What does varve shard do?
        What is varve shard for?
        Explain what a shard is.
        What do you mean by shard?
        What is a shard in Varve?
        What do shards compute?
        What does a shard hold?
        Why are there shards?
        ~ What is a shard for?
        ~ Tell me what a shard does.
        + shards
        + a shard
        + the command varve shard
        """,
    ),
    fact(
        "split",
        "Spread a model over several devices with --target-devices.",
        "target-devices",
        """
        How do I use several devices?
        How do I split a model over two devices?
        Can a model run on several devices?
        Can I spread the layers over devices?
        How do I spread a model over two cards?
        Which flag spreads the layers over devices?
        Can I use two GPUs for one model?
        My model is too big for one device. What can I do?
        How can I split the layers?
        Can I split a model?
        ~ How do I spread the layers over several devices?
        ~ Can I split a model over two devices?
        + using several devices
        + splitting a model over devices
        """,
    ),
    fact(
        "other_host",
        "The grpc plugin reaches shards on other hosts.",
        "grpc",
        """
        How do I use another host?
        Can a shard run on another host?
        Can I spread a model over several computers?
        Which plugin reaches other hosts?
        How do shards talk over the network?
        What is the grpc plugin for?
        Can I use a second computer?
        How do I connect to a shard on another computer?
        Can shards be on other machines?
        ~ Can I use shards on another computer?
        ~ Which plugin is for other hosts?
        + shards on another host
        + the grpc plugin
        """,
    ),
    fact(
        "shard_dies",
        "The server starts a dead shard again, and the requests go on.",
        "again",
        """
        What happens when a shard dies?
        What happens if a shard crashes?
        What if a shard process dies?
        A shard died. What happens now?
        Does the server survive when a shard crashes?
        What does the server do when a shard hangs?
        What happens to my request when a shard dies?
        Is a dead shard started again?
        ~ What if a shard crashes?
        ~ What does the server do when a shard dies?
        + a shard that dies
        + the crash of a shard
        """,
    ),
    fact(
        "health",
        "Ask GET /health; it answers 503 until the model is loaded.",
        "health",
        """
        How do I check the health of the server?
        Which endpoint shows the health?
        Is there a health endpoint?
        Is there a health check?
        Where do health checks go?
        How do I know that the model is loaded?
        How can I see whether the server is ready?
        What is the health endpoint?
        Why do I get status 503?
        What does 503 mean?
        When is the server ready?
        ~ Which endpoint is for health checks?
        ~ How can I know whether the server is ready?
        + the health endpoint
        + the health check
        """,
    ),
    fact(
        "metrics",
        "GET /metrics has the numbers for Prometheus.",
        "metrics",
        """
        Are there metrics?
        Where are the metrics?
        Which endpoint has the metrics?
        How do I get metrics?
        Does Varve work with Prometheus?
        How can I monitor the server?
        Is there a metrics endpoint?
        How do I connect Prometheus?
        Where does Prometheus get its numbers?
        ~ Which endpoint is for Prometheus?
        ~ Where do I find the metrics?
        + the metrics endpoint
        + the numbers for Prometheus
        """,
    ),
    fact(
        "openai",
        "Varve has an HTTP API that is compatible with OpenAI.",
        "compatible",
        """
        Is Varve compatible with OpenAI?
        Which API does Varve have?
        What API does the server offer?
        Does Varve speak the OpenAI API?
        Which HTTP API does Varve have?
        Is the API like that of OpenAI?
        Is there an OpenAI API?
        What kind of API is it?
        Can I talk to Varve like to OpenAI?
        ~ Is there an API compatible with OpenAI?
        ~ What kind of API does Varve have?
        + the HTTP API
        + the OpenAI API
        """,
    ),
    fact(
        "client",
        "Set base_url of your client to http://127.0.0.1:8080/v1.",
        "8080/v1",
        """
        How do I connect an OpenAI client?
        What base_url do I set?
        Which base url does my client need?
        How do I use Varve with my Python client?
        How do I connect my client?
        Can I use an OpenAI client with Varve?
        Which clients work with Varve?
        Do OpenAI clients work?
        What do I set in my client?
        ~ What is the base_url for my client?
        ~ How can I connect a client to Varve?
        + the base_url
        + connecting a client
        """,
    ),
    fact(
        "chat_api",
        "Send chats with POST to /v1/chat/completions.",
        "v1/chat/completions",
        """
        Which endpoint is for chats?
        Where do I send chat messages?
        What is the path of the chat API?
        To which URL do I send a chat?
        How do I chat over HTTP?
        What is the chat endpoint?
        Which path takes messages?
        Where does a chat request go?
        How do I send a chat request?
        ~ Which path is for chat requests?
        ~ Where do I send a chat?
        + the chat endpoint
        + the path for chat messages
        """,
    ),
    fact(
        "completions_api",
        "Plain prompts go to /v1/completions.",
        "plain v1/completions",
        """
        Which endpoint is for plain prompts?
        Where do I send a plain prompt?
        How do I complete a plain text over HTTP?
        What is the endpoint for completions without chat?
        Can I send a prompt without chat messages?
        Is there an endpoint for plain completions?
        Which path completes a plain prompt?
        Where do plain prompts go?
        ~ Which path is for plain prompts?
        ~ What is the endpoint for a plain prompt?
        + the endpoint for plain prompts
        + plain completions
        """,
    ),
    fact(
        "stream",
        "Set stream to true to get the answer piece by piece.",
        "stream true",
        """
        How do I stream the answer?
        Does Varve support streaming?
        Can answers be streamed?
        How do I turn on streaming?
        How do I get the answer while it is written?
        What does stream do in a request?
        Is streaming possible?
        Can I get the answer token by token?
        How does streaming work?
        ~ How do I get a streamed answer?
        ~ Is there support for streaming?
        + streaming
        + streamed answers
        """,
    ),
    fact(
        "tool_calls",
        "Varve supports tool calls with tools and tool_choice.",
        "tool_choice",
        """
        Does Varve support tool calls?
        Can models call tools?
        Does Varve have function calling?
        Can I use tools with Varve?
        How do I let the model call a function?
        How do tool calls work?
        Are tools supported?
        Can I offer functions to the model?
        Is there support for tools?
        ~ Are tool calls supported?
        ~ Can the model call functions?
        + tool calls
        + function calling
        """,
    ),
    fact(
        "thoughts",
        "Thoughts of a model come as reasoning_content.",
        "reasoning_content",
        """
        Where do the thoughts of a model come?
        How do I see the thoughts?
        In which field are the thoughts?
        What is reasoning_content?
        Where is the reasoning of the model?
        How does Varve return thoughts?
        Which field holds the reasoning?
        Can I read what the model thinks?
        ~ Which field holds the thoughts?
        ~ Where can I read the reasoning of a model?
        + the thoughts of a model
        + the reasoning field
        """,
    ),
    fact(
        "thinking_switch",
        "Turn thinking on or off with enable_thinking.",
        "enable_thinking",
        """
        How do I turn thinking off?
        How do I turn thinking on?
        Can I switch thinking off?
        How can I disable thinking?
        How do I enable thinking?
        What does enable_thinking do?
        The model thinks too long. How do I stop that?
        Is there a switch for thinking?
        ~ How do I switch thinking on?
        ~ Can I turn off thinking?
        + turning thinking off
        + the switch for thinking
        """,
    ),
    fact(
        "cache_types",
        "The KV cache can be f16, bf16, f32, q8_0, q5_1, q5_0, q4_1 or q4_0.",
        "f16 q8_0 q4_0",
        """
        Which KV cache types are there?
        What types can the KV cache have?
        Which cache types does Varve support?
        What is the default KV cache type?
        Can the KV cache be quantized?
        Name the types of the KV cache.
        List the KV cache types.
        Can I use a q8_0 cache?
        Which values does --cache-type-k take?
        ~ Which types does the KV cache support?
        ~ What cache types can I use?
        + the KV cache types
        + the types of the KV cache
        """,
    ),
    fact(
        "context",
        "The longest context is 8192 tokens by default; set --max-ctx for more.",
        "8192",
        """
        How long can the context be?
        What is the maximum context?
        How many tokens can a request have?
        How do I get a longer context?
        What does --max-ctx do?
        What is the default context length?
        Which flag sets the context length?
        My prompt is too long. What can I do?
        How large is the context?
        How long is the longest request?
        ~ What is the longest context?
        ~ How do I set the context length?
        + the context length
        + the maximum context
        """,
    ),
    fact(
        "parallel",
        "Varve decodes 4 requests together by default; --parallel changes it.",
        "parallel",
        """
        How many requests run at once?
        How many requests are decoded together?
        Can Varve serve several users at once?
        How many users can it serve at the same time?
        What does --parallel do?
        Can several requests run at the same time?
        Does Varve decode requests in parallel?
        How do I run more requests at once?
        ~ How many requests can run at the same time?
        ~ Can several users send requests at once?
        + requests at the same time
        + parallel requests
        """,
    ),
    fact(
        "queue",
        "Up to 64 requests wait in the queue; more get status 429.",
        "429",
        """
        How many requests can wait?
        How long is the queue?
        What happens when the queue is full?
        Why do I get status 429?
        What does 429 mean?
        What if too many requests come?
        Is there a queue for requests?
        What does --max-queue do?
        What is the size of the queue?
        ~ What happens with too many requests in the queue?
        ~ How many requests wait in the queue?
        + the queue
        + a full queue
        """,
    ),
    fact(
        "prompt_cache",
        "A request that begins like an earlier one computes only the rest.",
        "rest",
        """
        Is a chat computed twice?
        Does Varve cache prompts?
        Is there a prompt cache?
        Are earlier prompts kept in memory?
        What happens when a prompt begins like an earlier one?
        Is my long prompt computed again each time?
        Does Varve reuse earlier requests?
        Is the start of a chat computed again?
        ~ Are earlier prompts computed twice?
        ~ Does Varve reuse the start of a prompt?
        + the prompt cache
        + reuse of earlier prompts
        """,
    ),
    fact(
        "api_key",
        "Set an API key with VARVE_API_KEY or --api-key-file.",
        "api key",
        """
        How do I set an API key?
        Does Varve need an API key?
        Can I protect the server with a key?
        How do I protect the server?
        Is there a password for the server?
        Which variable holds the API key?
        How can clients send a key?
        How do I keep strangers away from my server?
        ~ How can I protect my server with an API key?
        ~ Where do I set the API key?
        + the API key
        + protecting the server with a key
        """,
    ),
    fact(
        "text_only",
        "Varve is for text only: no images and no audio.",
        "text only",
        """
        Can Varve read images?
        Does Varve support audio?
        Can I send a picture?
        Does Varve work with images?
        Does it understand pictures?
        Can I send images or audio?
        Can it listen to audio files?
        Are images supported?
        Can it describe an image?
        Is it multimodal?
        ~ Can I send an image to Varve?
        ~ Are pictures or audio supported?
        + images and audio
        + pictures
        """,
    ),
    fact(
        "platform",
        "Varve runs on Linux with an x86-64 processor.",
        "linux",
        """
        Which operating system does Varve need?
        Does Varve run on Windows?
        Does Varve run on Linux?
        Which systems does Varve run on?
        Can I run Varve on a Mac?
        Which processors are supported?
        Does Varve run on ARM processors?
        On which operating systems does it run?
        What processor do I need?
        ~ Can I run Varve on Windows?
        ~ Which operating systems are supported?
        + the operating system
        + the supported processors
        """,
    ),
    fact(
        "stop",
        "Press Ctrl-C; running requests may end first.",
        "ctrl-c",
        """
        How do I stop the server?
        How can I stop Varve?
        How do I end the server?
        How do I shut down Varve?
        What happens to requests when I stop the server?
        What is the right way to stop the server?
        How do I quit?
        How do I shut the server down?
        ~ How can I shut down the server?
        ~ What is the way to end Varve?
        + stopping the server
        + the shutdown of the server
        """,
    ),
    fact(
        "log_level",
        "Set --log-level; the default is info.",
        "info",
        """
        How do I change the log level?
        What is the default log level?
        How do I get more log messages?
        How can I see debug messages in the log?
        Which flag sets the log level?
        How do I turn on debug logs?
        How do I make the log quiet?
        Which log levels are there?
        ~ How do I set the log level?
        ~ How can I get debug logs?
        + the log level
        + debug messages in the log
        """,
    ),
    fact(
        "threads",
        "Varve uses all physical cores; --threads changes that.",
        "physical cores",
        """
        How many threads does Varve use?
        How do I set the number of threads?
        Which flag sets the threads?
        How many cores are used?
        Can I use fewer threads?
        Does Varve use all cores?
        How do I limit the cores?
        What is the default number of threads?
        ~ How many cores does Varve use?
        ~ How can I change the number of threads?
        + the number of threads
        + the cores that are used
        """,
    ),
    fact(
        "template",
        "Give another Jinja template with --chat-template-file.",
        "jinja",
        """
        How do I use another chat template?
        Can I change the chat template?
        Which template language is used?
        How do I give my own template?
        Which flag sets the chat template?
        Can I use my own chat template?
        In which language are chat templates written?
        How do I replace the template of the model?
        ~ How can I give another chat template?
        ~ Which flag changes the template?
        + another chat template
        + my own template
        """,
    ),
    fact(
        "speed",
        "On a processor Varve is about as fast as libllama.",
        "libllama",
        """
        How fast is Varve?
        Is Varve fast?
        Is Varve as fast as libllama?
        How fast is Varve compared with llama.cpp?
        Is it slower than llama.cpp?
        Is Varve slow because it is Java?
        How does its speed compare with libllama?
        Which one is faster, Varve or llama.cpp?
        ~ Is Varve slower than libllama?
        ~ How fast is it compared with libllama?
        + the speed compared with llama.cpp
        + how fast Varve is
        """,
    ),
    fact(
        "version",
        "The first release of Varve is 0.1.0.",
        "0.1.0",
        """
        Which version of Varve is this?
        What is the version of Varve?
        What version do you have?
        What is the current release?
        Which release is this?
        What is the first release of Varve?
        Is there a release of Varve?
        Tell me the version number of Varve.
        ~ What is the version number?
        ~ Which release of Varve is the first?
        + the version of Varve
        + the first release
        """,
    ),
    fact(
        "who",
        WHO_AM_I,
        "small demo",
        """
        Who are you?
        What are you?
        Which model are you?
        What model is this?
        What is your name?
        Do you have a name?
        Are you a real model?
        Tell me who you are.
        Introduce yourself.
        What kind of model are you?
        Am I talking to a demo?
        What is a demo model?
        Are you a language model?
        Which model am I talking to?
        What is this demo?
        ~ What kind of model is this?
        ~ Please introduce yourself.
        ~ Tell me what you are.
        + yourself
        + this demo model
        """,
    ),
    fact(
        "abilities",
        "I can do sums, call tools, chat a little and tell you about Varve.",
        "sums tools",
        """
        What can you do?
        What do you know?
        What are you good at?
        What are your abilities?
        How can you help me?
        What can I ask you?
        Which questions can you answer?
        What are you able to do?
        Tell me what you can do.
        What do you do all day?
        What should I ask you?
        ~ Which things can you do?
        ~ What kind of questions can I ask you?
        + your abilities
        + what you can do
        """,
    ),
    fact(
        "mistakes",
        "I know very little and make mistakes.",
        "mistakes",
        """
        Can I trust you?
        Can I trust your answers?
        Are your answers right?
        Are you always right?
        Do you know everything?
        Are you clever?
        Are you as good as a big model?
        Do you ever make mistakes?
        Can you write a book for me?
        Are you smart?
        Can you replace a real model?
        ~ Are all your answers right?
        ~ Do you make mistakes?
        + your mistakes
        + trusting your answers
        """,
    ),
    fact(
        "size",
        "I have about 3 million parameters, so I am tiny.",
        "million",
        """
        How big are you?
        How many parameters do you have?
        How large are you?
        What is your size?
        Are you a large model?
        Why are you so small?
        How small are you?
        How many parameters does this demo model have?
        Are you big or small?
        ~ How large is this demo model?
        ~ What is your number of parameters?
        + your size
        + the number of your parameters
        """,
    ),
    fact(
        "training",
        "I was trained from nothing on generated text.",
        "generated",
        """
        How were you trained?
        What were you trained on?
        On which data were you trained?
        Where does your knowledge come from?
        What is your training data?
        Who trained you, and on what?
        How did you learn to speak?
        Which texts did you learn from?
        ~ What data were you trained on?
        ~ How did you learn?
        + your training
        + your training data
        """,
    ),
    fact(
        "offline",
        "I run offline on your own machine.",
        "offline",
        """
        Do you run offline?
        Do you need the internet?
        Are you connected to the internet?
        Do my messages leave my machine?
        Do you send my data anywhere?
        Where do you run?
        Is this chat private?
        Do you work without internet?
        Do you run on my own machine?
        Are you in the cloud?
        ~ Can you work offline?
        ~ Do you send my messages to the internet?
        + running offline
        + the privacy of this chat
        """,
    ),
    fact(
        "models_command",
        "The command varve models lists the models that you can use.",
        "lists models",
        """
        How do I list the models?
        Which command lists the models?
        What does varve models do?
        How can I see which models I have?
        How do I see all the models I can use?
        Show me how to list models.
        Is there a list of models?
        What is the models command for?
        ~ Which command shows the list of models?
        ~ How can I list all models?
        + the list of models
        + the command varve models
        """,
    ),
    fact(
        "other_demos",
        "Try --model demo:qwen35, demo:gemma4 or demo:laguna.",
        "demo:gemma4",
        """
        Are there other demo models?
        Which demo models are there?
        How do I use another demo model?
        How do I start a different demo?
        Can I try another demo model?
        What other demos are there?
        Name the demo models.
        How many demo models exist?
        How do I run the Gemma demo?
        How do I run the demo of Laguna?
        ~ Which other demos can I try?
        ~ How do I start another demo model?
        + the other demo models
        + another demo model
        """,
    ),
)

OTHER_NAMES = ("this server", "the server", "this program", "your server", "the Varve server")
REPLACEABLE = re.compile(r"\bVarve\b(?! (?:server|authors|thing))")


def conversations(rng: random.Random, split: str) -> Iterator[Conversation]:
    """Chats of one to four questions about mixed facts."""
    while True:
        yield _conversation(rng, split)


def questions(rng: random.Random) -> Iterator[Question]:
    """Single questions in held-out phrasings, each fact in turn."""
    while True:
        for chosen in rng.sample(FACTS, len(FACTS)):
            messages = [system(rng.choice(SYSTEM_PROMPTS))] if rng.random() < 0.5 else []
            messages.append(user(_ask(chosen, rng, HELD_OUT)))
            yield Question("fact", tuple(messages), chosen.accepted)


def _conversation(rng: random.Random, split: str) -> Conversation:
    messages = [system(rng.choice(SYSTEM_PROMPTS))] if rng.random() < 0.4 else []
    if rng.random() < 0.12:
        messages += _exchange(careless(GREETINGS.pick(rng, split), rng), GREETING_ANSWER)
    for index, chosen in enumerate(rng.sample(FACTS, rng.choice((1, 1, 1, 2, 2, 3, 3, 4)))):
        follows = index > 0 and rng.random() < 0.15
        asked = _topic(chosen, NEXT_FRAMES, rng, split) if follows else _ask(chosen, rng, split)
        messages += _exchange(asked, chosen.answer)
    if rng.random() < 0.12:
        messages += _exchange(careless(THANKS.pick(rng, split), rng), THANKS_ANSWER)
    if rng.random() < 0.05:
        messages += _exchange(careless(GOODBYES.pick(rng, split), rng), GOODBYE_ANSWER)
    return Conversation(tuple(messages))


def _exchange(asked: str, answer: str) -> list:
    return [user(asked), assistant(answer)]


def _ask(chosen: Fact, rng: random.Random, split: str) -> str:
    if rng.random() < 0.2:
        return _topic(chosen, FRAMES, rng, split)
    return dressed(_renamed(chosen, chosen.asks.pick(rng, split), rng), rng, split)


def _topic(chosen: Fact, frames: Phrasings, rng: random.Random, split: str) -> str:
    topic = rng.choice(chosen.topics)
    return careless(upper_first(frames.pick(rng, split).format(topic)), rng)


def _renamed(chosen: Fact, core: str, rng: random.Random) -> str:
    """The core, at times with another word for Varve, unless that is what is asked for."""
    if chosen.key in ("varve", "version", "authors") or rng.random() < 0.85:
        return core
    return upper_first(REPLACEABLE.sub(rng.choice(OTHER_NAMES), core, count=1))
