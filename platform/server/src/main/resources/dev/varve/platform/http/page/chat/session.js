// A conversation and its running response, which continues while the user looks at other views or
// chats.

import {announce} from '../dom.js';
import {Answer} from './answer.js';
import {canContinue, DEFAULTS, request, title, wellFormed} from './conversation.js';
import {newId} from './store.js';
import {newestLeaf, path, ROOT, versions, withParents} from './tree.js';
import {errorText} from './words.js';

/** Time after a broken connection during which an opened chat resumes its response by itself. */
const FRESH_MILLIS = 10 * 60 * 1000;
/** Interval at which the elapsed time is updated. */
const TICK_MILLIS = 1000;
/** Time that another tab has to end its response. */
const LEAVE_MILLIS = 3000;

const open = new Map();

/** Channel to the other tabs of this browser. */
const tabs = 'BroadcastChannel' in globalThis ? new BroadcastChannel('varve') : null;
tabs?.addEventListener('message', ({data: {kind, chat}}) => {
    for (const session of open.values()) {
        if (!chat || session.chat.id === chat) {
            session.receive(kind);
        }
    }
});

/** @param {?string} chat id of one, or null for all */
function notifyTabs(kind, chat) {
    tabs?.postMessage({kind, chat});
}

/** Session of a chat; the same object as long as a response is generated. */
export async function openSession(id, store, server) {
    if (!open.get(id)?.isRunning) {
        const chat = await store.chat(id);
        if (!chat) {
            return null;
        }
        const session = new Session(store, server, chat, await store.messages(id), true);
        open.set(id, session);
        session.settle().catch(() => {
            // Another tab resumed it first, and notifies this one.
        });
    }
    return open.get(id);
}

/** A chat that is stored with its first message, with the settings of new chats. */
export function newSession(store, server, settings) {
    const now = Date.now();
    const chat = {
        id: newId(),
        title: 'New chat',
        created: now,
        updated: now,
        settings: {...DEFAULTS, ...settings},
    };
    const session = new Session(store, server, chat, [], false);
    open.set(chat.id, session);
    return session;
}

/** Removes a chat, or all, also if other tabs have it open. */
export async function removeSessions(store, id) {
    notifyTabs('stop', id);
    const sessions = [...open.values()].filter(session => !id || session.chat.id === id);
    await Promise.all(sessions.map(session => session.stop()));
    await (id ? store.removeChat(id) : store.removeAll());
    sessions.forEach(session => open.delete(session.chat.id));
    notifyTabs('removed', id);
}

/** Failure of an action, with a message for the user. */
class Refusal extends Error {}

class Session {
    #store;
    #server;
    #answer = null;
    #listener = null;
    /** The messages of all branches, in the order in which they were added. */
    #all = [];
    #ended = Promise.resolve();
    /** Whether another tab generates the response. */
    #waits = false;
    #isKept;
    /** Whether the store lacks changes of this tab, since it was full or closed. */
    #isBehind = false;

    constructor(store, server, chat, messages, isKept) {
        this.#store = store;
        this.#server = server;
        this.#isKept = isKept;
        this.#take(chat, messages);
    }

    #take(chat, messages) {
        this.chat = {...chat, title: String(chat.title ?? ''), settings: {...DEFAULTS, ...chat.settings}};
        this.#all = withParents(messages.map(wellFormed));
        this.messages = path(this.#all, chat.leaf);
        // The leaf of a chat of an older page is unknown: messages that are added later would become it.
        this.chat.leaf = this.messages.at(-1)?.order;
    }

    /** The messages of all branches. */
    get allMessages() {
        return this.#all;
    }

    /** The versions of a message, the oldest first: edited questions or regenerated responses. */
    versions(message) {
        return versions(this.#all, message);
    }

    get isRunning() {
        return this.#answer !== null || this.#waits;
    }

    /**
     * Sets or removes the listener.
     *
     * @param {?object} listener with added(message), cut(order), extended(messages), changed(),
     *     state(), replaced(), removed(), unkept(error)
     */
    set listener(listener) {
        this.#listener = listener;
    }

    /** Notifies the listener. If it fails, the response continues and is stored. */
    #notify(name, ...what) {
        try {
            this.#listener?.[name](...what);
        } catch (error) {
            reportError(error);
        }
    }

