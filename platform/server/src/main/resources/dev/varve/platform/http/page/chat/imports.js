// Import of conversations from files: the page's own export, and messages in OpenAI's form.
//
// The own format, version 2: {format: 'varve-chat', version, title, created, settings, leaf, messages}.
// Each message has its order, the parent (see tree.js), and the fields of conversation.js; leaf is the order of
// the last message of the shown branch. Version 1 has one branch, and neither order, parent nor leaf.

import {imageAddress, parseTools, title, wellFormed} from './conversation.js';
import {known} from './presets.js';
import {newId} from './store.js';
import {ROOT, withParents} from './tree.js';

/** Size of the largest file that is read, in bytes. */
const FILE_BYTES = 32 * 1024 * 1024;
const MESSAGES = 20_000;

/**
 * Reads a file.
 *
 * @param {File} file
 * @returns {Promise<{chat: object, messages: object[]}>} a new chat, which is not stored yet
 * @throws {Error} with a message for the user
 */
export async function readChat(file) {
    if (file.size > FILE_BYTES) {
        throw new Error(`“${file.name}” is larger than 32 MiB.`);
    }
    let value;
    try {
        value = JSON.parse(await file.text());
    } catch {
        throw new Error(`“${file.name}” is not valid JSON.`);
    }
    try {
        return parseChat(value);
    } catch (error) {
        throw new Error(`“${file.name}” cannot be imported: ${error.message}`);
    }
}

function parseChat(value) {
    const isOwn = value?.format === 'varve-chat';
    if (isOwn && value.version !== 1 && value.version !== 2) {
        throw new Error(`version ${value.version} is unknown, expected 1 or 2.`);
    }
    const list = Array.isArray(value) ? value : value?.messages;
    if (!Array.isArray(list) || list.length === 0) {
        throw new Error('it has no list of messages.');
    }
    if (list.length > MESSAGES) {
        throw new Error(`it has ${list.length} messages, at most ${MESSAGES} are possible.`);
    }
    const id = newId();
    const {messages, system, leaf} = isOwn ? ownMessages(list, value.leaf) : openAiMessages(list);
    if (messages.length === 0) {
        throw new Error('it has only a system prompt.');
    }
    const now = Date.now();
    const first = messages.find(message => message.role === 'user');
    return {
        chat: {
            id,
            title: string(isOwn ? value.title : '').slice(0, 200) || title(first?.content ?? ''),
            created: Date.parse(value.created) || now,
            updated: now,
            settings: {...settings(isOwn ? value.settings : {}), ...system && {system}},
            leaf: leaf ?? messages.at(-1).order,
        },
        messages: messages.map(message => ({...message, id: newId(), chat: id})),
    };
}

/** Known settings; tools with which every request would fail are left out. */
function settings(value) {
    const all = known(value);
    try {
        parseTools(all.tools);
    } catch {
        all.tools = '';
    }
    return all;
}

function string(value) {
    return typeof value === 'string' ? value : '';
}

function number(value) {
    return typeof value === 'number' ? value : undefined;
}

/** The messages, with orders from 0 on, and the leaf, if it is one of them. */
function ownMessages(list, leaf) {
    const messages = list.map((message, index) => {
        const {role, content, reasoning, calls, call, name, model, state, finish, error, facts, files} =
            checked(message, index, ['user', 'assistant', 'tool']);
        return wellFormed({
            role, content,
            order: Number.isSafeInteger(message.order) && message.order >= 0 ? message.order : index,
            parent: message.parent,
            ...role === 'user' && {files: array(files).map(file => ({name: string(file?.name), text: string(file?.text), pages: number(file?.pages), image: imageAddress(file?.image)}))},
            ...role === 'tool' && {call: string(call), name: string(name)},
            ...role === 'assistant' && {
                reasoning: string(reasoning),
                calls: array(calls).map(each => ({
                    id: string(each?.id), name: string(each?.name), arguments: string(each?.arguments),
                })),
                model: string(model),
                // A response that was being generated when it was exported has ended.
                state: ['done', 'stopped', 'broken'].includes(state) ? state : 'stopped',
                finish: string(finish) || null,
                error: {status: 0, code: string(error?.code), message: string(error?.message)},
                facts: figures(facts),
            },
        });
    }).sort((one, other) => one.order - other.order);
    if (new Set(messages.map(message => message.order)).size < messages.length) {
        throw new Error('two messages have the same order.');
    }
    // The next message needs a greater order, and numbers end.
    const orders = new Map(messages.map((message, index) => [message.order, index]));
    return {
        messages: withParents(messages).map(message =>
            ({...message, order: orders.get(message.order), parent: orders.get(message.parent) ?? ROOT})),
        leaf: orders.get(leaf),
    };
}

const GROUPS = ['usage', 'timings', 'prompt_tokens_details', 'completion_tokens_details', 'kvflash'];
const TEXTS = ['cache_source', 'cache_miss'];

/** The facts of a response, of which each has the type that the page expects. */
function figures(facts) {
    return Object.fromEntries(Object.entries(typeof facts === 'object' && facts || {}).flatMap(([name, value]) => {
        if (GROUPS.includes(name)) {
            return [[name, figures(value)]];
        }
        return typeof value === (TEXTS.includes(name) ? 'string' : 'number') ? [[name, value]] : [];
    }));
}

function array(value) {
    return Array.isArray(value) ? value : [];
}

function openAiMessages(list) {
    const names = new Map();
    const system = [];
    const messages = [];
    list.forEach((given, index) => {
        const {role, content, reasoning_content: reasoning, tool_calls: calls, tool_call_id: call, name} =
            checked({...given, content: text(given?.content)}, index, ['system', 'developer', 'user', 'assistant', 'tool']);
        const order = messages.length;
        const parent = order - 1;
        switch (role) {
            case 'user':
                messages.push({order, parent, role, content, files: []});
                break;
            case 'tool':
                messages.push({order, parent, role, content, call: string(call),
                    name: string(name) || names.get(call) || 'a tool'});
                break;
            case 'assistant': {
                const own = array(calls).map(each => ({
                    id: string(each?.id),
                    name: string(each?.function?.name),
                    arguments: string(each?.function?.arguments),
                }));
                own.forEach(each => names.set(each.id, each.name));
                messages.push(wellFormed({order, parent, role, content, reasoning: string(reasoning),
                    calls: own, state: 'done', finish: 'stop', facts: {}}));
                break;
            }
            default:
                system.push(content);
        }
    });
    return {messages, system: system.join('\n\n')};
}

/** Content of a message: a text, or parts of which only texts are read. */
function text(content) {
    return Array.isArray(content)
        ? content.map(part => string(part?.text)).filter(part => part !== '').join('\n\n')
        : content ?? '';
}

function checked(message, index, roles) {
    if (typeof message !== 'object' || message === null || !roles.includes(message.role)) {
        throw new Error(`message ${index + 1} has the role ${JSON.stringify(message?.role ?? null)},`
            + ` expected one of ${roles.join(', ')}.`);
    }
    if (typeof message.content !== 'string') {
        throw new Error(`message ${index + 1} has no text.`);
    }
    return message;
}
