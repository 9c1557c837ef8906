// Element of a message.

import {h, icon, show} from '../dom.js';
import {count} from '../format.js';
import {canContinue} from './conversation.js';
import * as facts from './facts.js';
import {copyButton, GrowingText} from './markdown.js';
import {ending, errorText} from './words.js';

const ROLE_LABELS = {user: 'You', assistant: 'Response', tool: 'Result of a tool'};

/** Time after which the elapsed time is shown. */
const SLOW_MILLIS = 2000;

/**
 * The element of a message. It shows plain text until it is enriched, so that thousands of messages
 * are cheap.
 */
export class MessageView {
    #message;
    #actions;
    #isRich = false;
    #isLast = false;
    #parts = {};
    #growing = null;
    #reasoning = null;
    #isEdited = false;

    /**
     * @param message
     * @param {object} actions functions of its buttons, called with this view's message: edit,
     *     regenerate, resume, sendToolResults, versions, select
     */
    constructor(message, actions) {
        this.#message = message;
        this.#actions = actions;
        this.element = h(`article.message.${message.role}`, {
            'aria-label': message.role === 'tool' ? `Result of ${message.name}`
                : ROLE_LABELS[message.role],
        }, h('div.text.plain', {dir: 'auto'}, message.content));
        // The list finds this view when its element becomes visible.
        this.element.view = this;
    }

    get isRich() {
        return this.#isRich;
    }

    get message() {
        return this.#message;
    }

    /** Creates all parts of the message, once. */
    enrich() {
        if (this.#isRich) {
            return;
        }
        this.#isRich = true;
        switch (this.#message.role) {
            case 'user':
                this.#enrichQuestion();
                break;
            case 'tool':
                this.#enrichResult();
                break;
            default:
                this.#enrichAnswer();
        }
    }

