// The sheet of keyboard shortcuts.

import {h} from './dom.js';
import {VIEWS} from './router.js';
import {setSingleKeys, singleKeys} from './shortcuts.js';

const isMac = /mac/i.test(navigator.userAgentData?.platform ?? navigator.platform);
const CONTROL = isMac ? '⌘' : 'Ctrl';

const ANYWHERE = [
    [[CONTROL, 'K'], 'Search conversations'],
    [[CONTROL, 'Shift', 'O'], 'New chat'],
    [[CONTROL, '/'], 'Show this sheet'],
    [['Esc'], 'Stop the response, or close a dialog'],
];

const MESSAGE = [
    [['Enter'], 'Send'],
    [['Shift', 'Enter'], 'New line'],
    [[CONTROL, 'Enter'], 'Send or save an edited message'],
];

const SINGLE = [
    [['?'], 'Show this sheet'],
    [['/'], 'Write a message'],
    [['N'], 'New chat'],
    [['S'], 'Settings of the conversation'],
    [['C'], 'Copy the last response'],
    [['R'], 'Regenerate the last response'],
    [['E'], 'Edit your last message'],
    [['['], 'Previous version of the last message that has several'],
    [[']'], 'Next version'],
    [[`1 – ${VIEWS.length}`], `Views, from ${VIEWS[0].title} to ${VIEWS.at(-1).title}`],
];

/** Shows the shortcuts until the user closes them. */
export function openSheet() {
    const single = h('input', {
        type: 'checkbox', id: 'single-keys', onchange: () => setSingleKeys(single.checked),
    });
    single.checked = singleKeys();
    const dialog = h('dialog.dialog.sheet', {'aria-labelledby': 'sheet-title'},
        h('form', {method: 'dialog'},
            h('h2', {id: 'sheet-title'}, 'Keyboard shortcuts'),
            h('div.sheet-lists', {},
                h('div', {}, list('Anywhere', ANYWHERE), list('In a message', MESSAGE)),
                list('Outside of fields', SINGLE)),
            h('label.check', {for: 'single-keys'}, single, 'Single keys outside of fields'),
            h('div.dialog-end', {}, h('button.button.primary', {type: 'submit', autofocus: true}, 'Close'))));
    dialog.addEventListener('close', () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
}

function list(title, shortcuts) {
    return h('section', {}, h('h3', {}, title), h('dl.shortcuts', {}, shortcuts.map(([keys, words]) =>
        h('div', {}, h('dt', {}, words), h('dd', {}, keys.map(key => h('kbd', {}, key)))))));
}
