// View of the placement: layers and memory of each device, and lost devices.

import {announce, h} from '../dom.js';
import {bytes, count, duration, percent} from '../format.js';
import {badge, bar, legend} from '../status/draw.js';
import {shardDiagram} from '../status/picture.js';
import {table} from '../status/table.js';
import {StatusView, card, notLoaded} from '../status/view.js';
import {byReplica, replicaBadge, replicaHead} from '../status/replicas.js';
import {processLabel, stateBadge} from '../status/shards.js';

const PARTS = [
    ['weight_bytes', 'Weights', 1],
    ['kv_bytes', 'KV cache', 2],
    ['state_bytes', 'States and windows', 3],
    ['compute_bytes', 'Compute buffers', 4],
    ['prompt_cache_bytes', 'Prefix cache', 5],
    ['page_bytes', 'Pages', 6],
];

let view = null;
let watch = null;

/** Description of the losses in the last status. */
let announcedLosses = null;

export function mount(element, server) {
    view = new StatusView('Placement', '/status', status => draw(status, element));
    view.mount(element, server);
    let width = element.clientWidth;
    watch = new ResizeObserver(() => {
        if (element.clientWidth !== width) {
            width = element.clientWidth;
            // Deferred: drawing changes the height, which this observer watches too.
            requestAnimationFrame(() => view?.redraw());
        }
    });
    watch.observe(element);
}

export function unmount() {
    watch?.disconnect();
    view?.unmount();
    view = null;
    announcedLosses = null;
}

/** Announces losses to screen readers. */
function announceLosses(down, lost) {
    const words = [...down.map(({id}) => `replica ${id}`), ...lost.map(place)].join(', ');
    if (announcedLosses !== null && words !== announcedLosses) {
        announce(words === '' ? 'All shards are back.' : `Lost: ${words}.`);
    }
    announcedLosses = words;
}

function draw(status, element) {
    const missing = notLoaded(status);
    if (missing) {
        return missing;
    }
    const {placement} = status;
    return [
        availabilityCard(placement, status),
        card(`${placement.layers} layers of ${status.model}`,
            byReplica(status).map(each => replicaDiagram(each, element.clientWidth))),
        placement.memories.length > 0
            ? card('Memory', placement.memories.map(memory)) : null,
        card('Shards', shardTable(placement.shards, status.replicas !== undefined)),
    ];
}

function replicaDiagram({replica, shards}, width) {
    return replica === null ? shardDiagram(shards, width)
        : h('div.replica', {dataset: {key: `replica-${replica.id}`, state: replica.state}},
            replicaHead(replica), shardDiagram(shards, width));
}

/** State of lost shards and replicas, and the consequences for requests. */
function availabilityCard(placement, status) {
    const {replicas = []} = status;
    const down = replicas.filter(replica => replica.state === 'down');
    const lost = placement.shards.filter(shard => shard.state !== 'ready'
        // If all shards are missing, the replica is reported as missing.
        && !down.some(({id}) => id === shard.replica));
    const isDegraded = down.length + lost.length > 0;
    announceLosses(down, lost);
    const words = [];
    for (const replica of down) {
        words.push(h('p', {}, replicaBadge(replica), ` Replica ${replica.id}`),
            h('p.muted', {}, replica.reason ? `${sentence(replica.reason)} ` : '',
                'The server loads it again.'));
    }
    for (const shard of lost) {
        const ago = shard.last_loss
            ? `, lost ${duration(shard.last_loss.ago_seconds * 1000)} ago: ${shard.last_loss.reason}`
            : '';
        words.push(h('p', {}, stateBadge(shard), ` ${place(shard)}${ago}`),
            h('p.muted', {}, `${sentence(shard.reason ?? 'the server restores it')} ${loaded(shard)}`));
    }
    if (placement.outage) {
        words.push(outage(placement.outage, status));
    } else if (isDegraded) {
        words.push(h('p', {}, failoverText(replicas, lost)));
    } else {
        words.push(h('p', {}, badge('good', 'All shards are ready')),
            ...readyDetails(placement.shards, replicas.length > 0));
    }
    return h('section.card.fate', {dataset: {key: 'fate', lost: isDegraded ? 'yes' : 'no'}},
        h('h2', {}, 'When a shard fails'), words);
}

