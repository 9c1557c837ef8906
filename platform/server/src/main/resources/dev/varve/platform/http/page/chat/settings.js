// Dialog with the settings of a conversation.

import {h} from '../dom.js';
import {DEFAULTS, parseTools} from './conversation.js';
import {keepForNewChats, keepPreset, presets, removePreset} from './presets.js';

/** Names, labels, minimum, maximum and step; fractions may have any number of digits. */
const SAMPLING = [
    ['temperature', 'Temperature', 0, 5, 'any', '0 always selects the most likely token'],
    ['top_p', 'Top p', 0, 1, 'any', 'most likely tokens up to this total probability'],
    ['top_k', 'Top k', 0, 1000, 1, '0 for all tokens'],
    ['min_p', 'Min p', 0, 1, 'any', 'share of the highest probability'],
    ['repetition_penalty', 'Repetition penalty', 0.1, 2, 'any', '1 for none'],
    ['max_tokens', 'Max tokens', 1, 10000000, 1, 'of a response'],
    ['seed', 'Seed', 0, 2147483647, 1, 'the same seed gives the same response'],
];

const NOT_KEPT = 'The browser’s storage does not keep them.';

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
        oninput: checkTools,
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

    const fields = {
        system, tools, thinking, drafts,
        ...Object.fromEntries(numbers.map(({name, field}) => [name, field])),
    };
    const status = h('p.help', {role: 'status'});
    const form = h('form', {method: 'dialog', onsubmit: keep});
    const dialog = h('dialog.dialog.settings', {'aria-labelledby': 'settings-title'}, form);
    form.append(
            h('h2', {id: 'settings-title'}, 'Settings of this conversation'),
            presetRow({read: checkedValues, apply, say}),
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
                h('div', {}, h('label', {for: 'set-drafts'}, 'Speculative decoding'), drafts)),
            h('details.fold', {open: settings.tools !== ''},
                h('summary', {}, 'Tools'),
                h('label.unseen', {for: 'set-tools'}, 'Tools, as JSON'),
                tools,
                problem,
                h('p.help', {}, 'The model may call these functions. You write their results.')),
            status,
            h('div.dialog-end', {},
                h('button.button', {type: 'button', onclick: () => apply(DEFAULTS)}, 'Reset'),
                h('button.button', {
                    type: 'button',
                    title: 'New chats start with these settings',
                    onclick: () => {
                        const values = checkedValues();
                        if (values) {
                            say(keepForNewChats(values) ? 'New chats start with these settings.' : NOT_KEPT);
                        }
                    },
                }, 'Use for new chats'),
                h('button.button.primary', {type: 'submit'}, 'Done')));

    function checkTools() {
        try {
            parseTools(tools.value);
            problem.textContent = '';
            tools.removeAttribute('aria-invalid');
        } catch (error) {
            problem.textContent = error.message;
            tools.setAttribute('aria-invalid', 'true');
        }
    }

    /** The values of all fields; null if one is invalid, which gets the focus. */
    function checkedValues() {
        if (problem.textContent !== '') {
            unfold(tools);
            tools.focus();
            return null;
        }
        return form.reportValidity()
            ? Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.value])) : null;
    }

    function apply(values) {
        for (const [name, field] of Object.entries(fields)) {
            field.value = values[name];
        }
        checkTools();
    }

    function say(words) {
        status.textContent = words;
    }

    function keep(event) {
        const values = checkedValues();
        if (!values) {
            event.preventDefault();
            return;
        }
        Object.assign(settings, values);
        changed();
    }

    // The browser reports no error for a hidden field. The event does not bubble.
    dialog.addEventListener('invalid', event => unfold(event.target), true);
    dialog.addEventListener('close', () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
}

/** Choice of a preset, and buttons that store and delete one. */
function presetRow({read, apply, say}) {
    const select = choice('set-preset', '', []);
    const name = h('input', {type: 'text', id: 'set-preset-name', maxlength: '60', autocomplete: 'off'});
    const remove = h('button.button', {type: 'button', onclick: () => {
        removePreset(select.value);
        say(`The preset “${select.value}” was deleted.`);
        draw('');
    }}, 'Delete preset');

    function draw(chosen) {
        const all = presets();
        select.replaceChildren(h('option', {value: ''}, all.length > 0 ? 'Choose a preset' : 'None stored'),
            ...all.map(each => h('option', {value: each.name}, each.name)));
        select.value = chosen;
        name.value = chosen;
        remove.disabled = chosen === '';
    }

    select.addEventListener('change', () => {
        const preset = presets().find(each => each.name === select.value);
        if (preset) {
            apply(preset.settings);
            say(`The fields have the values of “${preset.name}”.`);
        }
        draw(preset?.name ?? '');
    });
    function store() {
        const values = name.value.trim() === '' ? null : read();
        if (!values) {
            name.focus();
            return;
        }
        const kept = keepPreset(name.value.trim(), values);
        say(kept ? `The preset “${name.value.trim()}” is stored in this browser.` : NOT_KEPT);
        draw(kept ? name.value.trim() : '');
    }
    name.addEventListener('keydown', event => {
        if (event.key === 'Enter') {
            // Otherwise it would close the dialog.
            event.preventDefault();
            store();
        }
    });
    draw('');
    return h('div.presets', {},
        h('div', {}, h('label', {for: 'set-preset'}, 'Preset'), select),
        h('div', {}, h('label', {for: 'set-preset-name'}, 'Preset name'), name),
        h('div.presets-end', {},
            h('button.button', {type: 'button', onclick: store}, 'Save preset'), remove));
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