    /** Shows changes of the message. */
    update({isLast = false} = {}) {
        this.#isLast = isLast;
        if (this.#isRich && this.#message.role !== 'tool' && !this.#isEdited) {
            this.#showVersions();
        }
        // While the message is edited, its parts are detached.
        if (!this.#isRich || this.#isEdited || this.#message.role !== 'assistant') {
            return;
        }
        const message = this.#message;
        const running = message.state === 'running';
        this.element.setAttribute('aria-busy', running);
        this.#showReasoning(running);
        if (running) {
            this.#growing.setText(message.content);
        } else {
            this.#growing.whole(message.content);
        }
        show(this.#parts.text, message.content !== '');
        this.#showWaiting(running);
        this.#showCalls(isLast);
        this.#showEnd(running, isLast);
    }

    #enrichQuestion() {
        this.element.replaceChildren(
            ...this.#message.files.map(fileFold),
            ...this.#message.content === '' ? [] : [h('div.bubble', {dir: 'auto'}, this.#message.content)],
            h('div.actions', {},
                h('span.versions', {hidden: true}),
                copyButton(() => this.#message.content, 'Copy message'),
                this.#button('edit', 'Edit message', () => this.#edit())));
    }

    /** Buttons that show the versions before and after this one, if there are several. */
    #showVersions() {
        const place = this.element.querySelector('.versions');
        const all = this.#actions.versions(this.#message);
        const at = all.findIndex(each => each.id === this.#message.id);
        const words = `${at + 1}/${all.length}`;
        show(place, all.length > 1);
        if (all.length < 2 || place.dataset.shown === words) {
            return;
        }
        place.dataset.shown = words;
        const button = (name, label, version) => h('button.quiet.small', {
            type: 'button', title: label, 'aria-label': label, disabled: !version,
            onclick: () => this.#actions.select(version, label),
        }, icon(name));
        place.replaceChildren(
            button('before', 'Previous version', all[at - 1]),
            h('span', {role: 'img', 'aria-label': `Version ${at + 1} of ${all.length}`}, words),
            button('after', 'Next version', all[at + 1]));
    }

    #enrichResult() {
        this.element.replaceChildren(h('details.folded', {},
            h('summary', {}, icon('tool'), h('span', {}, `Result of ${this.#message.name}`)),
            h('pre', {tabindex: '0'}, this.#message.content)));
    }

    #enrichAnswer() {
        const text = h('div.text.rich');
        this.#growing = new GrowingText(text);
        const reasoning = h('div.text.rich');
        this.#reasoning = new GrowingText(reasoning);
        this.#parts = {
            text,
            thoughts: h('details.folded.thoughts', {hidden: true},
                h('summary', {}, icon('thought'), h('span', {}, 'Reasoning')),
                reasoning),
            waits: h('p.waits', {hidden: true}, h('span.dots', {'aria-hidden': 'true'}),
                h('span', {}, 'Computing the prompt…')),
            calls: h('div.calls'),
            error: h('div.error', {hidden: true}),
            facts: h('details.facts', {hidden: true}, h('summary'), h('div')),
            versions: h('span.versions', {hidden: true}),
            actions: h('div.actions'),
        };
        const {waits, calls, error, actions} = this.#parts;
        this.#parts.facts.addEventListener('toggle', () => this.#fillFacts());
        this.#parts.thoughts.addEventListener('toggle', () => this.#showReasoning(false));
        this.element.replaceChildren(this.#parts.thoughts, waits, text, calls, error,
            h('div.end', {}, this.#parts.facts, h('div.start', {}, this.#parts.versions, actions)));
        this.update();
    }

    #showReasoning(running) {
        const {thoughts} = this.#parts;
        show(thoughts, Boolean(this.#message.reasoning));
        const thinking = running && this.#message.content === '' && this.#message.calls.length === 0;
        const words = thinking ? 'Reasoning…' : 'Reasoning';
        const label = thoughts.querySelector('summary span:last-child');
        if (label.textContent !== words) {
            label.textContent = words;
        }
        // The content is created when it is unfolded.
        if (thoughts.open) {
            this.#reasoning.setText(this.#message.reasoning);
        }
    }

    #showWaiting(running) {
        const {message} = this;
        const silent = message.content === '' && message.calls.length === 0 && !message.reasoning;
        show(this.#parts.waits, running && (silent || Boolean(message.waits)));
        if (running) {
            const millis = Date.now() - message.began;
            const time = millis > SLOW_MILLIS ? ` ${Math.floor(millis / 1000)} s` : '';
            this.#parts.waits.lastChild.textContent = (message.waits ?? 'Computing the prompt…') + time;
        }
    }

    #showCalls(isLast) {
        const {calls} = this.#parts;
        const {message} = this;
        while (calls.children.length > message.calls.length) {
            calls.lastChild.remove();
        }
        message.calls.forEach((call, index) => {
            const card = calls.children[index] ?? calls.appendChild(h('div.call', {},
                h('div.call-name', {}, icon('tool'), h('span')),
                h('pre', {tabindex: '0', role: 'region', 'aria-label': 'Arguments'})));
            card.querySelector('span:last-child').textContent = `Calls ${call.name}`;
            card.querySelector('pre').textContent = pretty(call.arguments);
        });
        const asked = isLast && message.state === 'done' && message.calls.length > 0;
        const form = this.element.querySelector('form.results');
        if (asked && !form) {
            calls.after(this.#resultForm());
        } else if (!asked) {
            form?.remove();
        }
    }

    #resultForm() {
        const {message} = this;
        const fields = message.calls.map((call, index) => h('textarea', {
            rows: '2',
            id: `result-${message.order}-${index}`,
            placeholder: 'Result of the tool',
        }));
        return h('form.results', {
            onsubmit: event => {
                event.preventDefault();
                this.#actions.sendToolResults(message, fields.map(field => field.value));
            },
        },
        message.calls.map((call, index) => [
            h('label', {for: fields[index].id}, `Result of ${call.name}`),
            fields[index],
        ]),
        h('button.button', {type: 'submit'}, message.calls.length > 1 ? 'Send results' : 'Send result'));
    }

    #showEnd(running, isLast) {
        const {message} = this;
        const {error, actions} = this.#parts;
        show(error, message.state === 'broken');
        if (message.state === 'broken') {
            error.replaceChildren(icon('warning'), h('span', {}, errorText(message.error)),
                h('button.button.danger', {
                    type: 'button',
                    onclick: () => this.#actions.regenerate(message),
                }, 'Try again'));
        }
        const words = [ending(message), facts.line(message)].filter(part => part).join(' · ');
        show(this.#parts.facts, words !== '');
        this.#parts.facts.querySelector('summary').textContent = words;
        this.#fillFacts();
        const state = `${message.state} ${isLast}`;
        if (actions.dataset.state === state) {
            return;
        }
        actions.dataset.state = state;
        actions.replaceChildren(...running ? [] : [
            ...message.content === '' ? [] : [
                copyButton(() => message.content, 'Copy response'),
                this.#button('edit', 'Edit response', () => this.#edit()),
            ],
            this.#button('again', 'Regenerate', () => this.#actions.regenerate(message)),
            isLast && canContinue(message)
                ? this.#button('continue', 'Continue', () => this.#actions.resume(message), true)
                : null,
        ].filter(Boolean));
    }

    #fillFacts() {
        const {facts: fold} = this.#parts;
        if (fold.open) {
            fold.lastChild.replaceChildren(facts.table(this.#message));
        }
    }

    #button(name, label, onclick, isWorded = false) {
        return h('button.quiet.small', {type: 'button', title: label, 'aria-label': label, onclick},
            icon(name), isWorded ? h('span', {}, label) : null);
    }

    #edit() {
        const {message} = this;
        const field = h('textarea.edit', {dir: 'auto', value: message.content, 'aria-label': 'Edited message'});
        const before = [...this.element.childNodes];
        const close = () => {
            this.#isEdited = false;
            this.element.replaceChildren(...before);
            this.update({isLast: this.#isLast});
            this.element.querySelector('[aria-label^="Edit"]')?.focus();
        };
        let sent = false;
        const send = async () => {
            if (sent) {
                return;
            }
            sent = true;
            try {
                if (await this.#actions.edit(message, field.value)) {
                    close();
                }
            } finally {
                sent = false;
            }
        };
        const form = h('form.editing', {
            onsubmit: event => {
                event.preventDefault();
                send();
            },
            onkeydown: event => {
                if (event.key === 'Escape') {
                    event.stopPropagation();
                    close();
                } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
                    event.preventDefault();
                    send();
                }
            },
        },
        field,
        h('div.editing-end', {},
            h('button.button', {type: 'button', onclick: close}, 'Cancel'),
            h('button.button.primary', {type: 'submit'}, message.role === 'user' ? 'Send' : 'Save')));
        this.#isEdited = true;
        this.element.replaceChildren(form);
        field.rows = Math.min(16, Math.max(3, message.content.split('\n').length + 1));
        field.focus();
    }
}

/** An attached file, whose text is shown when it is unfolded. */
function fileFold({name, text, pages, image}) {
    if (image) {
        return h('img.picture', {src: image, alt: name, title: name, loading: 'lazy', decoding: 'async'});
    }
    const content = h('pre', {tabindex: '0', role: 'region', 'aria-label': `Text of ${name}`});
    const size = [pages ? counted(pages, 'page') : null, counted(text.length, 'character')].filter(Boolean).join(', ');
    return h('details.folded.file', {
        ontoggle: () => {
            content.textContent = text;
        },
    }, h('summary', {}, icon('file'), h('span', {dir: 'auto'}, name), h('span.muted', {}, size)), content);
}

function counted(number, name) {
    return number === 1 ? `1 ${name}` : `${count(number)} ${name}s`;
}

/** Arguments of a call, formatted; unchanged while they are incomplete. */
function pretty(text) {
    try {
        return JSON.stringify(JSON.parse(text), null, 2);
    } catch {
        return text;
    }
}
