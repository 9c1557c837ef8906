// The messages of a conversation. All have an element, so that the browser can search them, but only
// those near what is seen are laid out and made rich.

import {h, icon, show} from '../dom.js';
import {MessageView} from './message.js';

const NEAR = '1200px 0px';
/** So near to the end a reader wants to see what comes, in CSS pixels. */
const END = 60;

export class MessageList {
    #actions;
    #views = [];
    #sees;
    #sizes;
    #follows = true;
    #frame = 0;

    constructor(actions) {
        this.#actions = actions;
        this.inner = h('div.messages');
        this.toEnd = h('button.button.to-end', {
            type: 'button',
            hidden: true,
            'aria-label': 'To the end',
            title: 'To the end',
            onclick: () => this.scrollToEnd(),
        }, icon('down'));
        this.element = h('div.scroller', {
            tabindex: '0',
            role: 'region',
            'aria-label': 'Conversation',
            onscroll: () => this.#look(),
        }, this.inner);
        this.#sees = new IntersectionObserver(entries => {
            for (const entry of entries) {
                if (entry.isIntersecting) {
                    this.#sees.unobserve(entry.target);
                    this.#enrich(entry.target.view);
                }
            }
        }, {root: this.element, rootMargin: NEAR});
        this.#sizes = new ResizeObserver(() => this.#follow());
        this.#sizes.observe(this.inner);
        this.#sizes.observe(this.element);
    }

    close() {
        cancelAnimationFrame(this.#frame);
        this.#sees.disconnect();
        this.#sizes.disconnect();
    }

    /** Shows other messages, from the end. */
    replace(messages) {
        this.#sees.disconnect();
        this.#views = messages.map(message => new MessageView(message, this.#actions));
        this.inner.replaceChildren(...this.#views.map(view => view.element));
        this.#follows = true;
        // Those that are seen first are rich at once.
        this.#views.slice(-6).forEach(view => this.#enrich(view));
        this.#views.slice(0, -6).forEach(view => this.#sees.observe(view.element));
        this.#follow();
    }

    add(message) {
        const former = this.#views.at(-1);
        const view = new MessageView(message, this.#actions);
        this.#views.push(view);
        this.inner.append(view.element);
        former?.update();
        this.#enrich(view);
        this.scrollToEnd();
    }

    /** Removes messages from an order on. */
    cut(order) {
        while (this.#views.length > 0 && this.#views.at(-1).message.order >= order) {
            const view = this.#views.pop();
            this.#sees.unobserve(view.element);
            view.element.remove();
        }
    }

    /** Shows what changed in the last message, before the next picture. */
    update() {
        if (this.#frame === 0) {
            this.#frame = requestAnimationFrame(() => this.updateNow());
        }
    }

    updateNow() {
        cancelAnimationFrame(this.#frame);
        this.#frame = 0;
        this.#views.at(-1)?.update({isLast: true});
    }

    scrollToEnd() {
        this.#follows = true;
        this.#follow();
    }

    #enrich(view) {
        view.enrich();
        view.update({isLast: view === this.#views.at(-1)});
    }

    #follow() {
        if (this.#follows) {
            this.element.scrollTop = this.element.scrollHeight;
        }
        show(this.toEnd, !this.#follows);
    }

    #look() {
        const {scrollHeight, scrollTop, clientHeight} = this.element;
        this.#follows = scrollHeight - scrollTop - clientHeight < END;
        show(this.toEnd, !this.#follows);
    }
}
