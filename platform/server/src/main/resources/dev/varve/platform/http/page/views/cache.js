// Where computed prompts lie, and what they were good for.

import {confirmed} from '../chat/confirm.js';
import {announce, h} from '../dom.js';
import {bytes, count, duration, percent} from '../format.js';
import {badge, bar} from '../status/draw.js';
import {morph} from '../status/morph.js';
import {table} from '../status/table.js';
import {StatusView, card, figures, notLoaded} from '../status/view.js';

const TIERS = {
    device: ['On the devices', 'Finished sequences, until their room is needed'],
    host: ['Host memory', 'Beginnings of prompts that can be copied back'],
    disk: ['Store', 'What outlives the server'],
    shared: ['Shared store', 'What several servers have in common'],
};

const MISSES = {
    unknown: ['No match', 'no prompt of the same key began like it'],
    before_checkpoint: ['Too short', 'others begin like it, but part before the first kept position'],
    evicted: ['Evicted', 'what it needs gave way to others; more --cache-ram helps'],
    failed: ['Failed', 'it was found, and could not be copied'],
    disabled: ['Not wanted', 'the request said "cache": false'],
};

const STORE_MISSES = {
    absent: 'gone from the store',
    corrupt: 'damaged',
    mismatch: 'of another model or version',
    unreadable: 'could not be read',
};

const SHOWN = 50;

let view = null;

export function mount(element, server) {
    const message = h('p.trouble', {role: 'status', hidden: true});
    const entries = h('div');
    const clear = h('button.button.danger', {type: 'button'}, 'Clear the cache');
    clear.addEventListener('click', () => clearCache(server, clear, message, entries));
    view = new StatusView('Cache', '/status', draw, {tools: [clear]});
    view.mount(element, server);
    element.append(message, h('section.card', {},
        h('div.view-head', {}, h('h2', {}, 'Entries of host memory'),
            h('button.button', {
                type: 'button', onclick: () => showEntries(server, entries, false),
            }, 'Show entries')),
        entries));
}

export function unmount() {
    view?.unmount();
    view = null;
}

function draw(status) {
    const missing = notLoaded(status);
    if (missing) {
        return missing;
    }
    const {cache, load} = status;
    if (!cache.tiers) {
        return h('div.card.nothing', {dataset: {key: 'hidden'}},
            h('p', {}, 'Only who runs the server sees the figures of the cache.'),
            h('p.muted', {}, 'There are several API keys, and figures of all would tell what others ask.'));
    }
    const hits = sum(cache.hits);
    const misses = sum(cache.misses);
    const asked = hits + misses;
    return [
        card('What it was good for',
            figures([
                ['Hits', asked > 0 ? percent(hits / asked) : '–',
                    `${count(hits)} of ${count(asked)} requests`],
                ['Tokens not computed', count(sum(cache.saved_tokens)),
                    load.prompt_tokens > 0
                        ? `${percent(load.cached_tokens / load.prompt_tokens)} of all prompts` : null],
                ['Copied back', count(cache.restores),
                    cache.restores > 0
                        ? `${duration(1000 * cache.restore_seconds / cache.restores)} each` : null],
                ['Shared', cache.scope === 'shared' ? 'by all keys' : 'within a key'],
            ])),
        card('Tiers', h('div.tiers', {}, cache.tiers.map(each => each.name === 'shared' ? sharedTier(each) : tier(each)))),
        h('div.two', {},
            card('Hits', counts('Hits by where the prompt’s beginning lay',
                Object.entries(cache.hits).map(([name, value]) => [TIERS[name]?.[0] ?? name, value,
                    `${count(cache.saved_tokens[name])} tokens`]), 5)),
            card('Misses', counts('Misses by reason',
                Object.entries(cache.misses).map(([name, value]) =>
                    [...(MISSES[name] ?? [name, '']).toSpliced(1, 0, value)]), 2),
            storeMisses(cache.tiers))),
    ];
}

function sum(numbers) {
    return Object.values(numbers).reduce((all, each) => all + each, 0);
}

