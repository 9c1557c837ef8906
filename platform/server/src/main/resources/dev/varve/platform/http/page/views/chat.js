// View of conversations.

import {announce, h, icon, show} from '../dom.js';
import {Composer} from '../chat/composer.js';
import {confirmed} from '../chat/confirm.js';
import {asJson, asMarkdown, fileName, save} from '../chat/exports.js';
import {History} from '../chat/history.js';
import {MessageList} from '../chat/list.js';
import {newSession, openSession, removeSessions} from '../chat/session.js';
import {openSettings} from '../chat/settings.js';
import {openStore} from '../chat/store.js';
import {errorText} from '../chat/words.js';

const SETTINGS = 'varve.settings';
const LOADING_MILLIS = 2000;

let view = null;

export function mount(element, server) {
    view = new ChatView(element, server);
    return view.begin();
}

export function unmount() {
    view.close();
    view = null;
}

/** The store, which the view keeps when it is shown again. */
let opened = null;

/** The unsent text, and the chat that has no message yet. */
let draft = '';
let emptySession = null;

class ChatView {
    #server;
    #store;
    #session = null;
    #models = [];
    #closed = new AbortController();
    #list;
    #composer;
    #history;
    #parts = {};
    #element;
    /** Counts opened chats, so that the result of an earlier one is discarded. */
    #turn = 0;
    /** Resolves once the conversation is loaded: the browser's store is asynchronous. */
    #isReady;
    #ready = new Promise(resolve => {
        this.#isReady = resolve;
    });
    /** Texts that were sent before it was loaded. */
    #early = '';

    constructor(element, server) {
        this.#element = element;
        this.#server = server;
        this.#list = new MessageList({
            edit: (message, content) => this.#edit(message, content),
            regenerate: message => this.#regenerate(message),
            resume: message => this.#does(() => this.#session.resume(message)),
            sendToolResults: (message, results) =>
                this.#does(() => this.#session.sendToolResults(message, results)),
        });
        this.#composer = new Composer(text => this.#send(text), () => this.#session?.stop());
        this.#composer.text = draft;
        this.#history = new History({
            create: () => this.#create(),
            remove: chat => this.#remove(chat),
            removeAll: () => this.#removeAll(),
            close: () => this.#toggleHistory(false),
        });
        this.#build();
    }

    #build() {
        const model = h('select.model', {
            'aria-label': 'Model',
            onchange: () => {
                this.#session.chat.settings.model = model.value;
                this.#saveSettings();
            },
        });
        const welcome = h('div.welcome', {},
            h('h1', {}, 'Start a conversation'),
            h('p', {}, 'The model runs on this server. Your messages go only to this server and stay in'
                + ' this browser.'));
        const trouble = h('div.trouble', {role: 'status', hidden: true});
        this.#parts = {model, welcome, trouble};
        const head = h('div.chat-head', {},
            h('button.quiet.narrow-only', {type: 'button', 'aria-label': 'Conversations', title: 'Conversations',
                'aria-controls': 'history', onclick: () => this.#toggleHistory(true)}, icon('list')),
            model,
            h('span.space'),
            h('button.quiet', {type: 'button', 'aria-label': 'Export as Markdown', title: 'Export as Markdown',
                onclick: () => this.#export('md', 'text/markdown', asMarkdown)}, icon('save'), h('span.wide-only', {}, 'Markdown')),
            h('button.quiet', {type: 'button', 'aria-label': 'Export as JSON', title: 'Export as JSON, with times',
                onclick: () => this.#export('json', 'application/json', asJson)}, icon('braces'), h('span.wide-only', {}, 'JSON')),
            h('button.quiet', {type: 'button', 'aria-label': 'Settings', title: 'Settings',
                onclick: () => this.#openSettings()}, icon('sliders'), h('span.wide-only', {}, 'Settings')));
        this.#element.append(
            this.#history.element,
            h('div.veil', {hidden: true, onclick: () => this.#toggleHistory(false)}),
            h('section.chat', {'aria-label': 'Chat'},
                head,
                h('div.chat-body', {}, welcome, this.#list.element, this.#list.toEnd),
                h('div.chat-foot', {}, trouble, this.#composer.element)));
    }

    async begin() {
        const {signal} = this.#closed;
        addEventListener('hashchange', () => this.#openNamed(), {signal});
        addEventListener('keydown', event => {
            const inSearch = event.target.type === 'search' && event.target.value !== '';
            if (event.key === 'Escape' && !inSearch && !event.isComposing
                    && !document.querySelector('dialog[open]')) {
                if (this.#element.classList.contains('shows-history')) {
                    this.#toggleHistory(false);
                } else {
                    this.#session?.stop();
                }
            }
        }, {signal});
        for (const change of ['varve-back', 'varve-key']) {
            document.addEventListener(change, () => this.#loadModels(), {signal});
        }
        this.#composer.focus();
        // The server and the browser's store are read in parallel.
        const loaded = this.#loadModels();
        opened ??= openStore();
        this.#store = await opened;
        if (signal.aborted) {
            return;
        }
        await this.#openNamed();
        await loaded;
        if (!this.#store.isKept && this.#models.length > 0 && !signal.aborted) {
            this.#say('This browser stores nothing: conversations are lost when the page closes.');
        }
    }

    close() {
        draft = this.#composer.text || this.#early;
        emptySession = this.#session?.messages.length === 0 ? this.#session : null;
        this.#closed.abort();
        if (this.#session) {
            this.#session.listener = null;
        }
        this.#list.close();
    }

    /** Shows the chat that the address names, or a new one. */
    async #openNamed() {
        const named = /^#\/(\w*)(?:\/(\w+))?/.exec(location.hash);
        const [, name, id] = named ?? [];
        // The address is that of another view, or of an element of this one.
        if (name && name !== 'chat' || !named && location.hash !== '') {
            return;
        }
        const turn = ++this.#turn;
        const isEmpty = this.#session?.messages.length === 0;
        if (id ? id === this.#session?.chat.id : isEmpty) {
            return;
        }
        const session = id
            ? await openSession(id, this.#store, this.#server)
            : emptySession ?? newSession(this.#store, this.#server, rememberedSettings());
        if (turn !== this.#turn) {
            return;
        }
        emptySession = null;
        if (!session) {
            this.#say('That conversation is not in this browser.');
            location.replace('#/chat');
            return;
        }
        if (!this.#closed.signal.aborted) {
            await this.#show(session);
        }
    }

    async #show(session) {
        if (this.#session) {
            this.#session.listener = null;
        }
        this.#session = session;
        session.listener = {
            added: message => {
                show(this.#parts.welcome, false);
                this.#list.add(message);
                if (message.role === 'user' && session.messages.length === 1) {
                    history.replaceState(null, '', `#/chat/${session.chat.id}`);
                }
                this.#drawHistory();
            },
            cut: order => this.#list.cut(order),
            changed: () => this.#list.update(),
            replaced: () => {
                this.#list.replace(session.messages);
                show(this.#parts.welcome, session.messages.length === 0);
                this.#drawHistory();
            },
            removed: () => {
                this.#say('This conversation was deleted in another tab.');
                this.#create();
                this.#drawHistory();
            },
            state: () => {
                this.#composer.running = session.isRunning;
                if (!session.isRunning) {
                    this.#list.updateNow();
                }
            },
            unkept: error => this.#say(error.name === 'QuotaExceededError'
                ? 'The browser’s storage is full: this conversation is not saved.'
                : 'The browser’s storage does not respond: this conversation is not saved.'),
        };
        this.#list.replace(session.messages);
        show(this.#parts.welcome, session.messages.length === 0);
        this.#composer.running = session.isRunning;
        this.#toggleHistory(false);
        this.#drawModels();
        this.#isReady();
        await this.#drawHistory();
    }

    async #drawHistory() {
        const chats = await this.#store.chats().catch(() => []);
        this.#history.update(chats, this.#session?.chat.id);
    }

    async #loadModels() {
        try {
            const {data} = await this.#server.json('/v1/models', {signal: this.#closed.signal});
            this.#models = data;
            this.#say('');
            this.#drawModels();
        } catch (error) {
            if (this.#closed.signal.aborted) {
                return;
            }
            this.#say(errorText(error));
            if (error.code === 'model_loading') {
                setTimeout(() => !this.#closed.signal.aborted && this.#loadModels(), LOADING_MILLIS);
            }
        }
    }

    #drawModels() {
        const {model} = this.#parts;
        const settings = this.#session?.chat.settings;
        if (this.#models.length === 0 || !settings) {
            return;
        }
        model.replaceChildren(...this.#models.map(each =>
            h('option', {value: each.id}, each.display_name && each.display_name !== each.id
                ? `${each.display_name} (${each.id})` : each.id)));
        const known = this.#models.some(each => each.id === settings.model);
        settings.model = known ? settings.model : this.#models[0].id;
        model.value = settings.model;
    }

    async #send(text) {
        this.#early = this.#session ? '' : text;
        await this.#ready;
        this.#early = '';
        const session = this.#session;
        const count = session.messages.length;
        const sent = await this.#does(() => {
            announce('The response starts');
            return session.send(text);
        });
        // Keeps the text, since the message was not added.
        if (!sent && session.messages.length === count && this.#composer.text === '') {
            this.#composer.text = text;
        }
    }

    /** Runs an action on the conversation; returns whether it succeeded. */
    async #does(action) {
        this.#say('');
        try {
            await action();
            return true;
        } catch (error) {
            this.#say(error.message);
            return false;
        }
    }

    async #edit(message, content) {
        if (message.role !== 'user') {
            await this.#session.rewrite(message, content);
            return true;
        }
        if (content.trim() !== '' && await this.#mayCut(message.order + 2)) {
            this.#composer.focus();
            await this.#does(() => this.#session.ask(message, content));
        }
        return false;
    }

    async #regenerate(message) {
        if (await this.#mayCut(message.order + 1)) {
            this.#composer.focus();
            await this.#does(() => this.#session.regenerate(message));
        }
    }

    /** Asks whether the messages from an order on may be removed. */
    async #mayCut(order) {
        const lost = this.#session.messages.filter(each => each.order >= order).length;
        return lost === 0 || await confirmed(
            lost === 1 ? 'The message after it will be deleted.' : `The ${lost} messages after it will be deleted.`,
            'Delete');
    }

    #create() {
        this.#toggleHistory(false);
        if (location.hash === '#/chat') {
            this.#openNamed();
        } else {
            location.hash = '#/chat';
        }
        this.#composer.focus();
    }

    async #remove(chat) {
        if (!await confirmed(`Delete “${chat.title}”?`, 'Delete')) {
            return;
        }
        await removeSessions(this.#store, chat.id);
        if (chat.id === this.#session.chat.id) {
            this.#create();
        }
        await this.#drawHistory();
        announce('Conversation deleted');
    }

    async #removeAll() {
        if (!await confirmed('Delete all conversations in this browser?', 'Delete all')) {
            return;
        }
        await removeSessions(this.#store, null);
        this.#create();
        await this.#drawHistory();
        announce('All conversations deleted');
    }

    async #openSettings() {
        await this.#ready;
        const session = this.#session;
        const {model} = session.chat.settings;
        const props = await this.#server
            .json(`/props${model ? `?model=${encodeURIComponent(model)}` : ''}`)
            .catch(() => null);
        if (session !== this.#session || document.querySelector('dialog[open]')) {
            return;
        }
        openSettings(session.chat.settings, props, () => this.#saveSettings());
    }

    #saveSettings() {
        rememberSettings(this.#session.chat.settings);
        this.#session.saveSettings();
    }

    async #export(ending, type, write) {
        await this.#ready;
        const {chat, messages} = this.#session;
        if (messages.length === 0) {
            this.#say('The conversation has no messages to export.');
            return;
        }
        save(fileName(chat, ending), type, write(chat, messages));
    }

    #toggleHistory(shown) {
        const hadFocus = this.#history.element.contains(document.activeElement);
        const opener = this.#element.querySelector('.chat-head .narrow-only');
        this.#element.classList.toggle('shows-history', shown);
        // The content behind it cannot be reached by keyboard.
        this.#element.querySelector('.chat').inert = shown;
        show(this.#element.querySelector('.veil'), shown);
        if (shown) {
            this.#history.element.querySelector('button').focus();
        } else if (hadFocus) {
            opener.focus();
        }
    }

    #say(text) {
        this.#parts.trouble.textContent = text;
        show(this.#parts.trouble, text !== '');
    }
}

/** New chats have the last settings, except those of a single chat. */
function rememberedSettings() {
    try {
        return JSON.parse(localStorage.getItem(SETTINGS)) ?? {};
    } catch {
        return {};
    }
}

function rememberSettings(settings) {
    try {
        localStorage.setItem(SETTINGS, JSON.stringify({...settings, system: '', tools: ''}));
    } catch {
        // New chats begin with the server's own values.
    }
}
