// A conversation and the answer that is being written in it. It goes on while other views or chats
// are looked at.

import {announce} from '../dom.js';
import {Answer} from './answer.js';
import {canContinue, DEFAULTS, request, title, wellFormed} from './conversation.js';
import {newId} from './store.js';
import {inWords} from './words.js';

/** So long after it broke off, an answer is gone on with unasked when its chat is opened. */
const FRESH_MILLIS = 10 * 60 * 1000;
/** How often somebody who waits is shown that time passes. */
const TICK_MILLIS = 1000;
/** So long another tab has time to end its answer. */
const LEAVE_MILLIS = 3000;

const open = new Map();

/** The other tabs of this browser. */
const tabs = 'BroadcastChannel' in globalThis ? new BroadcastChannel('varve') : null;
tabs?.addEventListener('message', ({data: {kind, chat}}) => {
    for (const session of open.values()) {
        if (!chat || session.chat.id === chat) {
            session.hear(kind);
        }
    }
});

/** @param {?string} chat id of one, or null for all */
function tell(kind, chat) {
    tabs?.postMessage({kind, chat});
}

/** The session of a chat, which is the same as long as it writes an answer. */
export async function openSession(id, store, server) {
    if (!open.get(id)?.isRunning) {
        const chat = await store.chat(id);
        if (!chat) {
            return null;
        }
        const session = new Session(store, server, chat, await store.messages(id), true);
        open.set(id, session);
        session.settle().catch(() => {
            // Another tab was sooner, and this one hears of it.
        });
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
    const session = new Session(store, server, chat, [], false);
    open.set(chat.id, session);
    return session;
}

/** Removes a chat, or all, whatever tabs have it open. */
export async function removeSessions(store, id) {
    tell('stop', id);
    const sessions = [...open.values()].filter(session => !id || session.chat.id === id);
    await Promise.all(sessions.map(session => session.stop()));
    await (id ? store.removeChat(id) : store.removeAll());
    sessions.forEach(session => open.delete(session.chat.id));
    tell('removed', id);
}

/** What cannot be done, in words for whoever wanted it. */
class Refusal extends Error {}

class Session {
    #store;
    #server;
    #answer = null;
    #listener = null;
    #ended = Promise.resolve();
    /** Whether another tab writes the answer. */
    #waits = false;
    #isKept;

    constructor(store, server, chat, messages, isKept) {
        this.#store = store;
        this.#server = server;
        this.#isKept = isKept;
        this.#take(chat, messages);
    }

    #take(chat, messages) {
        this.chat = {...chat, title: String(chat.title ?? ''), settings: {...DEFAULTS, ...chat.settings}};
        this.messages = messages.map(wellFormed);
    }

    get isRunning() {
        return this.#answer !== null || this.#waits;
    }

    /**
     * Tells somebody what happens, or nobody.
     *
     * @param {?object} listener with added(message), cut(order), changed(), state(), replaced(),
     *     removed(), unkept(error)
     */
    set listener(listener) {
        this.#listener = listener;
    }

    /** Who shows something may fail; the answer goes on, and is kept. */
    #notify(name, ...what) {
        try {
            this.#listener?.[name](...what);
        } catch (error) {
            reportError(error);
        }
    }

    /** Another tab did something. */
    async hear(kind) {
        switch (kind) {
            case 'stop':
                await this.#answer?.stop();
                break;
            case 'removed':
                if (this.#isKept) {
                    open.delete(this.chat.id);
                    await this.stop();
                    this.#notify('removed');
                }
                break;
            default:
                if (this.#listener && !this.isRunning) {
                    await this.#reload();
                }
        }
    }

    /** Takes over what another tab kept. */
    async #reload() {
        const [chat, messages] =
            await Promise.all([this.#store.chat(this.chat.id), this.#store.messages(this.chat.id)]);
        if (!chat || this.isRunning) {
            return;
        }
        this.#take(chat, messages);
        this.#notify('replaced');
        await this.settle().catch(() => {
            // A third tab was sooner.
        });
    }

    /** Goes on with an answer that was being written when the page was left. */
    async settle() {
        const last = this.messages.at(-1);
        if (last?.state !== 'running') {
            return;
        }
        if (last.stream) {
            this.#ended = this.#follow(last).catch(reportError);
            await this.#ended;
        } else {
            last.state = 'broken';
            last.error = {status: 0, code: 'broken_off', message: ''};
            await this.#keep(last);
            this.#notify('changed');
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
        await this.#alone(async () => {
            this.#name(content);
            await this.#add({role: 'user', content});
            await this.#reply();
        });
    }

    /** Answers the calls of the last answer. */
    async give(message, results) {
        await this.#alone(async () => {
            for (const [index, call] of this.#own(message).calls.entries()) {
                await this.#add({role: 'tool', call: call.id, name: call.name, content: results[index]});
            }
            await this.#reply();
        });
    }

    /** Goes on with an answer that is not complete. */
    async resume(message) {
        await this.#alone(async () => {
            const own = this.#own(message);
            delete own.stream;
            own.finish = null;
            own.facts = {};
            await this.#run(own, answer => answer.ask(request(this.messages, this.chat.settings)));
        });
    }

    /** Answers again what stands before an answer. */
    async regenerate(message) {
        await this.stop();
        await this.#alone(async () => {
            await this.#cut(this.#own(message).order);
            await this.#reply();
        });
    }

    /** Changes a question, and forgets what came after it. */
    async ask(message, content) {
        await this.stop();
        await this.#alone(async () => {
            await this.#cut(this.#own(message).order);
            this.#name(content);
            await this.#add({role: 'user', content});
            await this.#reply();
        });
    }

    /** Changes the words of an answer. */
    async rewrite(message, content) {
        message.content = content;
        await this.#keep(message);
        tell('changed', this.chat.id);
    }

    /** Ends the answer that is being written, here or in another tab. */
    async stop() {
        if (this.#waits) {
            tell('stop', this.chat.id);
            await Promise.race([this.#ended, new Promise(resolve => setTimeout(resolve, LEAVE_MILLIS))]);
            return;
        }
        await this.#answer?.stop();
        await this.#ended;
    }

    /** Keeps the settings of a chat that is kept. */
    async keepSettings() {
        if (this.#isKept) {
            await this.#store.putChat(this.chat).catch(error => this.#notify('unkept', error));
        }
    }

    #name(content) {
        if (this.messages.length === 0) {
            this.chat.title = title(content);
        }
    }

    /** A message as it is here now: another tab may have changed what stood around it. */
    #own(message) {
        const own = this.messages.find(each => each.id === message.id);
        if (!own) {
            throw new Refusal('This message was removed in another tab.');
        }
        return own;
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
        message.state = 'running';
        message.began = Date.now();
        this.#answer = new Answer(
            this.#server,
            message,
            () => this.#notify('changed'),
            () => this.#keep(message));
        this.#notify('state');
        const tick = setInterval(() => this.#notify('changed'), TICK_MILLIS);
        try {
            await action(this.#answer);
        } finally {
            clearInterval(tick);
            this.#answer = null;
            this.#notify('changed');
            this.#notify('state');
        }
        this.#say(message);
        tell('changed', this.chat.id);
    }

    get #lock() {
        return `varve-${this.chat.id}`;
    }

    /** Does something, with what is kept by now, while no other tab writes in this chat. */
    async #alone(action) {
        const done = navigator.locks
            ? navigator.locks.request(this.#lock, {ifAvailable: true}, async lock => {
                if (lock) {
                    await this.#refresh();
                    await action();
                }
                return lock !== null;
            })
            : action().then(() => true);
        // Whoever waits for the end does not mind how it came.
        this.#ended = done.catch(() => {});
        if (!await done) {
            throw new Refusal('Another tab writes a response in this conversation.');
        }
    }

    async #refresh() {
        const last = await this.#store.lastMessage(this.chat.id).catch(() => undefined);
        if (last && last.id !== this.messages.at(-1)?.id) {
            this.#take(await this.#store.chat(this.chat.id) ?? this.chat,
                await this.#store.messages(this.chat.id));
            this.#notify('replaced');
        }
    }

    /** One tab at a time reads an answer: the server gives it to the last one that asks. */
    async #follow(message) {
        const read = () => this.#run(message, answer => answer.resume());
        if (!navigator.locks) {
            return read();
        }
        const ran = await navigator.locks.request(this.#lock, {ifAvailable: true}, async lock => {
            if (lock) {
                await read();
            }
            return lock !== null;
        });
        if (!ran) {
            await this.#await(message, read);
        }
    }

    async #await(message, read) {
        message.began = Date.now();
        message.waits = 'Another tab writes this response…';
        this.#waits = true;
        this.#notify('changed');
        this.#notify('state');
        try {
            await navigator.locks.request(this.#lock, async () => {
                const kept = (await this.#store.messages(this.chat.id)).find(each => each.id === message.id);
                this.#waits = false;
                delete message.waits;
                Object.assign(message, kept ?? {state: 'stopped'});
                if (message.state === 'running') {
                    await read();
                }
            });
        } finally {
            this.#waits = false;
            this.#notify('changed');
            this.#notify('state');
        }
    }

    #say(message) {
        const tokens = message.facts?.usage?.completion_tokens;
        switch (message.state) {
            case 'done':
                announce(message.calls.length > 0
                    ? 'The model calls a tool'
                    : `The response is complete${tokens ? `, ${tokens} tokens` : ''}`);
                break;
            case 'stopped':
                announce('The response was stopped');
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
        this.#notify('added', message);
        await this.#keep(message);
        tell('changed', this.chat.id);
        return message;
    }

    async #cut(order) {
        this.messages = this.messages.filter(each => each.order < order);
        this.#notify('cut', order);
        await this.#store.cut(this.chat.id, order).catch(error => this.#notify('unkept', error));
    }

    async #keep(message) {
        this.chat.updated = Date.now();
        try {
            // What another tab removed does not come back with an answer that ends late.
            if (await this.#store.put(this.chat, message, !this.#isKept)) {
                this.#isKept = true;
            }
        } catch (error) {
            // The browser's store is full or closed: the chat goes on, and is lost with the page.
            this.#notify('unkept', error);
        }
    }
}
