// What the views of the server's state have in common: a heading, the choice of a model, and a
// question that is asked again every second.

import {h, styleSheet} from '../dom.js';
import {badge} from './draw.js';
import {morph} from './morph.js';

const MILLIS = 1000;

/** The model that was chosen last, for all views. */
let chosen = null;

export class StatusView {
    #stop = null;
    #models = null;
    #element;
    #server;
    #notice;
    #body;
    #name;

    /**
     * @param {string} title
     * @param {string} path that is asked, without the model
     * @param {(value: object) => Node[]} draw what is shown of an answer
     * @param {Node[]} [tools] that stand beside the heading
     */
    constructor(title, path, draw, tools = []) {
        this.title = title;
        this.path = path;
        this.draw = draw;
        this.tools = tools;
    }

    mount(element, server) {
        styleSheet(new URL('status.css', import.meta.url));
        this.#element = element;
        this.#server = server;
        this.#name = h('div.view-model', {hidden: true});
        this.#notice = h('p.trouble', {role: 'status', hidden: true});
        this.#body = h('div.view-body', {}, h('p.muted', {}, 'Asking the server…'));
        element.classList.add('status-view');
        element.append(
            h('div.view-head', {}, h('h1', {}, this.title), this.#name, this.tools),
            this.#notice, this.#body);
        this.#poll();
        this.#offerModels();
    }

    unmount() {
        this.#stop?.();
        this.#stop = null;
    }

    /** Draws the last answer again. */
    redraw() {
        if (this.value) {
            morph(this.#body, this.draw(this.value));
        }
    }

    /** Asks at once. */
    refresh() {
        this.#stop?.();
        this.#poll();
    }

    #poll() {
        const query = chosen ? `?model=${encodeURIComponent(chosen)}` : '';
        this.#stop = this.#server.poll(this.path + query, MILLIS, value => {
            this.#notice.hidden = true;
            this.value = value;
            this.redraw();
        }, error => {
            if (error.status === 404 && chosen) {
                // It is not served any more.
                chosen = null;
                this.refresh();
                return;
            }
            this.#notice.replaceChildren(badge('warn', error.isGone
                ? 'The server does not answer; what is shown is old.'
                : error.message));
            this.#notice.hidden = false;
        });
    }

    /** Where several models are served, one of them is looked at. */
    async #offerModels() {
        try {
            this.#models = (await this.#server.json('/v1/models', {quiet: true})).data;
        } catch {
            return;
        }
        if (this.#models.length < 2) {
            return;
        }
        const select = h('select', {
            id: 'view-model',
            onchange: event => {
                chosen = event.target.value;
                this.refresh();
            },
        }, this.#models.map(({id}) => h('option', {value: id, selected: id === chosen}, id)));
        this.#name.replaceChildren(h('label', {for: 'view-model'}, 'Model'), select);
        this.#name.hidden = false;
    }
}

/** What is shown of a model that is not loaded, or null if it is. */
export function notLoaded(status) {
    if (status.load) {
        return null;
    }
    return [h('div.card', {}, h('p', {}, badge('plain', `${status.model} is not loaded`)),
        h('p.muted', {}, status.reason ?? 'It is loaded by the first request that asks for it.'))];
}

/** A card with a heading. */
export function card(title, ...children) {
    return h('section.card', {dataset: {key: title}}, h('h2', {}, title), ...children);
}

/** Names with values, in a row. */
export function figures(pairs) {
    return h('dl.figures', {}, pairs.map(([name, value, note]) => h('div', {},
        h('dt', {}, name), h('dd', {}, value), note ? h('dd.note', {}, note) : null)));
}
