// List of the stored conversations.

import {announce, h, icon, show} from '../dom.js';
import {wait} from '../server.js';

/** Time after the last key before messages are read. */
const PAUSE_MILLIS = 200;

export class History {
    #actions;
    #chats = [];
    #current = null;
    #list;
    #search;
    #none;
    /** Texts around the words that were found in messages, by chat. */
    #found = new Map();
    #searching = new AbortController();

    /**
     * @param {object} actions create(), remove(chat), removeAll(), close(), and
     *     find(words, signal), which returns a promise of texts by chat
     */
    constructor(actions) {
        this.#actions = actions;
        this.#search = h('input', {
            type: 'search',
            id: 'history-search',
            placeholder: 'Search conversations',
            'aria-label': 'Search conversations',
            oninput: () => this.#find(),
        });
        this.#list = h('ul.chats');
        this.#none = h('p.muted.small-text', {}, 'Conversations are stored in this browser only.');
        this.element = h('aside.history', {'aria-label': 'Conversations', id: 'history'},
            h('div.history-head', {},
                h('button.button', {type: 'button', onclick: actions.create},
                    icon('plus'), 'New chat'),
                h('button.quiet.narrow-only', {type: 'button', 'aria-label': 'Close conversations',
                    onclick: actions.close}, icon('cross'))),
            this.#search,
            this.#list,
            h('div.history-end', {},
                this.#none,
                h('button.quiet.danger-text', {type: 'button', onclick: actions.removeAll},
                    icon('bin'), 'Delete all')));
    }

    update(chats, current) {
        this.#chats = chats;
        this.#current = current;
        this.#draw();
    }

    /** Focuses the search. */
    focusSearch() {
        this.#search.focus();
        this.#search.select();
    }

    /** Ends a search. */
    close() {
        this.#searching.abort();
    }

    /** Searches the titles at once, and the messages when the user pauses. */
    async #find() {
        this.close();
        this.#searching = new AbortController();
        const {signal} = this.#searching;
        this.#found = new Map();
        this.#draw();
        const words = this.#search.value.trim().toLowerCase();
        if (words === '') {
            return;
        }
        await wait(PAUSE_MILLIS, signal);
        const found = signal.aborted ? null : await this.#actions.find(words, signal);
        if (!signal.aborted) {
            this.#found = found;
            this.#draw();
            const count = this.#list.children.length;
            announce(count === 1 ? '1 conversation found' : `${count} conversations found`);
        }
    }

    #draw() {
        const words = this.#search.value.trim().toLowerCase();
        const found = this.#found;
        show(this.#search, this.#chats.length > 0);
        show(this.element.querySelector('.danger-text'), this.#chats.length > 0);
        this.#list.replaceChildren(...this.#chats
            .filter(chat => found.has(chat.id) || String(chat.title ?? '').toLowerCase().includes(words))
            .map(chat => h('li', {},
                h('a.chat-link', {
                    dir: 'auto',
                    href: `#/chat/${chat.id}`,
                    title: chat.title,
                    'aria-current': chat.id === this.#current ? 'true' : null,
                }, h('span.chat-title', {}, chat.title || 'New chat'),
                found.has(chat.id) ? h('span.chat-found', {}, found.get(chat.id)) : null),
                h('button.quiet.small', {
                    type: 'button',
                    'aria-label': `Delete “${chat.title}”`,
                    title: 'Delete',
                    onclick: () => this.#actions.remove(chat),
                }, icon('bin')))));
    }
}
