// Common part of the views of the server's state: a heading, the choice of a model, and a request
// that is repeated every second.

import {h, styleSheet} from '../dom.js';
import {badge} from './draw.js';
import {morph} from './morph.js';

const MILLIS = 1000;

/** The model that was chosen last, for all views of a model; empty for the server's first. */
let chosen = '';

export class StatusView {
    #stop = null;
    #models = null;
    #element;
    #server;
    #notice;
    #body;
    #name;
    #offering = false;

    /**
     * @param {string} title
     * @param {string} path requested path, without the model
     * @param {(value: object) => Node[]} draw creates the elements for a response
     * @param {object} [more]
     * @param {Node[]} [more.tools] controls beside the heading
     * @param {boolean} [more.ofAll] whether the view shows all models until one is chosen
     */
    constructor(title, path, draw, {tools = [], ofAll = false} = {}) {
        this.title = title;
        this.path = path;
        this.draw = draw;
        this.tools = tools;
        this.ofAll = ofAll;
        /** The shown model; empty for no particular one. */
        this.model = ofAll ? '' : chosen;
    }

    mount(element, server) {
        styleSheet(new URL('status.css', import.meta.url));
        this.#element = element;
        this.#server = server;
        this.#name = h('div.view-model', {hidden: true});
        this.#notice = h('p.trouble', {role: 'status', hidden: true});
        this.#body = h('div.view-body', {}, h('p.muted', {}, 'Loading…'));
        element.classList.add('status-view');
        element.append(
            h('div.view-head', {}, h('h1', {}, this.title), this.#name, this.tools),
            this.#notice, this.#body);
        document.addEventListener('varve-key', this.#again);
        this.#poll();
        this.#offerModels();
    }

    unmount() {
        document.removeEventListener('varve-key', this.#again);
        this.#stop?.();
        this.#stop = null;
    }

    #again = () => this.refresh();

    /** Draws the last response again. */
    redraw() {
        if (this.value) {
            morph(this.#body, this.draw(this.value));
        }
    }

    /** Sends the request at once. */
    refresh() {
        this.#stop?.();
        this.#poll();
    }

    #poll() {
        const query = this.model ? `?model=${encodeURIComponent(this.model)}` : '';
        // Quiet, so that the user is not asked for a key every second.
        this.#stop = this.#server.poll(this.path + query, MILLIS, value => {
            this.#notice.hidden = true;
            this.value = value;
            this.redraw();
            if (!this.#models) {
                this.#offerModels();
            }
        }, error => {
            if (error.status === 404 && this.model) {
                // The server no longer has this model.
                this.#choose('');
                this.#models = null;
                return;
            }
            this.#showError(error);
        }, {quiet: true});
    }

    #choose(model) {
        this.model = model;
        if (!this.ofAll) {
            chosen = model;
        }
        this.refresh();
    }

    #showError(error) {
        // Updated in place: it is drawn every second, and a pressed button must survive.
        morph(this.#notice, badge('warn', this.#errorText(error)),
            error.status !== 401 ? null : h('button.button', {
                type: 'button',
                onclick: () => this.#server.askKey('api', this.#server.hasKey),
            }, 'Use a key'));
        this.#notice.hidden = false;
    }

    #errorText(error) {
        if (error.status === 401) {
            return this.#server.hasKey ? 'The server does not accept the key.'
                : 'The server requires a key.';
        }
        return error.isGone ? 'The server does not respond; the values are old.' : error.message;
    }

    /** Choice of one model, or all, if the server has several. */
    async #offerModels() {
        if (this.#offering) {
            return;
        }
        this.#offering = true;
        try {
            this.#models = (await this.#server.json('/v1/models')).data;
            this.#drawModels();
        } catch {
            // Requested again as soon as the server responds.
        } finally {
            this.#offering = false;
        }
    }

    #drawModels() {
        const select = h('select', {id: 'view-model', onchange: () => this.#choose(select.value)},
            this.ofAll ? h('option', {value: ''}, 'All models') : null,
            this.#models.map(({id}) => h('option', {value: id, selected: id === this.model}, id)));
        this.#name.replaceChildren(h('label', {for: 'view-model'}, 'Model'), select);
        this.#name.hidden = this.#models.length < 2;
    }
}

/** Elements for a model that is not loaded; null if it is loaded. */
export function notLoaded(status) {
    if (status.load) {
        return null;
    }
    return [h('div.card', {}, h('p', {}, badge('plain', `${status.model} is not loaded`)),
        h('p.muted', {}, status.reason ?? 'The first request for this model loads it.'))];
}

/** A card with a heading. */
export function card(title, ...children) {
    return h('section.card', {dataset: {key: title}}, h('h2', {}, title), ...children);
}

/** Row of names and values. */
export function figures(pairs) {
    return h('dl.figures', {}, pairs.map(([name, value, note]) => h('div', {},
        h('dt', {}, name), h('dd', {}, value), note ? h('dd.note', {}, note) : null)));
}
