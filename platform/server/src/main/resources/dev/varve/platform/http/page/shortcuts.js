// Keyboard shortcuts. Views receive those of their own as the event 'varve-shortcut' with the name of the action.
// Those of a single key apply outside of fields only, and users can turn them off: speech input may press keys.

import {h, icon} from './dom.js';
import {VIEWS} from './router.js';

const OFF = 'varve.keys';

/** Single keys of the chat, and their actions. */
const CHAT_KEYS = {
    '/': 'focus', 'n': 'new', 's': 'settings', 'c': 'copy', 'r': 'regenerate', 'e': 'edit',
    '[': 'previous', ']': 'next',
};

/** Whether single keys apply. */
export function singleKeys() {
    try {
        return localStorage.getItem(OFF) !== 'off';
    } catch {
        return true;
    }
}

export function setSingleKeys(on) {
    try {
        localStorage.setItem(OFF, on ? 'on' : 'off');
    } catch {
        // They apply until the page is closed.
    }
}

/** Opens the sheet with all shortcuts. */
export async function openSheet() {
    const sheet = await import('./sheet.js');
    if (!document.querySelector('dialog[open]')) {
        sheet.openSheet();
    }
}

/** Button that opens the sheet; without a keyboard there is none. */
export function sheetButton() {
    return h('button.quiet.keys-only', {
        type: 'button', title: 'Keyboard shortcuts (?)', 'aria-label': 'Keyboard shortcuts', onclick: openSheet,
    }, icon('keyboard'));
}

/** Listens for shortcuts. */
export function listen() {
    addEventListener('keydown', event => {
        if (event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]')) {
            return;
        }
        const action = event.ctrlKey || event.metaKey ? withControl(event) : single(event);
        if (action) {
            event.preventDefault();
            action();
        }
    });
}

function withControl({key, shiftKey, altKey}) {
    if (altKey) {
        return null;
    }
    switch (key.toLowerCase()) {
        case '/': return openSheet;
        case 'k': return shiftKey ? null : () => inChat('search');
        case 'o': return shiftKey ? () => inChat('new') : null;
        default: return null;
    }
}

function single({key, altKey, target}) {
    if (altKey || !singleKeys() || target.closest?.('input, textarea, select, [contenteditable]')) {
        return null;
    }
    if (key === '?') {
        return openSheet;
    }
    const view = VIEWS[Number(key) - 1];
    if (view) {
        return () => {
            location.hash = `#/${view.name}`;
        };
    }
    return Object.hasOwn(CHAT_KEYS, key) ? () => inChat(CHAT_KEYS[key]) : null;
}

/** Performs an action of the chat, which is shown first for those that need no conversation. */
function inChat(action) {
    const shown = document.querySelector('.view-chat');
    if (!shown && !['search', 'new', 'focus'].includes(action)) {
        return;
    }
    if (!shown) {
        location.hash = '#/chat';
        document.addEventListener('varve-chat-shown', () => notify(action), {once: true});
        return;
    }
    notify(action);
}

function notify(detail) {
    document.dispatchEvent(new CustomEvent('varve-shortcut', {detail}));
}
