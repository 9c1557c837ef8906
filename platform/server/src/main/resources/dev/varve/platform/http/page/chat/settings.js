// Dialog with the settings of a conversation.

import {h} from '../dom.js';
import {parseTools} from './conversation.js';

/** Names, labels, minimum, maximum and step; fractions may have any number of digits. */
const SAMPLING = [
    ['temperature', 'Temperature', 0, 5, 'any', '0 always selects the most likely token'],
    ['top_p', 'Top p', 0, 1, 'any', 'most likely tokens up to this total probability'],
    ['top_k', 'Top k', 0, 1000, 1, '0 for all tokens'],
    ['min_p', 'Min p', 0, 1, 'any', 'share of the highest probability'],
    ['repetition_penalty', 'Repetition penalty', 0.1, 2, 'any', '1 for none'],
    ['max_tokens', 'Maximum tokens', 1, 10000000, 1, 'of a response'],
    ['seed', 'Seed', 0, 2147483647, 1, 'the same seed gives the same response'],
];

/**
 * Shows the settings until they are closed.
 *
 * @param {object} settings modified
 * @param {object} props properties of the model, with the defaults
 * @param {() => void} changed
 */
export function openSettings(settings, props, changed) {
    const defaults = props?.default_generation_settings ?? {};
    const problem = h('p.field-error', {id: 'tools-error', role: 'alert'});
    const tools = h('textarea.mono', {
        id: 'set-tools',
        rows: '7',
        spellcheck: 'false',
        value: settings.tools,
        placeholder: '[{"name": "weather", "description": "…", "parameters": {"type": "object", …}}]',
        'aria-describedby': 'tools-error',
        oninput: () => {
            try {
                parseTools(tools.value);
                problem.textContent = '';
                tools.removeAttribute('aria-invalid');
            } catch (error) {
                problem.textContent = error.message;
                tools.setAttribute('aria-invalid', 'true');
            }
        },
    });
    const system = h('textarea', {id: 'set-system', rows: '4', value: settings.system,
        placeholder: 'Instructions for the whole conversation'});
    const numbers = SAMPLING.map(([name, label, min, max, step, help]) => ({
        name,
        field: h('input', {
            type: 'number',
            id: `set-${name}`,
            min, max, step,
            value: settings[name],
            placeholder: standard(defaults, name),
            'aria-describedby': `help-${name}`,
        }),
        label,
        help,
    }));
    const thinking = choice('set-thinking', settings.thinking,
        [['', 'Model default'], ['on', 'On'], ['off', 'Off']]);
    const drafts = choice('set-drafts', settings.drafts,
        [['', 'Server default'], ['off', 'Off']]);

    const dialog = h('dialog.dialog.settings', {'aria-labelledby': 'settings-title'},
        h('form', {method: 'dialog', onsubmit: keep},
            h('h2', {id: 'settings-title'}, 'Settings of this conversation'),
            h('label', {for: 'set-system'}, 'System prompt'),
            system,
            h('details.fold', {open: numbers.some(({name}) => settings[name] !== '')},
                h('summary', {}, 'Sampling'),
                h('div.grid', {}, numbers.map(({name, field, label, help}) => h('div', {},
                    h('label', {for: field.id}, label),
                    field,
                    h('p.help', {id: `help-${name}`}, help))))),
            h('div.grid', {},
                h('div', {}, h('label', {for: 'set-thinking'}, 'Reasoning'), thinking),
                h('div', {}, h('label', {for: 'set-drafts'}, 'Draft tokens'), drafts)),
            h('details.fold', {open: settings.tools !== ''},
                h('summary', {}, 'Tools'),
                h('label.unseen', {for: 'set-tools'}, 'Tools, as JSON'),
                tools,
                problem,
                h('p.help', {}, 'The model may call these functions. You write their results.')),
            h('div.dialog-end', {},
                h('button.button', {type: 'button', onclick: clear}, 'Reset'),
                h('button.button.primary', {type: 'submit'}, 'Done'))));

    function keep(event) {
        if (problem.textContent !== '') {
            event.preventDefault();
            unfold(tools);
            tools.focus();
            return;
        }
        settings.system = system.value;
        settings.tools = tools.value;
        settings.thinking = thinking.value;
        settings.drafts = drafts.value;
        numbers.forEach(({name, field}) => {
            settings[name] = field.value;
        });
        changed();
    }

    function clear() {
        for (const field of [system, tools, thinking, drafts, ...numbers.map(each => each.field)]) {
            field.value = '';
        }
        problem.textContent = '';
        tools.removeAttribute('aria-invalid');
    }

    // The browser reports no error for a hidden field. The event does not bubble.
    dialog.addEventListener('invalid', event => unfold(event.target), true);
    dialog.addEventListener('close', () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
}

function unfold(field) {
    const fold = field.closest('details');
    if (fold) {
        fold.open = true;
    }
}

/** Defaults of the settings, as far as the server reports them. */
function standard(defaults, name) {
    const known = name === 'repetition_penalty' ? defaults.repeat_penalty : defaults[name];
    return known ?? {max_tokens: 'no limit', seed: 'random'}[name] ?? '';
}

function choice(id, value, options) {
    const field = h('select', {id}, options.map(([each, words]) => h('option', {value: each}, words)));
    // Sets the attribute: h would set a property.
    field.value = value;
    return field;
}
