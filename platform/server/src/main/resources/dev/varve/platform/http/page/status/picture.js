// Chart of a model's layers on its devices and processes.

import {bytes, duration} from '../format.js';
import {svg} from './draw.js';
import {processLabel} from './shards.js';

const NARROW = 640;
const CELL = 16;
const GAP = 4;
const PAD = 16;
const ARROW = 96;
const HEAD = 62;
const FOOTER_HEIGHT = 34;
const CHARACTER = 7.2;

/** Draws the shards of one engine side by side, on a narrow page one below the other. */
export function shardDiagram(shards, pageWidth) {
    const width = Math.max(240, Math.min(1100, pageWidth) - (pageWidth > NARROW ? 78 : 60));
    const across = pageWidth > NARROW && width / shards.length > 150;
    const boxes = across ? sideBySide(shards, width) : oneBelowTheOther(shards, width);
    const height = Math.max(...boxes.map(box => box.y + box.height)) + 2;
    return svg('svg.picture', {
        viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': words(shards),
    }, boxes.map((box, index) => [
        index > 0 ? arrow(boxes[index - 1], box, across) : [],
        drawShard(box, index),
    ]));
}

function words(shards) {
    return shards.map(shard => `Layers ${shard.first_layer} to ${shard.end_layer - 1} on`
        + ` ${shard.device}, ${processLabel(shard.process)}, ${shard.state}`).join('; ');
}

function sideBySide(shards, width) {
    const arrow = Math.min(ARROW, (width - 140 * shards.length) / Math.max(1, shards.length - 1));
    const free = width - arrow * (shards.length - 1);
    const layers = shards.at(-1).end_layer;
    const least = Math.min(190, free / shards.length);
    const spare = free - least * shards.length;
    let x = 0;
    const boxes = shards.map(shard => {
        const own = least + spare * (shard.end_layer - shard.first_layer) / layers;
        const box = {shard, x: x + 1, y: 1, width: own - 2, height: boxHeight(shard, own - 2)};
        x += own + arrow;
        return box;
    });
    const height = Math.max(...boxes.map(box => box.height));
    return boxes.map(box => ({...box, height}));
}

function oneBelowTheOther(shards, width) {
    let y = 1;
    return shards.map(shard => {
        const box = {shard, x: 1, y, width: width - 2, height: boxHeight(shard, width - 2)};
        y += box.height + 46;
        return box;
    });
}

function perRow(width) {
    return Math.max(1, Math.floor((width - 2 * PAD + GAP) / (CELL + GAP)));
}

function boxHeight(shard, width) {
    const rows = Math.ceil((shard.end_layer - shard.first_layer) / perRow(width));
    return HEAD + rows * (CELL + GAP) + FOOTER_HEIGHT;
}

function drawShard({shard, x, y, width, height}, index) {
    const lost = shard.state !== 'ready';
    const colour = index % 6 + 1;
    const columns = perRow(width);
    const cells = [];
    for (let layer = shard.first_layer; layer < shard.end_layer; layer++) {
        const at = layer - shard.first_layer;
        cells.push(svg(`rect.layer.${lost ? 'layer-lost' : `fill-${colour}`}`, {
            x: x + PAD + at % columns * (CELL + GAP),
            y: y + HEAD + Math.floor(at / columns) * (CELL + GAP),
            width: CELL, height: CELL, rx: 3,
        }, svg('title', {}, `Layer ${layer}`)));
    }
    const kind = shard.process.kind === 'local' ? 'own-process' : 'other-process';
    const state = {ready: '● ready', loading: '◐ loading', missing: '▲ lost'}[shard.state];
    const used = bytes(shard.weight_bytes + shard.mapped_weight_bytes + shard.kv_bytes);
    return [
        svg(`rect.shard.${kind}${lost ? '.shard-lost' : ''}`, {x, y, width, height, rx: 10}),
        label('shard-name', x + PAD, y + 26, shard.device.split('@')[0], width),
        label('shard-process', x + PAD, y + 46, processLabel(shard.process), width),
        svg(`text.shard-state.${lost ? shard.state : 'ready'}`,
            {x: x + width - PAD, y: y + 26, 'text-anchor': 'end'}, state),
        cells,
        label('shard-foot', x + PAD, y + height - 14,
            `layers ${shard.first_layer}–${shard.end_layer - 1} · ${used}`, width),
    ];
}

function label(kind, x, y, text, width) {
    const most = Math.floor((width - 2 * PAD) / CHARACTER);
    const shown = text.length > most ? `${text.slice(0, Math.max(1, most - 1))}…` : text;
    return svg(`text.${kind}`, {x, y}, shown, svg('title', {}, text));
}

/** Connection from one shard to the next, with its cost. */
function arrow(from, to, across) {
    const millis = to.shard.mean_boundary_ms;
    const cost = millis > 0 ? duration(millis) : '';
    if (across) {
        const y = from.y + from.height / 2;
        const begin = from.x + from.width + 6;
        const end = to.x - 6;
        return [
            svg('path.arrow', {d: `M${begin} ${y}H${end}m-7 -5l7 5l-7 5`}),
            svg('text.arrow-words', {x: (begin + end) / 2, y: y - 9, 'text-anchor': 'middle'}, cost),
        ];
    }
    const x = from.x + 30;
    const begin = from.y + from.height + 6;
    const end = to.y - 6;
    return [
        svg('path.arrow', {d: `M${x} ${begin}V${end}m-5 -7l5 7l5 -7`}),
        svg('text.arrow-words', {x: x + 16, y: (begin + end) / 2 + 5},
            cost ? `${cost} over the boundary` : ''),
    ];
}
