// The messages of a conversation. All have an element, so that the browser can search them, but only
// those near the visible ones are laid out and enriched. They are in groups: of thousands, only the
// messages of a few groups are examined per frame.

import {h, icon, show} from '../dom.js';
import {MessageView} from './message.js';

const NEAR = '1200px 0px';
/** Distance from the end within which the list follows new text, in CSS pixels. */
const END = 60;
/** Number of messages that fill a screen. */
const SEEN_FIRST = 6;
/** Number of messages in a group. */
const GROUP = 40;
/** Time per frame for enriching messages, in milliseconds. */
const WORK_MILLIS = 6;

export class MessageList {
    #actions;
    #views = [];
    #sees;
    #seesGroups;
    #sizes;
    #follows = true;
    #frame = 0;
    #near = new Set();
    #working = 0;

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
            onscroll: () => this.#updateFollowing(),
        }, this.inner);
        this.#sees = new IntersectionObserver(entries => {
            for (const {target, isIntersecting} of entries) {
                // Messages that are no longer visible stay plain.
                this.#near[isIntersecting ? 'add' : 'delete'](target.view);
            }
            this.#work();
        }, {root: this.element, rootMargin: NEAR});
        this.#seesGroups = new IntersectionObserver(entries => {
            for (const {target, isIntersecting} of entries) {
                if (isIntersecting) {
                    this.#seesGroups.unobserve(target);
                    [...target.children].filter(each => !each.view.isRich).forEach(each => this.#sees.observe(each));
                }
            }
        }, {root: this.element, rootMargin: NEAR});
        this.#sizes = new ResizeObserver(() => this.#follow());
        this.#sizes.observe(this.inner);
        this.#sizes.observe(this.element);
    }

    close() {
        cancelAnimationFrame(this.#frame);
        cancelAnimationFrame(this.#working);
        this.#sees.disconnect();
        this.#seesGroups.disconnect();
        this.#sizes.disconnect();
    }

    /** Shows other messages, from the end. */
    replace(messages) {
        this.#sees.disconnect();
        this.#seesGroups.disconnect();
        this.#near.clear();
        this.inner.replaceChildren();
        this.#views = messages.map(message => new MessageView(message, this.#actions));
        this.#views.forEach(view => this.#append(view));
        this.#follows = true;
        // The messages that are visible first are enriched at once.
        this.#views.slice(-SEEN_FIRST).forEach(view => this.#enrich(view));
        [...this.inner.children].forEach(group => this.#seesGroups.observe(group));
        this.#follow();
    }

    add(message) {
        const former = this.#views.at(-1);
        const view = new MessageView(message, this.#actions);
        this.#views.push(view);
        this.#append(view);
        former?.update();
        this.#enrich(view);
        this.scrollToEnd();
    }

    /** Shows further messages at the end, and keeps the position of the list. */
    extend(messages) {
        this.#follows = false;
        for (const message of messages) {
            const view = new MessageView(message, this.#actions);
            this.#views.push(view);
            this.#append(view);
            this.#enrich(view);
        }
        this.#views.at(-2)?.update();
        this.#updateFollowing();
    }

    /** The element of a message. */
    elementOf(message) {
        return this.#views.find(view => view.message === message)?.element;
    }

    /** Removes messages from an order on. */
    cut(order) {
        while (this.#views.length > 0 && this.#views.at(-1).message.order >= order) {
            const view = this.#views.pop();
            this.#sees.unobserve(view.element);
            this.#near.delete(view);
            const group = view.element.parentElement;
            view.element.remove();
            if (group.children.length === 0) {
                this.#seesGroups.unobserve(group);
                group.remove();
            }
        }
    }

    /** Shows changes of the last message before the next frame. */
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

    #append(view) {
        let group = this.inner.lastElementChild;
        if (!group || group.children.length >= GROUP) {
            group = this.inner.appendChild(h('div.group'));
        }
        group.append(view.element);
    }

    scrollToEnd() {
        this.#follows = true;
        this.#follow();
    }

    /** Enriches messages near the visible ones, as many as fit in a frame. */
    #work() {
        if (this.#working !== 0 || this.#near.size === 0) {
            return;
        }
        this.#working = requestAnimationFrame(() => {
            this.#working = 0;
            const end = performance.now() + WORK_MILLIS;
            for (const view of this.#near) {
                this.#near.delete(view);
                this.#sees.unobserve(view.element);
                this.#enrich(view);
                if (performance.now() > end) {
                    break;
                }
            }
            this.#work();
        });
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

    #updateFollowing() {
        const {scrollHeight, scrollTop, clientHeight} = this.element;
        this.#follows = scrollHeight - scrollTop - clientHeight < END;
        show(this.toEnd, !this.#follows);
    }
}
