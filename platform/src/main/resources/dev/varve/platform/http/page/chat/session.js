// A conversation and the answer that is being written in it. It goes on while other views or chats
// are looked at.

import {announce} from '../dom.js';
import {Answer} from './answer.js';
import {canContinue, DEFAULTS, request, title} from './conversation.js';
import {newId} from './store.js';
import {inWords} from './words.js';

/** So long after it broke off, an answer is gone on with unasked when its chat is opened. */
const FRESH_MILLIS = 10 * 60 * 1000;
/** How often somebody who waits is shown that time passes. */
const TICK_MILLIS = 1000;

const open = new Map();

/** The session of a chat, which is the same as long as it writes an answer. */
export async function openSession(id, store, server) {
    if (!open.get(id)?.isRunning) {
        const chat = await store.chat(id);
        if (!chat) {
            return null;
        }
        const session = new Session(store, server, chat, await store.messages(id));
        open.set(id, session);
        session.settle();
    }
    return open.get(id);
}

/** A chat that is kept as soon as something is said in it. */
export function newSession(store, server, settings) {
    const now = Date.now();
    const chat = {
        id: newId(),
        title: 'New chat',
        created: now,
        updated: now,
        settings: {...DEFAULTS, ...settings, system: '', tools: ''},
    };
    const session = new Session(store, server, chat, []);
    open.set(chat.id, session);
    return session;
}

/** Ends the answers of a chat, or of all. */
export async function stopSessions(id) {
    const sessions = [...open.values()].filter(session => !id || session.chat.id === id);
    await Promise.all(sessions.map(session => session.stop()));
}

class Session {
    #store;
    #server;
    #answer = null;
    #listener = null;
    #ended = Promise.resolve();

    constructor(store, server, chat, messages) {
        this.#store = store;
        this.#server = server;
        this.chat = chat;
        chat.settings = {...DEFAULTS, ...chat.settings};
        this.messages = messages;
    }

    get isRunning() {
        return this.#answer !== null;
    }

    /**
     * Tells somebody what happens, or nobody.
     *
     * @param {?object} listener with added(message), cut(order), changed(), state()
     */
    set listener(listener) {
        this.#listener = listener;
    }

    /** Goes on with an answer that was being written when the page was left. */
    async settle() {
        const last = this.messages.at(-1);
        if (last?.state !== 'running') {
            return;
        }
        if (last.stream) {
            await this.#run(last, answer => answer.resume());
        } else {
            last.state = 'broken';
            last.error = {status: 0, code: 'broken_off', message: ''};
            await this.#keep(last);
            this.#listener?.changed();
        }
        if (last.state !== 'broken' || Date.now() - this.chat.updated > FRESH_MILLIS) {
            return;
        }
        if (canContinue(last)) {
            await this.resume(last);
        } else if (last.content === '' && last.calls.length === 0) {
            await this.regenerate(last);
        }
    }

    /** Asks a question. */
    async send(content) {
        if (this.messages.length === 0) {
            this.chat.title = title(content);
        }
        await this.#add({role: 'user', content});
        await this.#reply();
    }

    /** Answers the calls of the last answer. */
    async give(message, results) {
        for (const [index, call] of message.calls.entries()) {
            await this.#add({role: 'tool', call: call.id, name: call.name, content: results[index]});
        }
        await this.#reply();
    }

    /** Goes on with an answer that is not complete. */
    async resume(message) {
        delete message.stream;
        message.finish = null;
        message.facts = {};
        await this.#run(message, answer => answer.ask(request(this.messages, this.chat.settings)));
    }

    /** Answers again what stands before an answer. */
    async regenerate(message) {
        await this.stop();
        await this.#cut(message.order);
        await this.#reply();
    }

    /** Changes a question, and forgets what came after it. */
    async ask(message, content) {
        await this.stop();
        await this.#cut(message.order);
        if (this.messages.length === 0) {
            this.chat.title = title(content);
        }
        await this.#add({role: 'user', content});
        await this.#reply();
    }

    /** Changes the words of an answer. */
    async rewrite(message, content) {
        message.content = content;
        await this.#keep(message);
    }

    /** Ends the answer that is being written. */
    async stop() {
        await this.#answer?.stop();
        await this.#ended;
    }

    /** Keeps the settings of a chat that is kept. */
    async keepSettings() {
        if (this.messages.length > 0) {
            await this.#store.putChat(this.chat);
        }
    }

    async #reply() {
        const body = request(this.messages, this.chat.settings);
        const message = await this.#add({
            role: 'assistant',
            content: '',
            reasoning: '',
            calls: [],
            model: this.chat.settings.model,
            state: 'running',
            finish: null,
            facts: {},
        });
        await this.#run(message, answer => answer.ask(body));
    }

    async #run(message, action) {
        const run = async () => {
            message.state = 'running';
            message.began = Date.now();
            this.#answer = new Answer(
                this.#server,
                message,
                () => this.#listener?.changed(),
                () => this.#keep(message));
            this.#listener?.state();
            const tick = setInterval(() => this.#listener?.changed(), TICK_MILLIS);
            try {
                await action(this.#answer);
            } finally {
                clearInterval(tick);
                this.#answer = null;
                this.#listener?.changed();
                this.#listener?.state();
            }
            this.#tell(message);
        };
        this.#ended = this.#alone(message, run);
        await this.#ended;
    }

    /** One page at a time reads an answer: the server gives it to the last one that asks. */
    async #alone(message, run) {
        const name = `varve-${this.chat.id}`;
        if (!navigator.locks) {
            return run();
        }
        const ran = await navigator.locks.request(name, {ifAvailable: true}, async lock => {
            if (lock) {
                await run();
            }
            return lock !== null;
        });
        if (!ran) {
            message.began = Date.now();
            message.waits = 'Another tab writes this answer…';
            this.#listener?.changed();
            await navigator.locks.request(name, async () => {
                const kept = (await this.#store.messages(this.chat.id))
                    .find(each => each.order === message.order);
                delete message.waits;
                Object.assign(message, kept);
                if (message.state === 'running') {
                    await run();
                }
            });
            this.#listener?.changed();
        }
    }

    #tell(message) {
        const tokens = message.facts?.usage?.completion_tokens;
        switch (message.state) {
            case 'done':
                announce(message.calls.length > 0
                    ? 'The model calls a tool'
                    : `The answer is complete${tokens ? `, ${tokens} tokens` : ''}`);
                break;
            case 'stopped':
                announce('The answer was stopped');
                break;
            case 'broken':
                announce(inWords(message.error));
                break;
            default:
        }
    }

    async #add(fields) {
        const message = {
            id: newId(),
            chat: this.chat.id,
            order: (this.messages.at(-1)?.order ?? -1) + 1,
            ...fields,
        };
        this.messages.push(message);
        this.#listener?.added(message);
        await this.#keep(message);
        return message;
    }

    async #cut(order) {
        this.messages.splice(this.messages.findIndex(each => each.order >= order));
        this.#listener?.cut(order);
        await this.#store.cut(this.chat.id, order);
    }

    async #keep(message) {
        this.chat.updated = Date.now();
        try {
            await this.#store.putMessage(message);
            await this.#store.putChat(this.chat);
        } catch {
            // The browser's store is full or closed: the chat goes on, and is lost with the page.
            this.#listener?.unkept?.();
        }
    }
}
