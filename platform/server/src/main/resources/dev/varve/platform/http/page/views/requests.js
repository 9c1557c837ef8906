// View of the queued and running requests, with a button that cancels one.

import {announce, h} from '../dom.js';
import {count, duration, percent} from '../format.js';
import {badge, bar} from '../status/draw.js';
import {table} from '../status/table.js';
import {StatusView, card, figures} from '../status/view.js';

const STATES = {
    preparing: ['plain', 'Preparing'],
    queued: ['plain', 'Queued'],
    restoring: ['warn', 'Restoring'],
    prefill: ['warn', 'Prefill'],
    decode: ['good', 'Decode'],
    parked: ['warn', 'Requeued'],
    running: ['good', 'Running'],
    ended: ['plain', 'Ending'],
};

let view = null;

/** Requests that this page cancelled and that still run. */
const cancelled = new Set();

/** Whether the server rejected the key that the user gave as the operator key. */
let refused = false;

export function mount(element, server) {
    view = new StatusView('Requests', '/requests', value => draw(value, server), {ofAll: true});
    // One listener for all rows, since rows are added and removed.
    element.addEventListener('click', event => {
        const button = event.target.closest('button[data-cancel], button[data-operator]');
        if (button?.dataset.operator) {
            useOperatorsKey(server);
        } else if (button) {
            // The button is removed soon: moves the focus, so that keyboard users keep their place.
            button.closest('.table-frame').focus();
            cancel(server, button.dataset.cancel, button.dataset.as === 'operator');
        }
    });
    view.mount(element, server);
}

export function unmount() {
    view?.unmount();
    view = null;
    cancelled.clear();
    refused = false;
}

/** Asks for the operator key, for cancelling only: a list with it has other requests as own. */
async function useOperatorsKey(server) {
    if (await server.askKey('operator', refused)) {
        refused = false;
        view?.redraw();
    }
}

async function cancel(server, id, operator) {
    cancelled.add(id);
    view?.redraw();
    try {
        await server.send(`/requests/${id}`, {method: 'DELETE', operator});
        announce('The request was cancelled.');
    } catch (error) {
        cancelled.delete(id);
        refused = operator && error.status === 403;
        announce(error.status === 404 ? 'The request has ended.' : error.message);
    }
    view?.refresh();
}

function draw({requests}, server) {
    const operates = server.hasOperatorKey && !refused;
    const waiting = requests.filter(each => ['queued', 'preparing', 'parked'].includes(each.state));
    const speed = requests.reduce((all, each) => all + (each.tokens_per_second ?? 0), 0);
    return [
        card('Now', figures([
            ['Running', count(requests.length - waiting.length)],
            ['Waiting', count(waiting.length)],
            ['Tokens per second', speed.toFixed(1), 'of all requests together'],
        ])),
        requests.length === 0
            ? h('div.card.nothing', {dataset: {key: 'none'}},
                h('p', {}, view?.model ? 'This model has no requests.'
                    : 'The server has no requests.'),
                h('p.muted', {}, 'This view shows requests from their arrival to their end.'))
            : card('Requests', list(requests, operates),
                operates || requests.every(each => each.may_cancel) ? null : operatorKeyNotice()),
    ];
}

function operatorKeyNotice() {
    return h('p.offer', {},
        refused ? badge('bad', 'That is not the operator key.') : 'The operator may cancel any request.',
        ' ', h('button.button', {type: 'button', dataset: {operator: 'ask'}},
            'Use the operator key'));
}

function list(requests, operates) {
    const several = new Set(requests.map(each => each.model)).size > 1;
    return table('Queued and running requests, the oldest first', [
        'Request', 'State', {title: 'Age', number: true}, {title: 'Prompt', number: true},
        {title: 'Response', number: true}, {title: 'Speed', number: true}, 'End',
    ], requests.map(request => ({
        key: request.id,
        cells: [what(request, several), state(request),
            age(request), prompt(request),
            request.generated_tokens === undefined ? null
                : `${count(request.generated_tokens)} tokens`,
            request.tokens_per_second > 0 ? `${request.tokens_per_second.toFixed(1)} tokens/s` : null,
            end(request, operates)],
    })));
}

function age({age_seconds: seconds}) {
    return seconds < 60 ? `${Math.floor(seconds)} s` : duration(1000 * Math.floor(seconds));
}

function what(request, several) {
    const words = request.own
        ? h('span.said', {}, promptText(request))
        : h('span.muted', {}, 'Request of another key: its text is not shown');
    return [words, h('span.note', {}, [several ? request.model : null, request.route,
        request.choices > 1 ? `${request.choices} choices` : null,
        request.scope ? `scope ${request.scope}` : null].filter(Boolean).join(' · '))];
}

/** The text of a message, without the role that the model's template writes before it. */
function promptText({prompt}) {
    return prompt?.replace(/^user\s+/, '') || 'No text';
}

function state(request) {
    const [kind, words] = request.cancelled || cancelled.has(request.id)
        ? ['warn', 'Being cancelled'] : STATES[request.state] ?? ['plain', request.state];
    const all = request.prompt_tokens;
    const done = request.computed_tokens;
    return [badge(kind, words),
        request.state === 'prefill' && all > 0
            ? bar([{colour: 3, value: done}], all, `${percent(done / all)} of the prompt`) : null,
        request.state === 'parked' ? h('span.note', {}, 'It ran before, and waits for memory or a shard') : null];
}

function prompt(request) {
    if (request.prompt_tokens === undefined) {
        return null;
    }
    return [`${count(request.prompt_tokens)} tokens`, request.cached_tokens > 0
        ? h('span.note', {}, `${count(request.cached_tokens)} cached`) : null];
}

function end(request, operates) {
    if (!request.may_cancel && !operates) {
        return h('span.muted', {}, 'Not yours');
    }
    const done = request.cancelled || cancelled.has(request.id);
    return h('button.button.danger', {
        type: 'button', disabled: done,
        dataset: {cancel: request.id, as: request.may_cancel ? 'self' : 'operator'},
        'aria-label': `Cancel the request ${request.own ? promptText(request) : request.id}`,
    }, 'Cancel');
}
