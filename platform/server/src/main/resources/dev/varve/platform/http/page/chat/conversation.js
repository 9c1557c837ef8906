// Format of a conversation, and its conversion to a request.
//
// Messages:
//   {role: 'user', content, files: [{name, text, pages, image}]}; pages of a PDF file; an image is a data
//    URL, and has no text
//   {role: 'assistant', content, reasoning, calls: [{id, name, arguments}], model, state, finish,
//    error, facts: {usage, timings, firstMillis, millis}, stream: {id, last}}
//   {role: 'tool', content, call, name}
// The state of a response: 'running', 'done', 'stopped' by the user, 'broken' by a failure of the
// server or of the connection.

/** Settings of a new chat: strings as in their fields; empty: the server's own value. */
export const DEFAULTS = {
    model: '',
    system: '',
    temperature: '',
    top_p: '',
    top_k: '',
    min_p: '',
    repetition_penalty: '',
    max_tokens: '',
    seed: '',
    thinking: '',
    drafts: '',
    tools: '',
};

const NUMBERS =
    ['temperature', 'top_p', 'top_k', 'min_p', 'repetition_penalty', 'max_tokens', 'seed'];

/** A message from the store; one that another version wrote may lack fields. */
export function wellFormed(message) {
    const whole = {
        ...message,
        role: ['user', 'assistant', 'tool'].includes(message.role) ? message.role : 'user',
        content: String(message.content ?? ''),
    };
    if (whole.role === 'user') {
        whole.files = (Array.isArray(message.files) ? message.files : [])
            .map(file => ({...file, name: String(file?.name ?? ''), text: String(file?.text ?? ''), image: imageAddress(file?.image)}));
    }
    if (whole.role === 'assistant') {
        whole.reasoning = String(message.reasoning ?? '');
        whole.calls = Array.isArray(message.calls) ? message.calls : [];
        whole.facts = message.facts ?? {};
        whole.state = message.state ?? 'done';
    }
    return whole;
}

/** A data URL of an image that the server decodes, or undefined. */
export function imageAddress(url) {
    return typeof url === 'string' && /^data:image\/(png|jpeg);base64,[a-z0-9+/]+=*$/i.test(url) ? url : undefined;
}

/** Whether a message has images. */
export function hasImages({files}) {
    return files?.some(file => file.image) ?? false;
}

/** Parses the tools that a user wrote; throws an Error with the reason. */
export function parseTools(text) {
    if (text.trim() === '') {
        return [];
    }
    let tools;
    try {
        tools = JSON.parse(text);
    } catch (error) {
        throw new Error(`The tools are not valid JSON: ${error.message}`);
    }
    const list = Array.isArray(tools) ? tools : [tools];
    return list.map(tool => {
        // Accepts the function alone, which users often have.
        const whole = tool?.function ? tool : {type: 'function', function: tool};
        if (typeof whole.function?.name !== 'string') {
            throw new Error('Each tool needs a name: {"name": "…", "parameters": {…}}');
        }
        return whole;
    });
}

/** Body of a request that responds to, or continues, the last message; throws an Error with the reason. */
export function request(messages, settings) {
    if (messages.length === 0) {
        throw new Error('There is no message before it, to which the model could respond.');
    }
    const body = {
        messages: [],
        stream: true,
        stream_options: {include_usage: true},
    };
    if (settings.model) {
        body.model = settings.model;
    }
    if (settings.system.trim()) {
        body.messages.push({role: 'system', content: settings.system});
    }
    body.messages.push(...messages.map(wire));
    for (const name of NUMBERS) {
        if (settings[name] !== '' && Number.isFinite(Number(settings[name]))) {
            body[name] = Number(settings[name]);
        }
    }
    if (settings.thinking) {
        body.enable_thinking = settings.thinking === 'on';
    }
    if (settings.drafts === 'off') {
        body.speculative = false;
    }
    const tools = parseTools(settings.tools);
    if (tools.length > 0) {
        body.tools = tools;
    }
    if (messages.at(-1).role === 'assistant') {
        body.continue_final_message = true;
        body.add_generation_prompt = false;
    }
    return body;
}

function wire(message) {
    if (message.role === 'tool') {
        return {role: 'tool', tool_call_id: message.call, name: message.name, content: message.content};
    }
    const sent = {role: message.role, content: hasImages(message) ? parts(message) : withFiles(message)};
    if (message.role === 'assistant' && message.reasoning) {
        sent.reasoning_content = message.reasoning;
    }
    if (message.calls?.length > 0) {
        sent.tool_calls = message.calls.map(call => ({
            id: call.id,
            type: 'function',
            function: {name: call.name, arguments: call.arguments},
        }));
    }
    return sent;
}

/** The images before the text. */
function parts(message) {
    const text = withFiles(message);
    return [
        ...message.files.filter(file => file.image).map(({image}) => ({type: 'image_url', image_url: {url: image}})),
        ...text === '' ? [] : [{type: 'text', text}],
    ];
}

/** Text of a message after the contents of its files, each in a fence below its name. */
export function withFiles({content, files = []}) {
    return [...files.filter(file => !file.image).map(({name, text}) => `File ${name}:\n\n${fenced(text, ending(name))}`), content]
        .filter(part => part !== '').join('\n\n');
}

/** A text in a fence that is longer than those within it. */
export function fenced(text, language = '') {
    let fence = '```';
    for (const [ticks] of text.matchAll(/`{3,}/g)) {
        if (ticks.length >= fence.length) {
            fence = `${ticks}\``;
        }
    }
    return `${fence}${language}\n${text}\n${fence}`;
}

function ending(name) {
    return /\.([a-zA-Z0-9]{1,10})$/.exec(name)?.[1].toLowerCase().replace('pdf', 'text') ?? '';
}

/** Tokens that a conversation occupies in the context after its last measured response; 0 if unknown. */
export function usedTokens(messages) {
    const last = messages.findLast(message => message.facts?.usage);
    const {usage} = last?.facts ?? {};
    const later = messages.at(-1)?.state === 'running' ? messages.at(-1).facts?.chunks ?? 0 : 0;
    return usage ? (usage.effective_prompt_tokens ?? usage.prompt_tokens ?? 0)
        + (usage.completion_tokens ?? 0) + later : later;
}

/** Whether the server can continue a response. */
export function canContinue(message) {
    return message.role === 'assistant'
        && message.state !== 'running'
        && message.content !== ''
        && !(message.calls?.length > 0)
        && (message.state !== 'done' || message.finish === 'length');
}

/** Whether a response has tool calls without results. */
export function waitsForResults(messages, index) {
    return index === messages.length - 1
        && messages[index].state === 'done'
        && messages[index].calls?.length > 0;
}

/** Title of a chat, from its first message. */
export function title(text) {
    const letters = [...text.trim().split('\n', 1)[0]];
    return letters.length > 60
        ? `${letters.slice(0, 58).join('').trimEnd()}…`
        : letters.join('') || 'New chat';
}
