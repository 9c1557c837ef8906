// Asks for confirmation before something is deleted.

import {h} from '../dom.js';

/** Returns whether the user confirms. */
export function confirmed(question, yes) {
    return new Promise(resolve => {
        let isConfirmed = false;
        const dialog = h('dialog.dialog', {'aria-labelledby': 'confirm-title', role: 'alertdialog'},
            h('form', {method: 'dialog'},
                h('p', {id: 'confirm-title'}, question),
                h('div.dialog-end', {},
                    h('button.button', {type: 'submit'}, 'Cancel'),
                    h('button.button.danger', {
                        type: 'submit',
                        onclick: () => {
                            isConfirmed = true;
                        },
                    }, yes))));
        dialog.addEventListener('close', () => {
            dialog.remove();
            resolve(isConfirmed);
        });
        document.body.append(dialog);
        dialog.showModal();
    });
}