function tier(of) {
    const [title, what] = TIERS[of.name] ?? [of.name, ''];
    const share = of.limit_bytes > 0 ? of.used_bytes / of.limit_bytes : 0;
    return h('div.tier', {dataset: {key: of.name}},
        h('h3', {}, title),
        h('p.muted', {}, of.limit_bytes > 0 ? what : 'Nothing is kept here'),
        of.limit_bytes > 0 ? bar([{colour: 1, value: of.used_bytes}], of.limit_bytes,
            `${title}: ${percent(share)} full`) : null,
        h('p', {}, h('strong', {}, bytes(of.used_bytes)), ` of ${bytes(of.limit_bytes)}`),
        h('ul.lines', {}, [
            of.entries === undefined ? null : `${count(of.entries)} entries`,
            of.used_tokens === undefined ? null : `${count(of.used_tokens)} tokens`,
            of.running_tokens > 0 ? `${count(of.running_tokens)} tokens of running requests` : null,
            of.evictions === undefined ? null : `${count(of.evictions)} gave way to others`,
            of.state && of.state !== 'open'
                ? badge('warn', of.state === 'paused' ? 'The disk is full or failed' : 'Only read')
                : null,
        ].filter(Boolean).map(words => h('li', {}, words))));
}

/** One that other servers fill as well, so that nobody here knows how full it is. */
function sharedTier(of) {
    const [title, what] = TIERS.shared;
    const {found, failed, skipped} = of.searches;
    return h('div.tier', {dataset: {key: of.name}},
        h('h3', {}, title),
        h('p.muted', {}, what),
        h('p', {}, h('strong', {}, bytes(of.read_bytes)), ` read, ${bytes(of.written_bytes)} written`),
        h('ul.lines', {}, [
            `${count(found)} requests went on with what lay there`,
            failed > 0 ? `${count(failed)} got no answer in time` : null,
            skipped > 0 ? `${count(skipped)} did without while it was away` : null,
            of.state === 'away' ? badge('bad', 'It does not answer') : null,
            of.state === 'read_only' ? badge('warn', 'Only read') : null,
        ].filter(Boolean).map(words => h('li', {}, words))));
}

function counts(caption, rows, colour) {
    const most = Math.max(1, ...rows.map(([, value]) => value));
    return table(caption, ['What', {title: 'Requests', number: true}, 'Share'],
        rows.map(([name, value, note]) => ({
            key: name,
            cells: [[name, note ? h('span.note', {}, note) : null], count(value),
                bar([{colour, value}], most, `${name}: ${count(value)}`)],
        })));
}

function storeMisses(tiers) {
    return tiers.map(each => [TIERS[each.name]?.[0] ?? each.name,
        Object.entries(each.misses ?? {}).filter(([, value]) => value > 0)])
        .filter(([, some]) => some.length > 0)
        .map(([name, some]) => h('p', {}, badge('warn', name), ' What it should have: '
            + some.map(([reason, value]) => `${count(value)} ${STORE_MISSES[reason] ?? reason}`).join(', ')
            + '.'));
}

async function clearCache(server, button, message, entries) {
    if (!await confirmed('Forget all computed prompts, on the devices, in memory and on disk, of'
            + ' all models? Requests that run go on.', 'Clear the cache')) {
        return;
    }
    button.disabled = true;
    try {
        await server.send('/cache/clear', {method: 'POST', operator: true});
        tell(message, badge('good', 'The cache is empty.'));
        entries.replaceChildren();
    } catch (error) {
        tell(message, badge('bad', error.message), keyButton(server, error, () => {
            message.hidden = true;
        }));
    } finally {
        button.disabled = false;
        // What is disabled loses the focus.
        if (document.activeElement === document.body) {
            button.focus();
        }
    }
    view?.refresh();
}

function tell(message, ...words) {
    message.replaceChildren(...words.filter(Boolean));
    message.hidden = false;
}

/** Whoever runs the server has a key of his own, if the page has not asked for it yet. */
function keyButton(server, error, then) {
    return error.status !== 403 ? null : h('button.button', {
        type: 'button',
        onclick: async () => {
            if (await server.askKey('operator')) {
                then();
            }
        },
    }, 'Use the operator’s key');
}

async function showEntries(server, element) {
    try {
        const {entries, total} = await server.json(`/cache?limit=${SHOWN}`,
            {operator: true, byUser: true});
        morph(element, h('p', {}, total > entries.length
            ? `The ${count(entries.length)} used last of ${count(total)}.`
            : `${count(total)} in all, the one used last first.`),
        entries.length === 0 ? null : table('Positions that host memory can restore', [
            {title: 'Tokens', number: true}, {title: 'Bytes', number: true},
            {title: 'Uses', number: true}, {title: 'Not used for', number: true}, 'Scope',
        ], entries.map(entry => ({
            cells: [count(entry.tokens), bytes(entry.bytes), count(entry.uses),
                duration(entry.idle_seconds * 1000), h('code', {}, entry.scope)],
        }))));
        announce(`${count(total)} entries`);
    } catch (error) {
        element.replaceChildren(h('p', {role: 'status'}, badge('bad', error.message)),
            keyButton(server, error, () => showEntries(server, element)) ?? '');
    }
}
