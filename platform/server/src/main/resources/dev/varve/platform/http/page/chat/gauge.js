// Gauge of the context: how many of its tokens the conversation occupies.

import {h} from '../dom.js';
import {count, percent} from '../format.js';

const SVG = 'http://www.w3.org/2000/svg';
/** Share of the context from which the gauge warns. */
const NEARLY_FULL = 0.85;

export class Gauge {
    #arc;
    #words = h('span.wide-only');
    #percent = h('span.narrow-only');

    constructor() {
        this.#arc = circle('gauge-arc', {pathLength: 100, 'stroke-dasharray': '0 100', transform: 'rotate(-90 10 10)'});
        const ring = document.createElementNS(SVG, 'svg');
        ring.setAttribute('viewBox', '0 0 20 20');
        ring.setAttribute('aria-hidden', 'true');
        ring.append(circle('gauge-ring', {}), this.#arc);
        this.element = h('div.gauge', {
            role: 'meter', 'aria-label': 'Context used', 'aria-valuemin': '0', hidden: true,
        }, ring, this.#words, this.#percent);
    }

    /**
     * Shows tokens of a context; hides the gauge if one is unknown.
     *
     * @param {number} used
     * @param {number|undefined} length tokens of the context
     */
    update(used, length) {
        this.element.hidden = !(used > 0 && length > 0);
        if (this.element.hidden) {
            return;
        }
        const share = Math.min(1, used / length);
        const words = `${count(used)} of ${count(length)} tokens`;
        this.#arc.setAttribute('stroke-dasharray', `${(100 * share).toFixed(1)} 100`);
        this.element.classList.toggle('nearly-full', share > NEARLY_FULL);
        this.element.title = `The conversation occupies ${words} of the context`;
        this.element.setAttribute('aria-valuemax', String(length));
        this.element.setAttribute('aria-valuenow', String(Math.min(used, length)));
        this.element.setAttribute('aria-valuetext', words);
        this.#words.textContent = words;
        this.#percent.textContent = percent(share);
    }
}

function circle(name, attributes) {
    const made = document.createElementNS(SVG, 'circle');
    for (const [key, value] of Object.entries({class: name, cx: 10, cy: 10, r: 7.5, ...attributes})) {
        made.setAttribute(key, String(value));
    }
    return made;
}