/** Consequences for requests while a shard is missing and no request waits for it. */
function failoverText(replicas, lost) {
    const others = replicas.filter(replica => replica.state === 'ready').length;
    if (others > 0) {
        return 'No request waits: requests continue or start on'
            + ` ${others === 1 ? 'the other replica' : 'other replicas'} at once.`;
    }
    return lost.length > 0
        ? 'No request waits for it yet. New requests wait until it is back.'
        : 'No replica is ready. The server refuses requests until one is back.';
}

function outage({waited_seconds: waited, left_seconds: left, turns_away: over}, status) {
    if (over) {
        return h('p', {}, badge('bad', 'The server refuses requests'),
            ' with status 503 (shard_missing), since the recovery of the shard makes no progress.',
            ' It accepts requests again as soon as the recovery makes progress.');
    }
    const waiters = status.load.waiting === 1 ? 'One request waits'
        : `${count(status.load.waiting)} requests wait`;
    return h('p', {}, badge('warn', `${waiters}, for ${duration(waited * 1000)} so far`),
        ` and ${duration(left * 1000)} more unless the recovery of the shard makes progress; then`,
        ' they fail with status 503 (shard_missing). Once the shard is back, the server computes them',
        ' again, and they continue with the same tokens.');
}

function readyDetails(shards, severalReplicas) {
    const others = shards.filter(shard => shard.process.kind !== 'local');
    const past = shards.filter(shard => shard.last_loss);
    return [
        h('p.muted', {}, others.length === 0
            ? 'All layers are in the server’s own process and end with it.'
            : 'If a shard in another process fails, the server restores it. Requests '
                + (severalReplicas ? 'continue on another replica at once, with the same tokens.'
                    : 'wait, are computed again, and continue with the same tokens.')),
        ...past.map(shard => h('p.muted', {}, `${shard.device}${ofReplica(shard)} was lost`
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

function place(shard) {
    return `${layers(shard)} on ${shard.device}${ofReplica(shard)}`;
}

function ofReplica({replica}) {
    return replica === undefined ? '' : ` of replica ${replica}`;
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

function shardTable(shards, severalReplicas) {
    const streams = shards.some(shard => shard.expert_hit_rate !== undefined);
    return table('Shards in the order of their layers', [
        ...(severalReplicas ? ['Replica'] : []), 'Layers', 'Device', 'Process', 'State',
        {title: 'Decode, recent', number: true},
        {title: 'Prefill, per token', number: true},
        {title: 'Forward, mean', number: true},
        {title: 'Boundary, mean', number: true},
        'Boundary traffic',
        ...(streams ? ['Experts in memory'] : []),
        {title: 'Restarts', number: true},
    ], shards.map(shard => ({
        key: `${shard.replica ?? 0}-${shard.first_layer}`,
        cells: [
            ...(severalReplicas ? [count(shard.replica)] : []),
            h('span.whole', {}, `${shard.first_layer}–${shard.end_layer - 1}`),
            shard.device,
            processLabel(shard.process),
            stateBadge(shard),
            time(shard.recent_decode_ms),
            time(shard.recent_prefill_ms_per_token),
            time(shard.mean_forward_ms),
            // The first layers receive no activations, unless they are in another process.
            shard.first_layer === 0 && shard.process.kind === 'local' ? null : time(shard.mean_boundary_ms),
            shard.sent_bytes === undefined ? 'in memory'
                : `${bytes(shard.sent_bytes)} sent, ${bytes(shard.received_bytes)} back`
                    + (shard.payloads === 'shared' ? ', shared memory' : ''),
            ...(streams ? [experts(shard)] : []),
            count(shard.restarts),
        ],
    })));
}

/** Experts are read from the file with --weights stream. */
function experts(shard) {
    return shard.expert_hit_rate === undefined ? null
        : `${Math.round(100 * shard.expert_hit_rate)} % of those needed, ${bytes(shard.expert_read_bytes)} read`;
}

function time(millis) {
    return millis > 0 ? duration(millis) : null;
}
