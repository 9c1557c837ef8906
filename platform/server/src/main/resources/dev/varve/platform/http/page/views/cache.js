// View of the prefix cache: its tiers, and hits and misses.

import {confirmed} from '../chat/confirm.js';
import {announce, h} from '../dom.js';
import {bytes, count, duration, percent} from '../format.js';
import {badge, bar, share} from '../status/draw.js';
import {morph} from '../status/morph.js';
import {table} from '../status/table.js';
import {StatusView, card, figures, notLoaded} from '../status/view.js';

const TIERS = {
    device: ['On the devices', 'Finished sequences, until the scheduler needs their slots'],
    host: ['Host memory', 'Prefixes that the server can copy back to the devices'],
    disk: ['Store', 'Prefixes that survive a restart of the server'],
    shared: ['Shared store', 'Prefixes that several servers share'],
    peer: ['Prefill server', 'Prompts that another server computed'],
};

const MISSES = {
    unknown: ['No match', 'no prompt of the same scope has this prefix'],
    before_checkpoint: ['Too short', 'a cached prompt has the same start, but diverges before its first checkpoint'],
    evicted: ['Evicted', 'the prefix was evicted; a larger --cache-ram helps'],
    failed: ['Failed', 'the prefix was found, but the copy failed'],
    disabled: ['Disabled', 'the request set "cache": false'],
};

const STORE_MISSES = {
    absent: 'missing in the store',
    corrupt: 'damaged',
    mismatch: 'of another model or version',
    unreadable: 'unreadable',
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
            h('p', {}, 'Only the operator sees the statistics of the cache.'),
            h('p.muted', {}, 'There are several API keys, and the statistics could reveal requests of other keys.'));
    }
    const hits = sum(cache.hits);
    const misses = sum(cache.misses);
    const asked = hits + misses;
    return [
        card('Effect',
            figures([
                ['Hits', asked > 0 ? percent(hits / asked) : '–',
                    `${count(hits)} of ${count(asked)} requests`],
                ['Cached tokens', count(sum(cache.saved_tokens)),
                    load.prompt_tokens > 0
                        ? `${percent(load.cached_tokens / load.prompt_tokens)} of all prompt tokens` : null],
                ['Restored prefixes', count(cache.restores),
                    cache.restores > 0
                        ? `${duration(1000 * cache.restore_seconds / cache.restores)} each` : null],
                ['Shared', cache.scope === 'shared' ? 'by all keys' : 'by requests of one key'],
            ])),
        card('Tiers', h('div.tiers', {}, cache.tiers.map(each => each.name === 'shared' ? sharedTier(each) : tier(each)))),
        h('div.two', {},
            card('Hits', counts('Hits by the location of the prefix',
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
        h('p.muted', {}, of.limit_bytes > 0 ? what : 'This tier is off'),
        of.limit_bytes > 0 ? bar([{colour: 1, value: of.used_bytes}], of.limit_bytes,
            `${title}: ${percent(share)} full`) : null,
        h('p', {}, h('strong', {}, bytes(of.used_bytes)), ` of ${bytes(of.limit_bytes)}`),
        h('ul.lines', {}, [
            of.entries === undefined ? null : `${count(of.entries)} entries`,
            of.used_tokens === undefined ? null : `${count(of.used_tokens)} tokens`,
            of.running_tokens > 0 ? `${count(of.running_tokens)} tokens of running requests` : null,
            of.evictions === undefined ? null : `${count(of.evictions)} evictions`,
            of.state && of.state !== 'open'
                ? badge('warn', of.state === 'paused' ? 'The disk is full or failed' : 'Read-only')
                : null,
        ].filter(Boolean).map(words => h('li', {}, words))));
}

/** The shared store. Other servers write to it too, so its fill level is unknown here. */
function sharedTier(of) {
    const [title, what] = TIERS.shared;
    const {found, failed, skipped} = of.searches;
    return h('div.tier', {dataset: {key: of.name}},
        h('h3', {}, title),
        h('p.muted', {}, what),
        h('p', {}, h('strong', {}, bytes(of.read_bytes)), ` read, ${bytes(of.written_bytes)} written`),
        h('ul.lines', {}, [
            `${count(found)} requests reused a prefix from it`,
            failed > 0 ? `${count(failed)} requests got no response in time` : null,
            skipped > 0 ? `${count(skipped)} requests skipped it while it was unavailable` : null,
            of.state === 'away' ? badge('bad', 'It does not respond') : null,
            of.state === 'read_only' ? badge('warn', 'Read-only') : null,
        ].filter(Boolean).map(words => h('li', {}, words))));
}

function counts(caption, rows, colour) {
    const all = sum(rows.map(([, value]) => value));
    return table(caption, ['Category', {title: 'Requests', number: true}, 'Share'],
        rows.map(([name, value, note]) => ({
            key: name,
            cells: [[name, note ? h('span.note', {}, note) : null], count(value), share(name, colour, value, all)],
        })));
}

function storeMisses(tiers) {
    return tiers.map(each => [TIERS[each.name]?.[0] ?? each.name,
        Object.entries(each.misses ?? {}).filter(([, value]) => value > 0)])
        .filter(([, some]) => some.length > 0)
        .map(([name, some]) => h('p', {}, badge('warn', name), ' Unusable prefixes: '
            + some.map(([reason, value]) => `${count(value)} ${STORE_MISSES[reason] ?? reason}`).join(', ')
            + '.'));
}

async function clearCache(server, button, message, entries) {
    if (!await confirmed('Delete all cached prefixes of all models, on the devices, in memory and on'
            + ' disk? Running requests continue.', 'Clear the cache')) {
        return;
    }
    button.disabled = true;
    try {
        await server.send('/cache/clear', {method: 'POST', operator: true});
        showMessage(message, badge('good', 'The cache is empty.'));
        entries.replaceChildren();
    } catch (error) {
        showMessage(message, badge('bad', error.message), keyButton(server, error, () => {
            message.hidden = true;
        }));
    } finally {
        button.disabled = false;
        // A disabled element loses the focus.
        if (document.activeElement === document.body) {
            button.focus();
        }
    }
    view?.refresh();
}

function showMessage(message, ...words) {
    message.replaceChildren(...words.filter(Boolean));
    message.hidden = false;
}

/** Button for the operator key after status 403: operator routes may have a key of their own. */
function keyButton(server, error, then) {
    return error.status !== 403 ? null : h('button.button', {
        type: 'button',
        onclick: async () => {
            if (await server.askKey('operator')) {
                then();
            }
        },
    }, 'Use the operator key');
}

async function showEntries(server, element) {
    try {
        const {entries, total} = await server.json(`/cache?limit=${SHOWN}`,
            {operator: true, byUser: true});
        morph(element, h('p', {}, total > entries.length
            ? `The ${count(entries.length)} most recently used of ${count(total)}.`
            : `${count(total)} in all, the most recently used first.`),
        entries.length === 0 ? null : table('Checkpoints that host memory can restore', [
            {title: 'Tokens', number: true}, {title: 'Bytes', number: true},
            {title: 'Uses', number: true}, {title: 'Idle for', number: true}, 'Scope',
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
