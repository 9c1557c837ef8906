// View of conversations.

import {announce, h, icon, show} from '../dom.js';
import {Composer} from '../chat/composer.js';
import {confirmed} from '../chat/confirm.js';
import {hasImages, usedTokens} from '../chat/conversation.js';
import {Gauge} from '../chat/gauge.js';
import {History} from '../chat/history.js';
import {MessageList} from '../chat/list.js';
import {menu} from '../chat/menu.js';
import {keepForNewChats, newChatSettings} from '../chat/presets.js';
import {newSession, openSession, removeSessions} from '../chat/session.js';
import {openStore} from '../chat/store.js';
import {errorText} from '../chat/words.js';
import {openSheet} from '../shortcuts.js';

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

/** The unsent text with its files, and the chat that has no message yet. */
let draft = '';
let draftFiles = [];
let emptySession = null;

function isFull(error) {
    return error.name === 'QuotaExceededError';
}

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
    /** Text that was sent before it was loaded, and its files. */
    #early = '';
    #earlyFiles = [];
    #gauge = new Gauge();
    /** Whether the list of conversations covers the chat. */
    #narrow = matchMedia('(max-width: 820px)');

    constructor(element, server) {
        this.#element = element;
        this.#server = server;
        this.#list = new MessageList({
            edit: (message, content) => this.#edit(message, content),
            regenerate: message => this.#regenerate(message),
            resume: message => this.#does(() => this.#session.resume(message)),
            sendToolResults: (message, results) =>
                this.#does(() => this.#session.sendToolResults(message, results)),
            versions: message => this.#session.versions(message),
            select: (version, label) => this.#select(version, label),
        });
        this.#composer = new Composer((text, files) => this.#send(text, files), () => this.#session?.stop(),
            problem => this.#say(problem));
        this.#composer.text = draft;
        this.#composer.files = draftFiles;
        this.#history = new History({
            create: () => this.#create(),
            remove: chat => this.#remove(chat),
            removeAll: () => this.#removeAll(),
            close: () => this.#toggleHistory(false),
            find: (words, signal) => this.#find(words, signal),
        });
        this.#build();
    }

    #build() {
        const model = h('select.model', {
            'aria-label': 'Model',
            onchange: () => {
                this.#session.chat.settings.model = model.value;
                keepForNewChats({model: model.value});
                this.#session.saveSettings();
                this.#drawModel();
            },
        });
        const welcome = h('div.welcome', {},
            h('h2', {}, 'Start a conversation'),
            h('p', {}, 'The model runs on this server. Your messages go only to this server and stay in'
                + ' this browser.'));
        const trouble = h('div.trouble', {role: 'status', hidden: true});
        const heading = h('h1.unseen', {}, 'Chat');
        const demo = h('p.demo.small-text', {hidden: true},
            'Demo model: a toy that shows how the server works. Most of its responses are wrong.');
        this.#parts = {model, welcome, trouble, heading, demo};
        const picker = h('input', {
            type: 'file', accept: '.json,application/json', hidden: true, tabindex: '-1', 'aria-label': 'Import a conversation',
            onchange: () => {
                this.#import(picker.files[0]);
                picker.value = '';
            },
        });
        const head = h('div.chat-head', {},
            heading,
            h('button.quiet.narrow-only', {type: 'button', 'aria-label': 'Conversations', title: 'Conversations',
                'aria-controls': 'history', onclick: () => this.#toggleHistory(true)}, icon('list')),
            model,
            h('span.space'),
            this.#gauge.element,
            h('button.quiet', {type: 'button', 'aria-label': 'Settings', title: 'Settings',
                onclick: () => this.#openSettings()}, icon('sliders'), h('span.wide-only', {}, 'Settings')),
            menu('More', [
                ['save', 'Export as Markdown', () => this.#export('md', 'text/markdown', 'asMarkdown')],
                ['braces', 'Export as JSON', () => this.#export('json', 'application/json', 'asJson')],
                ['open', 'Import…', () => picker.click()],
                ['keyboard', 'Keyboard shortcuts', openSheet],
            ]),
            picker);
        this.#element.append(
            this.#history.element,
            h('div.veil', {hidden: true, onclick: () => this.#toggleHistory(false)}),
            h('section.chat', {'aria-label': 'Chat', ...this.#dropHandlers()},
                head,
                h('div.chat-body', {}, welcome, this.#list.element, this.#list.toEnd),
                h('div.chat-foot', {}, trouble, this.#composer.element, demo)));
    }

    /** Dropped files are attached; anything else is dropped as the browser does it. */
    #dropHandlers() {
        const hasFiles = event => event.dataTransfer?.types.includes('Files');
        const mark = (event, on) => {
            if (hasFiles(event)) {
                event.preventDefault();
                this.#element.classList.toggle('drops', on);
            }
        };
        return {
            ondragover: event => mark(event, true),
            ondragleave: event => mark(event, event.currentTarget.contains(event.relatedTarget)),
            ondrop: event => {
                mark(event, false);
                if (hasFiles(event)) {
                    this.#composer.attach(event.dataTransfer.files);
                }
            },
        };
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
        document.addEventListener('varve-shortcut', ({detail}) => this.#act(detail), {signal});
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
        document.dispatchEvent(new Event('varve-chat-shown'));
        await loaded;
        if (!this.#store.isKept && this.#models.length > 0 && !signal.aborted) {
            this.#say('This browser stores nothing: conversations are lost when the page closes.');
        }
    }

    close() {
        draft = this.#composer.text || this.#early;
        draftFiles = this.#composer.files.length > 0 ? this.#composer.files : this.#earlyFiles;
        emptySession = this.#session?.messages.length === 0 ? this.#session : null;
        this.#closed.abort();
        if (this.#session) {
            this.#session.listener = null;
        }
        this.#list.close();
        this.#history.close();
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
            : emptySession ?? newSession(this.#store, this.#server, newChatSettings());
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
            extended: messages => {
                this.#list.extend(messages);
                this.#drawGauge();
            },
            changed: () => {
                this.#list.update();
                this.#drawGauge();
            },
            replaced: () => {
                this.#list.replace(session.messages);
                show(this.#parts.welcome, session.messages.length === 0);
                this.#drawGauge();
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
            unkept: error => this.#say(isFull(error)
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
        this.#parts.heading.textContent = this.#session?.chat.title || 'Chat';
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
        this.#drawModel();
    }

    /** Shows what depends on the selected model. */
    #drawModel() {
        show(this.#parts.demo, /^varve-demo-/.test(this.#parts.model.value));
        const {capabilities} = this.#model ?? {};
        this.#composer.offersImages = capabilities?.includes('vision') ?? false;
        this.#composer.imageProblem = this.#imageProblem;
        this.#drawGauge();
    }

    /** The selected model, if it is known. */
    get #model() {
        return this.#models.find(each => each.id === this.#parts.model.value);
    }

    /** Why the selected model gets no images; empty: it does, or the server does not say. */
    get #imageProblem() {
        const {id, capabilities = ['vision']} = this.#model ?? {};
        return capabilities.includes('vision') ? '' : `${id} reads text only.`;
    }

    #drawGauge() {
        this.#gauge.update(usedTokens(this.#session?.messages ?? []), this.#model?.context_length);
    }

    async #send(text, files) {
        this.#early = this.#session ? '' : text;
        this.#earlyFiles = this.#session ? [] : files;
        await this.#ready;
        this.#early = '';
        this.#earlyFiles = [];
        const session = this.#session;
        const count = session.messages.length;
        const sent = await this.#does(() => {
            this.#requireNoImages([...session.messages, {files}]);
            announce('The response starts');
            return session.send(text, files);
        });
        // Keeps the text, since the message was not added.
        if (!sent && session.messages.length === count && this.#composer.text === '') {
            this.#composer.text = text;
            this.#composer.files = files;
        }
    }

    /** Says before the request that the model cannot read the images of a conversation. */
    #requireNoImages(messages) {
        if (this.#imageProblem && messages.some(hasImages)) {
            throw new Error(`${this.#imageProblem} Choose another model, or remove the images.`);
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
            return this.#does(() => this.#session.rewrite(message, content));
        }
        if (content.trim() !== '' || message.files.length > 0) {
            this.#composer.focus();
            await this.#does(() => {
                this.#requireNoImages([...this.#session.messages, message]);
                return this.#session.ask(message, content);
            });
        }
        return false;
    }

    async #regenerate(message) {
        this.#composer.focus();
        await this.#does(() => {
            this.#requireNoImages(this.#session.messages);
            return this.#session.regenerate(message);
        });
    }

    /** Shows another version of a message; the focus stays on the same button. */
    async #select(version, label) {
        if (await this.#does(() => this.#session.select(version))) {
            const element = this.#list.elementOf(version);
            const buttons = [...element?.querySelectorAll('.versions button') ?? []];
            (buttons.find(each => each.title === label && !each.disabled)
                ?? buttons.find(each => !each.disabled))?.focus();
            announce(element?.querySelector('.versions span')?.ariaLabel ?? '');
        }
    }

    /** Performs a keyboard shortcut. */
    async #act(action) {
        const {messages} = this.#session ?? {messages: []};
        const press = (role, label) => [...this.#element.querySelectorAll(`.message.${role}`)].at(-1)
            ?.querySelector(`button[aria-label="${label}"]`)?.click();
        switch (action) {
            case 'focus': return this.#composer.focus();
            case 'new': return this.#create();
            case 'settings': return this.#openSettings();
            case 'search':
                this.#toggleHistory(this.#narrow.matches);
                return this.#history.focusSearch();
            case 'copy': return press('assistant', 'Copy response');
            case 'edit': return press('user', 'Edit message');
            case 'regenerate': {
                const last = messages.findLast(message => message.role === 'assistant');
                return last && this.#regenerate(last);
            }
            case 'previous':
            case 'next': {
                const message = messages.findLast(each => this.#session.versions(each).length > 1);
                const all = message ? this.#session.versions(message) : [];
                const version = all[all.indexOf(message) + (action === 'next' ? 1 : -1)];
                return version && this.#select(version, action === 'next' ? 'Next version' : 'Previous version');
            }
            default: return undefined;
        }
    }

    async #find(words, signal) {
        const {find} = await import('../chat/find.js');
        return find(this.#store, words, signal).catch(() => new Map());
    }

    /** Stores a conversation from a file, and shows it. */
    async #import(file) {
        await this.#ready;
        this.#say('');
        try {
            const {readChat} = await import('../chat/imports.js');
            const {chat, messages} = await readChat(file);
            await this.#store.putAll(chat, messages);
            await this.#drawHistory();
            location.hash = `#/chat/${chat.id}`;
            announce('Conversation imported');
        } catch (error) {
            this.#say(isFull(error) ? 'The browser’s storage is full.' : error.message);
        }
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
        const [{openSettings}, props] = await Promise.all([
            import('../chat/settings.js'),
            this.#server.json(`/props${model ? `?model=${encodeURIComponent(model)}` : ''}`).catch(() => null),
        ]);
        if (session !== this.#session || document.querySelector('dialog[open]')) {
            return;
        }
        openSettings(session.chat.settings, props, () => session.saveSettings());
    }

    async #export(ending, type, write) {
        await this.#ready;
        const session = this.#session;
        if (session.messages.length === 0) {
            this.#say('The conversation has no messages to export.');
            return;
        }
        const exports = await import('../chat/exports.js');
        exports.save(exports.fileName(session.chat, ending), type, exports[write](session));
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
