// Asks the user for a key of the server.

import {h} from './dom.js';

const WORDS = {
    api: ['API key', 'This server requires a key.'],
    operator: ['Operator key', 'Data of all users requires the operator key.'],
};

/** Characters that an HTTP header can carry; excludes letters that only look like those of a key. */
const SENDABLE = /^[\x20-\x7e]+$/;

/** Asks for a key in a dialog; null if the user gives none. */
export function askKey(kind, wrong) {
    const [title, why] = WORDS[kind];
    return new Promise(resolve => {
        const field = h('input', {
            type: 'password',
            id: 'key-field',
            autocomplete: 'off',
            spellcheck: 'false',
            required: true,
            'aria-describedby': 'key-why key-problem',
            oninput: () => showProblem(''),
        });
        const problem = h('p.field-error', {id: 'key-problem', role: 'alert'});
        const dialog = h('dialog.dialog', {'aria-labelledby': 'key-title'},
            h('form', {method: 'dialog', onsubmit: use},
                h('h2', {id: 'key-title'}, title),
                h('p', {id: 'key-why'}, wrong ? 'The server does not accept that key. ' : '', why,
                    ' The key stays in this tab until the tab is closed.'),
                h('label', {for: 'key-field'}, title),
                field,
                problem,
                h('div.dialog-end', {},
                    h('button.button', {type: 'button', onclick: () => finish(null)}, 'Cancel'),
                    h('button.button.primary', {type: 'submit'}, 'Use key'))));
        let result = null;

        function use(event) {
            const key = field.value.trim();
            if (key === '' || SENDABLE.test(key)) {
                finish(key);
                return;
            }
            event.preventDefault();
            showProblem('A key contains only ASCII letters, digits and punctuation. This one contains'
                + ' others, such as letters of another alphabet or curly quotes.');
            field.focus();
        }

        function showProblem(words) {
            problem.textContent = words;
            field.setAttribute('aria-invalid', String(words !== ''));
        }

        function finish(key) {
            result = key || null;
            dialog.close();
        }

        dialog.addEventListener('close', () => {
            dialog.remove();
            resolve(result);
        });
        document.body.append(dialog);
        dialog.showModal();
        field.focus();
    });
}
