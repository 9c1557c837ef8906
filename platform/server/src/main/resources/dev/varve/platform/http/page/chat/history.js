// List of the stored conversations.

import {h, icon, show} from '../dom.js';

export class History {
    #actions;
    #chats = [];
    #current = null;
    #list;
    #search;
    #none;

    /** @param {object} actions create(), open(id), remove(chat), removeAll(), close() */
    constructor(actions) {
        this.#actions = actions;
        this.#search = h('input', {
            type: 'search',
            id: 'history-search',
            placeholder: 'Search titles',
            'aria-label': 'Search titles',
            oninput: () => this.#draw(),
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

    #draw() {
        const words = this.#search.value.trim().toLowerCase();
        show(this.#search, this.#chats.length > 5);
        show(this.element.querySelector('.danger-text'), this.#chats.length > 0);
        this.#list.replaceChildren(...this.#chats
            .filter(chat => String(chat.title ?? '').toLowerCase().includes(words))
            .map(chat => h('li', {},
                h('a.chat-link', {
                    dir: 'auto',
                    href: `#/chat/${chat.id}`,
                    title: chat.title,
                    'aria-current': chat.id === this.#current ? 'true' : null,
                }, chat.title || 'New chat'),
                h('button.quiet.small', {
                    type: 'button',
                    'aria-label': `Delete “${chat.title}”`,
                    title: 'Delete',
                    onclick: () => this.#actions.remove(chat),
                }, icon('bin')))));
    }
}
