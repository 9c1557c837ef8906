// A button with a menu of further actions.

import {h, icon} from '../dom.js';

/**
 * Makes the button and its menu.
 *
 * @param {string} label
 * @param {[string, string, () => void][]} items icon, text and action of each
 */
export function menu(label, items) {
    const list = h('div.menu', {popover: 'auto', id: 'more-menu'}, items.map(([name, words, action]) =>
        h(name === 'keyboard' ? 'button.quiet.keys-only' : 'button.quiet', {
            type: 'button',
            onclick: () => {
                list.hidePopover();
                action();
            },
        }, icon(name), words)));
    const button = h('button.quiet', {
        type: 'button', title: label, 'aria-label': label, popovertarget: 'more-menu', 'aria-expanded': 'false',
    }, icon('more'));
    list.addEventListener('beforetoggle', event => {
        if (event.newState === 'open') {
            const {bottom, right} = button.getBoundingClientRect();
            list.style.setProperty('top', `${bottom + 4}px`);
            list.style.setProperty('right', `${innerWidth - right}px`);
        }
    });
    list.addEventListener('toggle', event => {
        button.setAttribute('aria-expanded', String(event.newState === 'open'));
    });
    return [button, list];
}
