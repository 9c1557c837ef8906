// Which device computes which layers, what that takes, and what happens when one is lost.

import {announce, h} from '../dom.js';
import {bytes, count, duration, percent} from '../format.js';
import {badge, bar, legend} from '../status/draw.js';
import {picture} from '../status/picture.js';
import {table} from '../status/table.js';
import {StatusView, card, notLoaded} from '../status/view.js';
import {processWords, stateBadge} from '../status/shards.js';

const PARTS = [
    ['weight_bytes', 'Weights', 1],
    ['kv_bytes', 'KV cache', 2],
    ['state_bytes', 'States and windows', 3],
    ['compute_bytes', 'Scratch', 4],
    ['prompt_cache_bytes', 'Computed prompts', 5],
    ['page_bytes', 'Pages', 6],
];

let view = null;
let watch = null;

/** The shards that were lost when they were looked at last, in words. */
let knownLost = null;

export function mount(element, server) {
    view = new StatusView('Placement', '/status', status => draw(status, element));
    view.mount(element, server);
    let width = element.clientWidth;
    watch = new ResizeObserver(() => {
        if (element.clientWidth !== width) {
            width = element.clientWidth;
            // Not at once: what is drawn changes the height, which is looked at here as well.
            requestAnimationFrame(() => view?.redraw());
        }
    });
    watch.observe(element);
}

export function unmount() {
    watch?.disconnect();
    view?.unmount();
    view = null;
    knownLost = null;
}

/** Says what happened to those who do not look. */
function tell(lost) {
    const words = lost.map(shard => `${layers(shard)} on ${shard.device}`).join(', ');
    if (knownLost !== null && words !== knownLost) {
        announce(words === '' ? 'All shards are there again.' : `Lost: ${words}.`);
    }
    knownLost = words;
}

function draw(status, element) {
    const missing = notLoaded(status);
    if (missing) {
        return missing;
    }
    const {placement} = status;
    return [
        fate(placement, status),
        card(`${placement.layers} layers of ${status.model}`,
            picture(placement, element.clientWidth)),
        placement.memories.length > 0
            ? card('Memory', placement.memories.map(memory)) : null,
        card('Shards', shardTable(placement.shards)),
    ];
}

/** What became of shards, and what that means for requests. */
function fate(placement, status) {
    const lost = placement.shards.filter(shard => shard.state !== 'ready');
    tell(lost);
    const words = [];
    for (const shard of lost) {
        const ago = shard.last_loss
            ? `, lost ${duration(shard.last_loss.ago_seconds * 1000)} ago: ${shard.last_loss.reason}`
            : '';
        words.push(h('p', {}, stateBadge(shard), ` ${layers(shard)} on ${shard.device}${ago}`),
            h('p.muted', {}, `${sentence(shard.reason ?? 'it is brought back')} ${loaded(shard)}`));
    }
    if (placement.outage) {
        words.push(outage(placement.outage, status));
    } else if (lost.length > 0) {
        words.push(h('p', {}, 'No request waits for it yet. Those that come wait until it is back.'));
    } else {
        words.push(h('p', {}, badge('good', 'All shards are there')), ...calm(placement.shards));
    }
    return h('section.card.fate', {dataset: {key: 'fate', lost: lost.length > 0 ? 'yes' : 'no'}},
        h('h2', {}, 'When a shard dies'), words);
}

function outage({waited_seconds: waited, left_seconds: left, turns_away: over}, status) {
    if (over) {
        return h('p', {}, badge('bad', 'Requests are turned away'),
            ' with status 503 (shard_missing), since nothing brought it closer to its return. They',
            ' are taken again as soon as something does.');
    }
    const who = status.load.waiting === 1 ? 'One request waits'
        : `${count(status.load.waiting)} requests wait`;
    return h('p', {}, badge('warn', `${who}, for ${duration(waited * 1000)} so far`),
        ` and ${duration(left * 1000)} more unless the shard comes closer to its return; then they`,
        ' fail with status 503 (shard_missing). Once it is back they are computed again and go on',
        ' with the same tokens.');
}

function calm(shards) {
    const others = shards.filter(shard => shard.process.kind !== 'local');
    const past = shards.filter(shard => shard.last_loss);
    return [
        h('p.muted', {}, others.length === 0
            ? 'All layers are in the server’s own process: they live and end with it.'
            : 'If one in another process dies, it is brought back. Requests wait meanwhile, are'
                + ' computed again, and go on with the same tokens.'),
        ...past.map(shard => h('p.muted', {}, `${shard.device} was lost`
            + ` ${duration(shard.last_loss.ago_seconds * 1000)} ago (${shard.last_loss.reason})`
            + (shard.last_loss.outage_seconds === undefined ? '.'
                : ` and was back after ${duration(shard.last_loss.outage_seconds * 1000)}.`))),
    ];
}

function sentence(text) {
    return text.charAt(0).toUpperCase() + text.slice(1) + (text.endsWith('.') ? '' : '.');
}

function loaded(shard) {
    return shard.total_bytes > 0
        ? `${bytes(shard.loaded_bytes)} of ${bytes(shard.total_bytes)} of its weights are loaded.`
        : '';
}

function layers(shard) {
    const last = shard.end_layer - 1;
    return shard.first_layer === last ? `Layer ${last}` : `Layers ${shard.first_layer} to ${last}`;
}

function memory(of) {
    const whole = Math.max(of.limit_bytes, of.used_bytes);
    const parts = PARTS.map(([field, name, colour]) => ({name, colour, bytes: of[field]}))
        .filter(part => part.bytes > 0);
    const share = of.limit_bytes > 0 ? of.used_bytes / of.limit_bytes : 0;
    const kind = share > 1 ? 'bad' : share > 0.9 ? 'warn' : 'good';
    const name = of.name === 'host' ? 'Memory of this machine' : of.name;
    return h('div.memory', {},
        h('h3', {}, name),
        h('p', {}, badge(kind, `${bytes(of.used_bytes)} of ${bytes(of.limit_bytes)}`),
            ` that were free for models (${percent(share)}); ${bytes(of.total_bytes)} in all`),
        bar(parts.map(part => ({colour: part.colour, value: part.bytes})), whole,
            `${name}: ${percent(share)} of the limit`),
        legend(parts.map(part => ({...part, value: bytes(part.bytes)}))));
}

function shardTable(shards) {
    return table('Shards in the order of their layers', [
        'Layers', 'Device', 'Process', 'State',
        {title: 'Decode, lately', number: true},
        {title: 'Prompt, per token', number: true},
        {title: 'Forward, mean', number: true},
        {title: 'Boundary, mean', number: true},
        'Over the boundary',
        {title: 'Restarts', number: true},
    ], shards.map((shard, index) => ({
        key: String(shard.first_layer),
        cells: [
            h('span.whole', {}, `${shard.first_layer}–${shard.end_layer - 1}`),
            shard.device,
            processWords(shard.process),
            stateBadge(shard),
            time(shard.recent_decode_ms),
            time(shard.recent_prefill_ms_per_token),
            time(shard.mean_forward_ms),
            // Nothing comes over a boundary to the first layers, unless they are elsewhere.
            index === 0 && shard.process.kind === 'local' ? null : time(shard.mean_boundary_ms),
            shard.sent_bytes === undefined ? 'in memory'
                : `${bytes(shard.sent_bytes)} sent, ${bytes(shard.received_bytes)} back`
                    + (shard.payloads === 'shared' ? ', shared memory' : ''),
            count(shard.restarts),
        ],
    })));
}

function time(millis) {
    return millis > 0 ? duration(millis) : null;
}