    /** Handles a message from another tab. */
    async receive(kind) {
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
                if (this.#listener && !this.isRunning && !this.#isBehind) {
                    await this.#reload();
                }
        }
    }

    /** Loads what another tab stored. */
    async #reload() {
        const [chat, messages] =
            await Promise.all([this.#store.chat(this.chat.id), this.#store.messages(this.chat.id)]);
        if (!chat || this.isRunning) {
            return;
        }
        this.#take(chat, messages);
        this.#notify('replaced');
        await this.settle().catch(() => {
            // A third tab changed it first.
        });
    }

    /** Resumes a response that was being generated when the page was closed. */
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

    /** Sends a message with the texts of attached files. */
    async send(content, files = []) {
        await this.#alone(async () => {
            await this.#reply([{role: 'user', content, files}]);
        });
    }

    /** Sends the results of the last response's tool calls. */
    async sendToolResults(message, results) {
        await this.#alone(async () => {
            await this.#reply(this.#own(message).calls.map(({id, name}, index) =>
                ({role: 'tool', call: id, name, content: results[index]})));
        });
    }

    /** Continues an incomplete response. */
    async resume(message) {
        await this.#alone(async () => {
            const own = this.#own(message);
            const body = request(this.messages, this.chat.settings);
            delete own.stream;
            own.finish = null;
            own.facts = {};
            await this.#run(own, answer => answer.ask(body));
        });
    }

    /** Generates another version of a response. */
    async regenerate(message) {
        await this.stop();
        await this.#alone(() => this.#reply([], this.#own(message)));
    }

    /** Sends another version of a message of the user. */
    async ask(message, content) {
        await this.stop();
        await this.#alone(async () => {
            const own = this.#own(message);
            await this.#reply([{role: 'user', content, files: own.files}], own);
        });
    }

    /** Changes the text of a response; the earlier text becomes a version beside it. */
    async rewrite(message, content) {
        if (content === message.content) {
            return;
        }
        const change = async () => {
            const own = this.#own(message);
            const {began, stream, waits, ...earlier} = own;
            const copy = {...earlier, id: newId(), order: this.#nextOrder};
            this.#all.push(copy);
            message.content = content;
            own.content = content;
            await this.#keep(own);
            await this.#keep(copy);
            notifyTabs('changed', this.chat.id);
        };
        await (this.#answer ? change() : this.#alone(change));
    }

    /** Shows another version of a message, with the newest messages that follow from it. */
    async select(message) {
        if (this.isRunning) {
            throw new Refusal('Wait for the end of the response, or stop it.');
        }
        this.chat.leaf = newestLeaf(this.#all, message);
        const shown = path(this.#all, this.chat.leaf);
        const from = shown.findIndex((each, index) => each !== this.messages[index]);
        if (from < 0) {
            return;
        }
        this.#notify('cut', this.messages[from].order);
        this.messages = shown;
        this.#notify('extended', shown.slice(from));
        await this.saveSettings();
        notifyTabs('changed', this.chat.id);
    }

    /** Cancels the running response, of this tab or another one. */
    async stop() {
        if (this.#waits) {
            notifyTabs('stop', this.chat.id);
            await Promise.race([this.#ended, new Promise(resolve => setTimeout(resolve, LEAVE_MILLIS))]);
            return;
        }
        await this.#answer?.stop();
        await this.#ended;
    }

    /** Stores the settings of a stored chat. */
    async saveSettings() {
        if (this.#isKept) {
            await this.#store.putChat(this.chat).catch(error => this.#notify('unkept', error));
        }
    }

    /** The current object of a message: another tab may have replaced the messages around it. */
    #own(message) {
        const own = this.messages.find(each => each.id === message.id);
        if (!own) {
            throw new Refusal('This message was removed in another tab.');
        }
        return own;
    }

    /**
     * Adds messages and generates the response to them.
     *
     * @param {object[]} added
     * @param {?object} left message at which the path ends before, or null: at its end
     * @throws {Error} if the request cannot be made; then nothing has changed
     */
    async #reply(added, left = null) {
        const before = this.messages.filter(each => !left || each.order < left.order);
        const body = request([...before, ...added], this.chat.settings);
        if (left) {
            await this.#leave(left);
        }
        if (before.length === 0) {
            this.chat.title = title(added[0].content || added[0].files[0]?.name || '');
        }
        for (const each of added) {
            await this.#add(each);
        }
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
        notifyTabs('changed', this.chat.id);
    }

    get #lock() {
        return `varve-${this.chat.id}`;
    }

    /** Runs an action on the stored state while no other tab writes to this chat. */
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
        // Callers that wait for the end ignore its reason.
        this.#ended = done.catch(() => {});
        if (!await done) {
            throw new Refusal('Another tab writes a response in this conversation.');
        }
    }

    /** Takes what another tab stored, unless this one would lose its messages. */
    async #refresh() {
        if (this.#isBehind) {
            return;
        }
        const last = await this.#store.lastMessage(this.chat.id).catch(() => undefined);
        if (last && last.id !== this.#all.at(-1)?.id) {
            this.#take(await this.#store.chat(this.chat.id) ?? this.chat,
                await this.#store.messages(this.chat.id));
            this.#notify('replaced');
        }
    }

    /** Only one tab reads a response: the server sends it to the last client that resumes it. */
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
                announce(errorText(message.error));
                break;
            default:
        }
    }

    async #add(fields) {
        const message = {
            id: newId(),
            chat: this.chat.id,
            order: this.#nextOrder,
            parent: this.messages.at(-1)?.order ?? ROOT,
            ...fields,
        };
        this.#all.push(message);
        this.messages.push(message);
        this.chat.leaf = message.order;
        this.#notify('added', message);
        await this.#keep(message);
        notifyTabs('changed', this.chat.id);
        return message;
    }

    get #nextOrder() {
        return (this.#all.at(-1)?.order ?? -1) + 1;
    }

    /** Ends the path before a message. An empty response, such as a failed one, is not worth keeping. */
    async #leave({order, content, reasoning, calls}) {
        this.messages = this.messages.filter(each => each.order < order);
        this.#notify('cut', order);
        const isEmpty = content === '' && reasoning === '' && calls.length === 0;
        if (isEmpty && !this.#all.some(each => each.parent === order)) {
            this.#all = this.#all.filter(each => each.order !== order);
            await this.#store.remove(this.chat.id, order).catch(error => {
                this.#isBehind = true;
                this.#notify('unkept', error);
            });
        }
    }

    async #keep(message) {
        this.chat.updated = Date.now();
        try {
            // A chat that another tab removed is not stored again when its response ends later.
            if (await this.#store.put(this.chat, message, !this.#isKept)) {
                this.#isKept = true;
            }
            if (this.#isBehind) {
                await this.#store.putAll(this.chat, this.#all);
                this.#isBehind = false;
            }
        } catch (error) {
            // The browser's store is full or closed: the chat continues, and is lost with the page.
            this.#isBehind = true;
            this.#notify('unkept', error);
        }
    }
}
