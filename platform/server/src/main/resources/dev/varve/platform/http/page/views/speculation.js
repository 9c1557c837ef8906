// View of speculative decoding, and of the pages of long contexts.

import {h} from '../dom.js';
import {bytes, count, duration, percent} from '../format.js';
import {badge, bar, legend, share} from '../status/draw.js';
import {stateBadge} from '../status/shards.js';
import {table} from '../status/table.js';
import {StatusView, card, figures, notLoaded} from '../status/view.js';

let view = null;

export function mount(element, server) {
    view = new StatusView('Speculative decoding and paging', '/status', draw);
    view.mount(element, server);
}

export function unmount() {
    view?.unmount();
    view = null;
}

function draw(status) {
    return notLoaded(status) ?? [...draftTokens(status.speculation), pages(status)];
}

function draftTokens(of) {
    if (!of.enabled) {
        return [card('Speculative decoding', h('p', {}, badge('plain', 'Off')),
            h('p.muted', {}, 'One step verifies several draft tokens. Responses stay the same and may'
                + ' take less time. Start the server with ', h('code', {}, '--draft'),
            ' to enable it.'))];
    }
    return [
        card(`Draft tokens from ${of.name || 'a draft model'}`, figures([
            ['Acceptance length', of.acceptance_length.toFixed(2), 'tokens per verification step'],
            ['Acceptance rate', percent(of.acceptance_rate),
                `${count(of.accepted_tokens)} of ${count(of.draft_tokens)} draft tokens`],
            ['Verification steps', count(of.verify_steps)],
        ]), of.verify_steps === 0
            ? h('p.muted', {}, 'No step verified draft tokens so far: none would save time, or no request ran.') : null,
        of.draft ? draft(of.draft) : null),
        h('div.two', {},
            card('Draft length', histogram('Steps by the number of draft tokens that they verified',
                'Draft tokens', of.widths, 3)),
            card('Accepted draft tokens', histogram('Steps by the number of accepted draft tokens',
                'Accepted', of.accepts, 1))),
        of.grades.length === 0 ? null : card('By grade',
            h('p.muted', {}, 'The speculator gives similar drafts the same grade.'),
            table('Draft tokens by the grade of their draft', [
                {title: 'Grade', number: true}, {title: 'Draft tokens', number: true},
                {title: 'Accepted', number: true}, {title: 'Rate', number: true},
                {title: 'Length', number: true}, {title: 'Steps', number: true},
            ], of.grades.map(grade => ({
                key: String(grade.grade),
                cells: [count(grade.grade), count(grade.draft_tokens), count(grade.accepted_tokens),
                    percent(grade.acceptance_rate), grade.acceptance_length.toFixed(2),
                    count(grade.verify_steps)],
            })))),
    ];
}

function draft(of) {
    return h('p', {}, stateBadge(of), ` The draft model is on ${of.device}, ${bytes(of.bytes)}.`,
        of.answers > 0 ? ` It responded in ${count(of.answers)} steps, after`
            + ` ${duration(of.answer_ms / of.answers)} each; ${count(of.late)} steps did not wait for it.` : '',
        of.restarts > 0 ? ` Restarts: ${count(of.restarts)}.` : '',
        of.state === 'ready' ? '' : ' Requests continue without draft tokens until it is back.');
}

function histogram(caption, title, numbers, colour) {
    const all = numbers.reduce((sum, each) => sum + each, 0);
    const last = numbers.findLastIndex(number => number > 0);
    return last < 0 ? h('p.muted', {}, 'None so far.')
        : table(caption, [{title, number: true}, {title: 'Steps', number: true}, 'Share'],
            numbers.slice(0, last + 1).map((value, index) => ({
                key: String(index),
                cells: [count(index), count(value), share(String(index), colour, value, all)],
            })));
}

function pages({paging, load}) {
    if (!paging) {
        return card('Paging', h('p', {}, badge('plain', 'The whole context is on the devices')),
            h('p.muted', {}, 'With ', h('code', {}, '--kvflash'), ' each request has a pool of'
                + ' bounded size on the devices, and host memory holds the rest of its context.'));
    }
    const all = paging.resident_pages + paging.host_pages;
    const parts = [
        {name: 'In pools', colour: 1, value: paging.resident_pages},
        {name: 'In host memory', colour: 2, value: paging.host_pages},
    ];
    return card('Paging', figures([
        ['Pool of a request', `${count(paging.pool_tokens)} tokens`,
            `pages of ${paging.page_tokens} tokens, policy ${paging.policy}`],
        ['Pages in per step', paging.pages_in_per_step.toFixed(2),
            `${count(paging.pages_in)} in ${count(load.steps)} steps`],
        ['Pages out', count(paging.pages_out), `${bytes(paging.moved_bytes)} moved`],
        ['Recall hit rate', paging.recalls > 0 ? percent(paging.recall_hit_rate) : '–',
            `${count(paging.recalls)} recalls, ${count(paging.reselects)} selections`],
    ]), bar(parts, all, `${count(paging.resident_pages)} pages in pools, ${count(paging.host_pages)}`
        + ' in host memory'),
    legend(parts.map(part => ({...part, value: `${count(part.value)} pages`}))),
    h('p.muted', {}, `${bytes(paging.host_bytes)} of host memory.`));
}
